"""Cautions about turns: what may have biased an estimate, and what an average hides."""

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence

from wirelab.analysis.cautions.fairness import Fairness
from wirelab.analysis.model import Caution, CellSummary, Judged
from wirelab.statistics import Comparison
from wirelab.study import Cell
from wirelab.terminal import words


def turn_cautions(
    pairs: Sequence[Judged],
    titles: Mapping[Cell, str],
    fairness: Sequence[Fairness],
    summaries: Mapping[Cell, CellSummary],
    *,
    by_mean: bool,
) -> Iterator[Caution]:
    """Yield the effects of stolen time, tails, predecessors and work out of turn on estimates.

    `by_mean`: pairs are judged by the mean time, and the typical time is the other one.
    """
    yield from _stolen(pairs, titles)
    yield from _tails(pairs, titles, by_mean=by_mean)
    yield from _carried(fairness, titles)
    yield from _busy(fairness, summaries)


def _stolen(pairs: Sequence[Judged], titles: Mapping[Cell, str]) -> Iterator[Caution]:
    """Name the pairs whose estimate differs over the least-stolen permutations alone."""
    odd = [
        f"{pair.a_label} vs {pair.b_label} at “{titles[pair.a]}”:"
        f" {words.times(pair.stolen.everything.ratio)} over all permutations,"
        f" {words.times(pair.stolen.least_stolen.ratio)} over the half with the least stolen time"
        for pair in pairs
        if pair.stolen is not None and pair.stolen.differ
    ]
    if odd:
        yield Caution("minor", "Stolen time changes an estimate", words.first_few(odd))


def _tails(
    pairs: Sequence[Judged], titles: Mapping[Cell, str], *, by_mean: bool
) -> Iterator[Caution]:
    """Name contenders with a tail, first those in pairs whose order it reverses.

    `_disagree` selects the pairs.
    """
    reversals: dict[tuple[str, str], list[str]] = {}
    tails: dict[tuple[str, str], str] = {}
    for pair, typical, mean in sorted(_apart(pairs, by_mean=by_mean), key=_disagreement):
        has_tail, other = pair.a_label, pair.b_label
        typical_of_tail, mean_of_tail = typical, mean
        if mean < typical:  # then B has the tail
            has_tail, other = other, has_tail
            typical_of_tail, mean_of_tail = 1 / typical, 1 / mean
        where = titles[pair.a]
        if reverses(pair):
            reversals.setdefault((has_tail, where), []).append(
                f"{pair.a_label} vs {pair.b_label} at “{where}”: {words.times(mean)} by the mean,"
                f" {words.times(typical)} by the typical time"
            )
        elif pair.verdict and pair.verdict.orders:
            tails.setdefault(
                (has_tail, where),
                f"{has_tail} at “{where}” ({words.times(typical_of_tail)} the time of {other},"
                f" by the mean {words.times(mean_of_tail)})",
            )
    found = [
        *itertools.chain.from_iterable(reversals.values()),
        *(text for who, text in tails.items() if who not in reversals),
    ]
    if found:
        yield Caution(
            "minor",
            "Typical and mean time disagree",
            "a few slow requests raise the mean, that is, there is a longer tail:"
            f" {words.first_few(found)}",
        )


def reverses(pair: Judged) -> bool:
    """Return whether typical and mean time disagree about which of two contenders is faster."""
    return (
        pair.other is not None
        and _disagree(pair.comparison, pair.other)
        and (pair.comparison.ratio < 1) is not (pair.other.ratio < 1)
    )


def _apart(pairs: Sequence[Judged], *, by_mean: bool) -> Iterator[tuple[Judged, float, float]]:
    """Yield the pairs whose typical and mean ratio disagree, with both."""
    for pair in pairs:
        if pair.other is not None and _disagree(pair.comparison, pair.other):
            judged, other = pair.comparison.ratio, pair.other.ratio
            yield (pair, other, judged) if by_mean else (pair, judged, other)


def _disagree(one: Comparison, other: Comparison) -> bool:
    """Return whether intervals exclude each other, or ratios are beyond the margin on both sides.

    The latter counts where one of the intervals excludes equality.
    """
    a, b = one.interval95, other.interval95
    if a is None or b is None:
        return False
    low, high = sorted((one.ratio, other.ratio))
    beyond = low < 1 / (1 + one.margin_ratio) and high > 1 + one.margin_ratio
    reverses = beyond and not (a.contains(1.0) and b.contains(1.0))
    return reverses or a.high < b.low or b.high < a.low


def _disagreement(found: tuple[Judged, float, float]) -> float:
    """Return a sort key: the distance between typical and mean ratio, the largest first."""
    _, typical, mean = found
    return -abs(math.log(mean / typical))


def _carried(fairness: Sequence[Fairness], titles: Mapping[Cell, str]) -> Iterator[Caution]:
    """Report settings in which a contender's time depends on its predecessor."""
    carried = [
        f"“{titles[each.cells[0]]}” (by at most {words.percent(each.carry_over.bias_ratio)})"
        for each in fairness
        if each.carries_over and each.carry_over is not None
    ]
    if carried:
        yield Caution(
            "minor",
            "Times depend on the contender of the previous turn",
            f"this may bias ratios at {words.first_few(carried)}",
        )


def _busy(fairness: Sequence[Fairness], summaries: Mapping[Cell, CellSummary]) -> Iterator[Caution]:
    """Name each contender that works out of turn once, with its worst setting."""
    shares: dict[str, list[float]] = {}
    for each in fairness:
        for cell, share in each.busy.items():
            if cell in summaries:
                shares.setdefault(summaries[cell].label, []).append(share)
    if shares:
        listed = [
            f"{label} (up to {words.percent(max(found))} of a CPU, in"
            f" {words.plural(len(found), 'setting')})"
            for label, found in sorted(shares.items(), key=lambda item: -max(item[1]))
        ]
        yield Caution(
            "minor",
            "Contenders use CPU time while others are measured",
            f"garbage collection, timers or unfinished writes: {words.first_few(listed)}",
        )
