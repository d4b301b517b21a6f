"""What did not fit into a time budget, operations and verdicts, with a budget that would do."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wirelab.analysis.answers.effort import components_of
from wirelab.analysis.answers.sufficient_budget import Undecided, sufficient_s
from wirelab.analysis.cautions.caution import Caution
from wirelab.analysis.cautions.evidence import Evidence
from wirelab.analysis.model import ComparedPair
from wirelab.planning.schedule import Schedule
from wirelab.study import Study
from wirelab.terminal import words

LEAST_GROWTH = 2.0
"""A suggested budget is at least this multiple of the last one."""


@dataclass(frozen=True)
class NotMeasured(Caution):
    """Operations were wanted and left out."""

    SEVERITY = "serious"
    TITLE = "Not measured"
    titles: tuple[str, ...]
    reason: str

    def _detail(self) -> str:
        return f"{words.listed(self.titles)} ({self.reason})"


@dataclass(frozen=True)
class NotDecided(Caution):
    """The base of pairs without a verdict. `pairs` have the reasons of their verdicts."""

    SEVERITY = "serious"
    TITLE = "Not decided"
    pairs: tuple[tuple[str, str], ...]

    def _detail(self) -> str:
        named = "; ".join(f"{pair}: {why}" for pair, why in self.pairs)
        return f"{named} ({self._advice()})"

    def _advice(self) -> str:
        raise NotImplementedError


@dataclass(frozen=True)
class TooImprecise(NotDecided):
    """The intervals are too wide; budgets in seconds would probably make them narrow enough."""

    for_one_s: float
    for_all_s: float
    """Wherever in their intervals the ratios are."""
    as_measured_s: float
    """If the ratios are as measured."""

    def _advice(self) -> str:
        least, most = words.budget(self.for_one_s), words.budget(self.for_all_s)
        as_measured = words.budget(self.as_measured_s)
        ratios = "the ratio is" if len(self.pairs) == 1 else "the ratios are"
        perhaps = "" if as_measured == most else f"; {as_measured}, if {ratios} as measured"
        if len(self.pairs) == 1:
            return f"--budget {most} would probably decide it{perhaps}"
        if least == most:
            return f"--budget {most} would probably decide all of them{perhaps}"
        return f"--budget {least} would probably decide one of them, {most} all of them{perhaps}"


@dataclass(frozen=True)
class TooFewValid(NotDecided):
    """There are too few valid blocks; a budget in seconds would probably suffice."""

    budget_s: float

    def _advice(self) -> str:
        return f"--budget {words.budget(self.budget_s)} would probably suffice"


def omitted(study: Study, schedule: Schedule) -> dict[str, tuple[str, ...]]:
    """Return the titles of the workloads that were wanted and left out, by reason."""
    return {
        reason: tuple(study.workloads[level].title for level in levels)
        for (factor, reason, wanted), levels in schedule.left_out.items()
        if wanted and factor == "workload"
    }


def omissions(evidence: Evidence) -> Iterator[Caution]:
    """Find what was left out, and the reason."""
    for reason, titles in omitted(evidence.study, evidence.schedule).items():
        yield NotMeasured(titles, reason)


def undecided(evidence: Evidence) -> Iterator[Caution]:
    """Find what `compare` left undecided, with a budget that would probably decide it.

    The measured ratio of such a pair is inexact, so the budget is for the ratio in its 95 %
    interval that takes the longest to decide; the budget for the measured one is added. Nothing is
    suggested for contenders to repair. If a pair has too few valid blocks, more of them are assumed
    to be valid as often.
    """
    study, schedule, efforts = evidence.study, evidence.schedule, evidence.efforts
    given_s, slices = evidence.budget_s, evidence.design.slices
    if given_s is None or slices is None:
        return
    took: dict[str, list[float]] = {}
    for record in evidence.bundle.current_records():
        took.setdefault(record.block.group, []).append(record.seconds)
    group_of = {run.cell: block.group for block in schedule.blocks for run in block.runs}
    mean_s = {group: math.fsum(times) / len(times) for group, times in took.items()}
    more_blocks = {group: len(times) for group, times in took.items()}
    short: list[ComparedPair] = []
    imprecise: list[Undecided] = []
    for pair in evidence.pairs:
        group, valid = group_of[pair.a], pair.comparison.blocks
        needs_repair = {pair.a.contender, pair.b.contender} & evidence.to_repair
        if pair.verdict is None or not valid or needs_repair:
            continue
        if not pair.comparison.has_enough_blocks:
            short.append(pair)
            least = pair.comparison.method.least_blocks
            needed = math.ceil(least * len(took[group]) / valid)
            more_blocks[group] = max(more_blocks[group], needed)
        elif needed := pair.verdict.blocks_needed or 0:
            components = components_of(pair, evidence.values, study)
            imprecise.append(Undecided(pair, group, needed, slices.permutations, components))
    least_s = LEAST_GROWTH * given_s
    wanted = len(mean_s) + sum(map(len, omitted(study, schedule).values()))

    def enough_s(undecided: Sequence[Undecided]) -> float:
        seconds = sufficient_s(undecided, efforts, mean_s)
        return max(seconds * wanted / len(mean_s), least_s)

    if imprecise:
        cautious = [each.at_most() for each in imprecise]
        easiest = min(cautious, key=lambda each: sufficient_s([each], efforts, mean_s))
        yield TooImprecise(
            _named(study, [each.pair for each in imprecise]),
            for_one_s=enough_s([easiest]),
            for_all_s=enough_s(cautious),
            as_measured_s=enough_s(imprecise),
        )
    if short:
        seconds = math.fsum(blocks * mean_s[group] for group, blocks in more_blocks.items())
        yield TooFewValid(_named(study, short), max(seconds, least_s))


def _named(study: Study, pairs: Sequence[ComparedPair]) -> tuple[tuple[str, str], ...]:
    """Name each pair, with the reason of its verdict."""
    return tuple(
        (
            f"{pair.a_label} against {pair.b_label} at “{study.workloads[pair.a.workload].title}”",
            pair.verdict.why if pair.verdict else "not judged",
        )
        for pair in pairs
    )
