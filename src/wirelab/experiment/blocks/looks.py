"""Looks: after a number of blocks, decide which groups of cells get how many more.

Precision decides, never significance: stopping at the first "significant" result would find
differences where there are none.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wirelab.analysis import ComparedPair
from wirelab.statistics import expected_half_width
from wirelab.study import Design, Study
from wirelab.study.design import MOST_LOOKS
from wirelab.terminal import words

LEAST_BLOCKS = 2
"""With fewer blocks, there is no interval."""


@dataclass(frozen=True, slots=True)
class GroupSoFar:
    """The state of a group of cells after a look.

    `standard_deviation`: of the block values of the pair that varies most, among those that the
    study's questions compare; None if unknown yet. `block_seconds`: the duration of a block.
    """

    blocks: int
    standard_deviation: float | None
    block_seconds: float


def next_look(
    design: Design,
    margin: float,
    looks: int,
    groups: Mapping[str, GroupSoFar],
    seconds_left: float | None,
) -> dict[str, int]:
    """Return the new number of blocks for each group after `looks`; empty to stop.

    Each further block is added to the group with the widest expected interval, until every interval
    is as narrow as the design requires (by default half the margin), each group has the blocks of
    the next look, or the time is over. Half of the remaining time is kept for
    the last look. `seconds_left` is None without a budget. Groups whose blocks take no
    time, because nothing is measured in them, are left out.
    """
    if looks >= MOST_LOOKS or (not design.looks and seconds_left is None):
        return {}
    if design.looks and looks > len(design.looks):
        return {}
    required = _required(design, margin)
    most = design.looks[looks - 1] if design.looks else None
    if seconds_left is not None and looks < MOST_LOOKS - 1:
        seconds_left /= 2
    counts = {name: group.blocks for name, group in groups.items()}
    while True:
        widths = {
            name: _expected(group, counts[name])
            for name, group in groups.items()
            if group.block_seconds > 0
            and (most is None or counts[name] < most)
            and (seconds_left is None or group.block_seconds <= seconds_left)
        }
        name = max(widths, key=widths.__getitem__, default=None)
        if name is None or widths[name] <= required:
            break
        counts[name] += 1
        if seconds_left is not None:
            seconds_left -= groups[name].block_seconds
    return {name: count for name, count in counts.items() if count > groups[name].blocks}


def out_of_time(
    design: Design, margin: float, groups: Mapping[str, GroupSoFar], seconds_left: float | None
) -> str:
    """Say that the budget is used up while intervals are too wide; "" if that is not so."""
    required = _required(design, margin)
    short = [
        group
        for group in groups.values()
        if seconds_left is not None
        and seconds_left < 2 * group.block_seconds
        and _expected(group, group.blocks) > required
    ]
    if not short:
        return ""
    return f"the time budget is used up before all intervals are within ±{words.percent(required)}"


def too_wide(design: Design, study: Study, pairs: Sequence[ComparedPair]) -> str:
    """Say for what the intervals of some pairs are too wide, and how many blocks would decide them.

    That number is the one that the pair's verdict gives.
    """
    margin = f"±{words.percent(study.margin)}"
    what_for = (
        f"it takes to show whether a difference is within the margin of {margin}"
        if design.precision is None
        else "the design requires"
    )
    named = [
        f"{pair.a_label} against {pair.b_label} at “{study.workloads[pair.a.workload].title}”"
        f" ({_so_far(pair, study)})"
        for pair in pairs
    ]
    return (
        "intervals are wider than"
        f" ±{words.percent(_required(design, study.margin))}, which {what_for}:"
        f" {words.first_few(named)}"
    )


def _so_far(pair: ComparedPair, study: Study) -> str:
    """Describe the interval of a pair, and how many blocks would decide it if that is open.

    Of a study with --budget, which has no option for blocks, it describes the interval only.
    """
    interval, verdict = pair.comparison.interval95, pair.verdict
    if interval is None:
        return "no interval yet"
    width = f"±{words.percent(math.sqrt(interval.high / interval.low) - 1)}"
    if verdict is None or verdict.blocks_needed is None or study.has_budget_option:
        return width
    return f"{width}; {verdict.enough_blocks}"


def _required(design: Design, margin: float) -> float:
    """Return the half-width of intervals that is narrow enough, as a share."""
    return margin / 2 if design.precision is None else design.precision


def _expected(group: GroupSoFar, blocks: int) -> float:
    """Return the expected half-width after `blocks`; infinite if nothing is known."""
    if group.standard_deviation is None or blocks < LEAST_BLOCKS:
        return math.inf
    return expected_half_width(group.standard_deviation, blocks)
