"""Steps of a history: comparisons of commits with earlier ones, in the same blocks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from wirelab.analysis.so_far import PairSoFar
from wirelab.statistics import SIGNIFICANCE, Comparison, holm

Chain = Sequence[str]
"""Contenders of which each is compared with the one before it, the oldest first."""


@dataclass(frozen=True, slots=True)
class VersionStep:
    """The comparison of a newer version with an older one; ratios are newer over older.

    `p_value` is that of equality, corrected for all steps of the round, and `level` what it has to
    be below.
    """

    older: str
    newer: str
    workload: str
    comparison: Comparison
    p_value: float
    level: float

    @property
    def differs(self) -> bool:
        """Whether the newer version takes another time."""
        return _is_judged(self.comparison) and self.p_value < self.level

    @property
    def is_same(self) -> bool:
        """Whether it was shown to differ by less than the margin."""
        return is_inside(self.comparison)

    @property
    def is_decided(self) -> bool:
        """Whether either was shown."""
        return self.differs or self.is_same


@dataclass(frozen=True, slots=True)
class JudgedRound:
    """All steps of a round; `ends` compares the last version of each chain with its first."""

    steps: tuple[VersionStep, ...]
    ends: tuple[Comparison, ...]

    @property
    def differing(self) -> list[VersionStep]:
        """The steps that differ, the most certain first."""
        return sorted((it for it in self.steps if it.differs), key=lambda it: it.p_value)

    @property
    def ends_are_same(self) -> bool:
        """Whether no chain changes by more than the margin from its first to its last version."""
        return bool(self.ends) and all(map(is_inside, self.ends))

    @property
    def is_located(self) -> bool:
        """Whether a step differs, or none will."""
        return self.ends_are_same or bool(self.differing) or self.is_complete

    @property
    def is_complete(self) -> bool:
        """Whether all steps are decided."""
        return bool(self.steps) and all(step.is_decided for step in self.steps)


def judge(pairs: Sequence[PairSoFar], chains: Sequence[Chain], level: float) -> JudgedRound:
    """Judge the steps of chains by the comparisons of each version with each other one so far.

    Question: where in these sequences did the time change? Formula: Holm's method over the p values
    of all steps, each valid after any block. Source: as `family_p_values`. A version without
    values, for example because it gives other answers, is left out of its chain, so that its
    neighbours make one step.
    """
    known: dict[str, dict[tuple[str, str], Comparison]] = {}
    for pair in pairs:
        if pair.comparison.blocks:
            compared = known.setdefault(pair.a.workload, {})
            compared[pair.b.contender, pair.a.contender] = pair.comparison
    found = [
        (older, newer, workload, compared[older, newer])
        for workload, compared in known.items()
        for kept in _kept(chains, compared)
        for older, newer in pairwise(kept)
        if (older, newer) in compared
    ]
    ends = [
        compared[kept[0], kept[-1]]
        for compared in known.values()
        for kept in _kept(chains, compared)
        if (kept[0], kept[-1]) in compared
    ]
    corrected = holm([comparison.p_value for *_, comparison in found]) if found else ()
    steps = (VersionStep(*each, float(p), level) for each, p in zip(found, corrected, strict=True))
    return JudgedRound(tuple(steps), tuple(ends))


def compared_in(pairs: Sequence[PairSoFar]) -> set[str]:
    """Return the contenders that were compared with any other one."""
    compared = (pair for pair in pairs if pair.comparison.blocks)
    return {cell.contender for pair in compared for cell in (pair.a, pair.b)}


def _kept(chains: Sequence[Chain], compared: Mapping[tuple[str, str], Comparison]) -> list[Chain]:
    """Return the chains without versions that were not compared, if more than one is left."""
    names = {name for pair in compared for name in pair}
    kept = ([name for name in chain if name in names] for chain in chains)
    return [chain for chain in kept if len(chain) > 1]


def is_inside(comparison: Comparison) -> bool:
    """Return whether a difference was shown to be smaller than the margin."""
    return _is_judged(comparison) and comparison.p_within_margin < SIGNIFICANCE


def _is_judged(comparison: Comparison) -> bool:
    return comparison.has_enough_blocks and comparison.has_spread
