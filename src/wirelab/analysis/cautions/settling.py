"""Cautions about servers that were not steady when they were measured, or measured too briefly."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from wirelab.analysis.cautions.caution import At, Caution
from wirelab.analysis.cautions.evidence import Evidence
from wirelab.analysis.figures.settling import LEAST_IN_A_SLOT, SettlingSummary
from wirelab.statistics import Settling
from wirelab.statistics.steady_state import MINIMUM_POINTS
from wirelab.study import ClosedLoad
from wirelab.terminal import words
from wirelab.verify.findings.finding_reasons import LeftOutOfMix

Course = Literal["slices", "window", "both"]
"""Of what the courses of runs consist."""
ENOUGH: dict[Course, tuple[str, str]] = {
    "slices": (f"{MINIMUM_POINTS} slices", "measure more permutations"),
    "window": (
        f"{MINIMUM_POINTS * LEAST_IN_A_SLOT} transactions",
        "measure a longer window",
    ),
    "both": (
        f"{MINIMUM_POINTS} slices (runs in turns) or {MINIMUM_POINTS * LEAST_IN_A_SLOT}"
        " transactions (runs measured separately)",
        "measure more permutations, and longer windows",
    ),
}
"""How much it takes to judge runs, and how to measure more of it."""


LEAST_PER_CLIENT = 6
"""With fewer transactions of each client, the mean time exceeds about a fifth of the window."""


@dataclass(frozen=True)
class SettlingUnknown(Caution):
    """All runs are too short to judge."""

    TITLE = "Whether servers had settled is unknown"
    course: Course
    has_budget: bool
    more_helps: bool

    def _detail(self) -> str:
        fewest, remedy = ENOUGH[self.course]
        more = "measure longer with --budget" if self.has_budget else remedy
        return f"every run has fewer than the {fewest} that it takes to show a trend" + (
            f". What to do: {more}" if self.more_helps else ""
        )


@dataclass(frozen=True)
class NotSettled(Caution):
    """Some runs have no steady state; most of them are of `label` in `setting`."""

    TITLE = "Servers had not settled when they were measured"
    runs: int
    of: int
    label: str
    setting: str

    def _detail(self) -> str:
        return (
            f"{words.plural(self.runs, 'run')} of {self.of} without a steady state; the most at"
            f" {self.label}, {self.setting}"
        )


def settling(evidence: Evidence) -> Iterator[Caution]:
    """Find runs before the server was steady, and that no run could be judged."""
    settled = evidence.settled
    more_helps = not evidence.to_repair
    yield from find_unsettled(settled, has_budget=evidence.has_budget, more_helps=more_helps)


def find_unsettled(
    settled: Sequence[SettlingSummary], *, has_budget: bool, more_helps: bool
) -> Iterator[Caution]:
    """See `settling`."""
    counted: Counter[Settling] = Counter()
    for each in settled:
        counted.update(each.runs)
    if counted.total() and counted[Settling.TOO_SHORT] == counted.total():
        kinds = {each.by_slices for each in settled}
        course: Course = "both" if len(kinds) > 1 else "slices" if True in kinds else "window"
        yield SettlingUnknown(course, has_budget, more_helps)
    if moving := counted[Settling.NO_STEADY_STATE]:
        worst = max(settled, key=lambda each: each.runs.get(Settling.NO_STEADY_STATE, 0))
        yield NotSettled(moving, counted.total(), worst.label, worst.setting)


@dataclass(frozen=True)
class ShortWindows(Caution):
    """A large part of a window's transactions met a queue that was forming or emptying."""

    SEVERITY = "serious"
    TITLE = "Windows are too short for their number of clients"
    places: tuple[At, ...]
    """With their mean times, the shortest window first."""
    fewest: float
    """Transactions of each client, on average."""

    def _detail(self) -> str:
        return (
            f"{words.first_few(list(map(str, self.places)))}: each client completed fewer than"
            f" {LEAST_PER_CLIENT} transactions (the fewest: {words.significant(self.fewest, 2)} on"
            " average), and the first and the last ones meet a queue that is forming or emptying,"
            " so means may be too low or too high. What to do: measure a window of at least five"
            " times the mean response time"
        )


def short_windows(evidence: Evidence) -> Iterator[Caution]:
    """Find windows that are too short.

    A window has no guard: all clients send their first transaction at once, to an idle server.
    Every transaction that begins in the window counts. Those answered after its end meet a queue
    that is emptying.
    """
    short: list[tuple[float, At]] = []
    for cell, summary in evidence.summaries.items():
        load = evidence.study.loads[cell.load]
        separate = evidence.design.at(cell).separate
        if cell.twin or not separate or not isinstance(load, ClosedLoad):
            continue
        if load.clients == 1:  # there is no queue
            continue
        transactions = evidence.values.runs[cell]["transactions"]
        per_client = float(transactions.median()) / load.clients
        if per_client < LEAST_PER_CLIENT:
            mean = f"mean {words.duration(summary.mean_us.value)}"
            short.append((per_client, At(summary.label, evidence.titles[cell], mean)))
    if short:
        short.sort(key=lambda found: found[0])
        yield ShortWindows(tuple(at for _, at in short), short[0][0])


@dataclass(frozen=True)
class MixCutShort(Caution):
    """Runs ended before they had sent all transactions of a mix."""

    SEVERITY = "serious"
    TITLE = "Runs ended within a mix"
    places: tuple[At, ...]
    """With the share of the mix that was sent, the smallest first."""

    def _detail(self) -> str:
        return (
            f"{words.first_few(list(map(str, self.places)))}: these runs did not send each"
            " transaction of the mix once, and a faster contender sent others than a slower one."
            " What to do: measure longer runs, or give the mix fewer parameter sets"
        )


def mixes_cut_short(evidence: Evidence) -> Iterator[Caution]:
    """Find mixes of which some run sent only a part.

    Contenders that take turns send the same part, whose order is random; runs that are measured
    separately send as much as their contender answers.
    """
    study, left_out = evidence.study, _left_out(evidence)
    short: list[tuple[float, At]] = []
    for cell, summary in evidence.summaries.items():
        separate = evidence.design.at(cell).separate
        if cell.twin or not separate or not study.workloads[cell.workload].mix:
            continue
        parts = study.parts(cell.workload).items()
        whole = sum(count - left_out.get((cell.workload, part), 0) for part, count in parts)
        share = float(evidence.values.runs[cell]["transactions"].min()) / max(1, whole)
        if share < 1:
            sent = f"{words.percent(share)} of the mix"
            short.append((share, At(summary.label, evidence.titles[cell], sent)))
    if short:
        short.sort(key=lambda found: found[0])
        yield MixCutShort(tuple(at for _, at in short))


def _left_out(evidence: Evidence) -> dict[tuple[str, str], int]:
    """Return how many parameter sets a mix leaves out of each of its workloads."""
    reasons = (finding.reason for finding in evidence.bundle.findings)
    return {
        (each.mix, each.workload): each.removed
        for each in reasons
        if isinstance(each, LeftOutOfMix)
    }
