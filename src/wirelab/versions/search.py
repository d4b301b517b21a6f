"""Search for the commits that changed a time: narrow by verdicts, then check with fresh blocks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from wirelab.statistics import SIGNIFICANCE, Comparison
from wirelab.versions.steps import Chain, JudgedRound, VersionStep

BETWEEN = 2
"""Commits that take turns with the ends of a path: a round then leaves a third of it."""
FEW = 3
"""As many are measured all at once, where no more are left."""
MOST_CHECKS = 3
"""Each check may accuse commits; its level is the search's, divided by this."""


class CommitGraph(Protocol):
    """What the search must know of the history; commits are ids."""

    def path(self, older: str, newer: str) -> list[str]:
        """Return the commits from an older to a newer one, each a parent of the next."""

    def branches(self, parent: str, merge: str) -> list[list[str]]:
        """Return the paths of the branches that a merge adds to one of its parents."""


class Measuring(Protocol):
    """What the search has measured."""

    @property
    def has_time(self) -> bool:
        """Whether the budget allows for another round of the search."""

    def is_usable(self, commit: str) -> bool:
        """Return whether a commit can be built, started and compared; try it if necessary."""

    def measure(
        self, chains: Sequence[Chain], level: float, *, workload: str = "", until_all: bool = False
    ) -> JudgedRound:
        """Measure chains of commits in the same blocks until the change is located.

        `workload` is the only one to measure, if given. `until_all`: until all steps are decided.
        """


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of the history: the commits after the first of `commits`, up to the last.

    `step` compares the two. A part is `narrow` if no smaller part of it can be measured.
    """

    commits: tuple[str, ...]
    step: VersionStep | None = None
    narrow: bool = False

    @property
    def candidates(self) -> tuple[str, ...]:
        """The commits of which one or more changed the time, if it changed."""
        return self.commits[1:]


@dataclass(frozen=True, slots=True)
class Bisection:
    """The result of a search.

    `whole` compares the newest version with the oldest one, as far as the first round knows it.
    `parts` are those of the last check, or of the first round if there was nothing to check.
    """

    path: tuple[str, ...]
    whole: Comparison | None
    parts: tuple[Stretch, ...]
    is_same: bool = False
    """Whether the two ends were shown to differ by less than the margin."""

    @property
    def accused(self) -> list[Stretch]:
        """The smallest parts that were shown to differ: usually one, of a single commit."""
        return [part for part in self.parts if part.narrow and part.step and part.step.differs]

    @property
    def unresolved(self) -> list[Stretch]:
        """The parts that differ, and could not be narrowed further."""
        wide = (part for part in self.parts if not part.narrow)
        return [part for part in wide if part.step and part.step.differs]


@dataclass(frozen=True, slots=True)
class _Cut:
    """A narrow part, and the commits of the main path that it lies between."""

    part: Stretch
    span: tuple[str, str]


class Search:
    """The search between two commits of a history.

    Question: which commits changed the time, and is that certain? Rule: rounds of the search
    compare each commit with the one before it, and narrow the path to the steps that differ. They
    only choose. Then a check measures the chosen commits with their parents, and the rest of the
    path, in fresh blocks. Only checks accuse, each at 5 % / 3 by Holm's method, and there are at
    most three, so that the probability of accusing any commit that changes nothing is at most 5 %,
    whatever the search chose. Sources: Holm 1979; Bonferroni's inequality over the checks; p
    values that hold after any block, see `RepeatedT`. Assumes independent blocks.
    """

    def __init__(self, history: CommitGraph, measuring: Measuring) -> None:
        self._history, self._measuring = history, measuring
        self._workload = ""
        """The one whose time changes most certainly; the others are not searched."""

    def run(self, older: str, newer: str) -> Bisection:
        """Find what changed between two commits, both of which must be usable."""
        path = self._history.path(older, newer)
        sample = self._sample(path)
        first = self._measuring.measure([sample], SIGNIFICANCE)
        whole = first.ends[0] if len(first.ends) == 1 else None
        if not first.differing:
            steps = tuple(Stretch(_between(path, step), step) for step in first.steps)
            return Bisection(tuple(path), whole, steps, first.ends_are_same)
        self._workload = first.differing[0].workload
        cuts = list(self._narrowed(path, first))
        for _ in range(MOST_CHECKS):
            cuts.sort(key=lambda cut: path.index(cut.span[0]))
            parts = self._check(path, cuts)
            further = [
                cut
                for part in parts
                if not part.narrow and part.step is not None and part.step.differs
                for cut in self._narrow(list(part.commits))
                if cut.part.commits != part.commits
            ]
            if not further:
                break
            accused = [cut for cut in cuts if _is_accused(cut.part, parts)]
            cuts = [*accused, *further]
        return Bisection(tuple(path), whole, tuple(parts))

    def _sample(self, path: Sequence[str]) -> list[str]:
        """Return the ends of a path and some usable commits between them, evenly spaced."""
        inner = len(path) - 2
        count = inner if inner <= FEW else BETWEEN
        chosen = {0, len(path) - 1}
        for number in range(1, count + 1):
            ideal = round(number * (len(path) - 1) / (count + 1))
            nearest = sorted(set(range(len(path))) - chosen, key=lambda at: abs(at - ideal))
            usable = (at for at in nearest if self._measuring.is_usable(path[at]))
            found = next(usable, None)
            chosen |= set() if found is None else {found}
        return [path[at] for at in sorted(chosen)]

    def _narrowed(self, path: Sequence[str], judged: JudgedRound) -> Iterator[_Cut]:
        """Narrow the steps of a path that differ."""
        for step in judged.differing:
            if step.workload == self._workload:
                yield from self._narrow(list(_between(path, step)))

    def _narrow(self, path: list[str]) -> Iterator[_Cut]:
        """Narrow a part of the main path whose ends differ."""
        span = path[0], path[-1]
        if len(path) == 2:
            yield from self._into_merge(*span)
            return
        sample = self._sample(path)
        judged = self._locate(sample) if len(sample) > 2 else None
        if judged is None:
            yield _Cut(Stretch(tuple(path), narrow=len(sample) == 2), span)
        else:
            yield from self._narrowed(path, judged)

    def _locate(self, sample: Chain) -> JudgedRound | None:
        """Measure a sample; None if no smaller step of it is known to differ."""
        if not self._measuring.has_time:
            return None
        judged = self._measuring.measure([sample], SIGNIFICANCE, workload=self._workload)
        return judged if judged.differing else None

    def _into_merge(self, parent: str, commit: str) -> Iterator[_Cut]:
        """Narrow what a merge adds; if no branch of it differs by itself, the merge does."""
        cuts: list[_Cut] = []
        for branch in self._history.branches(parent, commit):
            if all(self._measuring.is_usable(branch[at]) for at in (0, -1)):
                judged = self._locate(self._sample(branch))
                cuts += [] if judged is None else self._narrowed(branch, judged)
        if not cuts:
            cuts = [_Cut(Stretch((parent, commit), narrow=True), (parent, commit))]
        for cut in cuts:
            yield _Cut(cut.part, (parent, commit))

    def _check(self, path: Sequence[str], cuts: Sequence[_Cut]) -> tuple[Stretch, ...]:
        """Measure the cuts, and what is left of the path around them, in fresh blocks."""
        parts: list[Stretch] = []
        at = path[0]
        for cut in cuts:
            if path.index(at) < path.index(cut.span[0]):
                parts.append(Stretch(_slice(path, at, cut.span[0])))
            parts.append(cut.part)
            at = cut.span[1]
        if at != path[-1]:
            parts.append(Stretch(_slice(path, at, path[-1])))
        ends = [(part.commits[0], part.commits[-1]) for part in parts]
        judged = self._measuring.measure(
            ends, SIGNIFICANCE / MOST_CHECKS, workload=self._workload, until_all=True
        )
        steps = {(step.older, step.newer): step for step in judged.steps}
        return tuple(
            Stretch(part.commits, steps.get(pair), part.narrow or len(part.commits) == 2)
            for part, pair in zip(parts, ends, strict=True)
        )


def _is_accused(part: Stretch, parts: Sequence[Stretch]) -> bool:
    checked = next(it for it in parts if it.commits == part.commits)
    return checked.step is not None and checked.step.differs


def _between(path: Sequence[str], step: VersionStep) -> tuple[str, ...]:
    return _slice(path, step.older, step.newer)


def _slice(path: Sequence[str], older: str, newer: str) -> tuple[str, ...]:
    return tuple(path[path.index(older) : path.index(newer) + 1])
