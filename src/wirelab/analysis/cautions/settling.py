"""Cautions about servers that were not steady when they were measured."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from wirelab.analysis.cautions.caution import Caution
from wirelab.analysis.cautions.evidence import Evidence
from wirelab.analysis.figures.settling import LEAST_IN_A_SLOT, SettlingSummary
from wirelab.statistics import Settling
from wirelab.statistics.steady_state import MINIMUM_POINTS
from wirelab.terminal import words

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
