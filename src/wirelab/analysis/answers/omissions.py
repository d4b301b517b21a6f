"""What did not fit into a time budget, operations and verdicts, with a budget that would do."""

import math
from collections.abc import Collection, Iterator, Sequence

from wirelab.analysis.answers.effort import Effort
from wirelab.analysis.answers.sufficient_budget import Undecided, components_of, sufficient_s
from wirelab.analysis.model import Caution, Judged
from wirelab.analysis.values import RunValues
from wirelab.bundle import BlockRecord
from wirelab.planning.schedule import Schedule
from wirelab.statistics import MINIMUM_BLOCKS
from wirelab.study import Study
from wirelab.terminal import words

LEAST_GROWTH = 2.0
"""A suggested budget is at least this multiple of the last one."""
NOT_MEASURED = "Not measured"
NOT_DECIDED = "Not decided"


def budget_s(study: Study, schedule: Schedule) -> float | None:
    """Return the `--budget` of a comparison in seconds; None for a study without this option."""
    minutes = study.designs[schedule.design].budget_minutes
    return 60 * minutes if study.has_budget_option and minutes is not None else None


def omitted(study: Study, schedule: Schedule) -> dict[str, tuple[str, ...]]:
    """Return the titles of the workloads that were wanted and left out, by reason."""
    return {
        reason: tuple(study.workloads[level].title for level in levels)
        for (factor, reason, wanted), levels in schedule.left_out.items()
        if wanted and factor == "workload"
    }


def omission_cautions(study: Study, schedule: Schedule) -> Iterator[Caution]:
    """Name what was left out, and the reason."""
    for reason, titles in omitted(study, schedule).items():
        yield Caution("serious", NOT_MEASURED, f"{words.listed(titles)} ({reason})")


def undecided_cautions(
    study: Study,
    schedule: Schedule,
    pairs: Sequence[Judged],
    records: Sequence[BlockRecord],
    *,
    values: RunValues,
    efforts: Sequence[Effort],
    to_repair: Collection[str] = (),
) -> Iterator[Caution]:
    """Suggest a budget that would probably decide what `compare` left undecided.

    The measured ratio of such a pair is inexact, so the budget is for the ratio in its 95 %
    interval that takes the longest to decide; the budget for the measured one is added. Nothing is
    suggested for contenders `to_repair`. `records` are the blocks so far. If a pair has too few
    valid ones, more of them are assumed to be valid as often.
    """
    given_s = budget_s(study, schedule)
    slices = study.designs[schedule.design].slices
    if given_s is None or slices is None:
        return
    took: dict[str, list[float]] = {}
    for record in records:
        took.setdefault(record.block.group, []).append(record.seconds)
    group_of = {run.cell: block.group for block in schedule.blocks for run in block.runs}
    mean_s = {group: math.fsum(times) / len(times) for group, times in took.items()}
    more_blocks = {group: len(times) for group, times in took.items()}
    short: list[Judged] = []
    imprecise: list[Undecided] = []
    for pair in pairs:
        group, valid = group_of[pair.a], pair.comparison.blocks
        if pair.verdict is None or not valid or {pair.a.contender, pair.b.contender} & {*to_repair}:
            continue
        if valid < MINIMUM_BLOCKS:
            short.append(pair)
            needed = math.ceil(MINIMUM_BLOCKS * len(took[group]) / valid)
            more_blocks[group] = max(more_blocks[group], needed)
        elif needed := pair.verdict.blocks_needed or 0:
            components = components_of(pair, values, study)
            imprecise.append(Undecided(pair, group, needed, slices.permutations, components))
    least_s = LEAST_GROWTH * given_s
    wanted = len(mean_s) + sum(map(len, omitted(study, schedule).values()))

    def sufficient(undecided: Sequence[Undecided]) -> str:
        seconds = sufficient_s(undecided, efforts, mean_s)
        return words.budget(max(seconds * wanted / len(mean_s), least_s))

    if imprecise:
        cautious = [it.at_most() for it in imprecise]
        easiest = min(cautious, key=lambda it: sufficient_s([it], efforts, mean_s))
        advice = _would_decide(
            len(imprecise), sufficient([easiest]), sufficient(cautious), sufficient(imprecise)
        )
        yield _not_decided(study, [it.pair for it in imprecise], advice)
    if short:
        seconds = math.fsum(blocks * mean_s[group] for group, blocks in more_blocks.items())
        budget = words.budget(max(seconds, least_s))
        yield _not_decided(study, short, f"--budget {budget} would probably suffice")


def _not_decided(study: Study, pairs: Sequence[Judged], advice: str) -> Caution:
    """Name each pair with the reason of its verdict, and then how to decide them."""
    named = "; ".join(
        f"{pair.a_label} against {pair.b_label} at “{study.workloads[pair.a.workload].title}”:"
        f" {pair.verdict.why if pair.verdict else 'not judged'}"
        for pair in pairs
    )
    return Caution("serious", NOT_DECIDED, f"{named} ({advice})")


def _would_decide(pairs: int, least: str, most: str, as_measured: str) -> str:
    """Say which budget would decide one of some pairs, which one all of them, and which may do."""
    ratios = "the ratio is" if pairs == 1 else "the ratios are"
    perhaps = "" if as_measured == most else f"; {as_measured}, if {ratios} as measured"
    if pairs == 1:
        return f"--budget {most} would probably decide it{perhaps}"
    if least == most:
        return f"--budget {most} would probably decide all of them{perhaps}"
    return f"--budget {least} would probably decide one of them, {most} all of them{perhaps}"
