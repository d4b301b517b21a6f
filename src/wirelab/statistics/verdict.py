"""The verdict on a comparison: faster, slower, practically the same, or cannot tell."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations, pairwise
from typing import NamedTuple

from wirelab.statistics.comparison import Comparison, too_few_blocks
from wirelab.statistics.estimate import SIGNIFICANCE, Interval
from wirelab.statistics.family import FamilyPValues
from wirelab.statistics.repetition import blocks_needed
from wirelab.terminal.words import between, p_value, percent

SMALLEST_P = 1e-300
"""What a p value counts as that is too small for a float."""
NO_VARIATION = "the ratio is the same in every block, so that its precision is unknown"


class Outcome(StrEnum):
    """The four verdicts on A relative to B."""

    FASTER = "faster"
    SLOWER = "slower"
    SAME = "practically the same"
    CANNOT_TELL = "cannot tell"

    @property
    def opposite(self) -> "Outcome":
        """The same finding on B relative to A."""
        return {Outcome.FASTER: Outcome.SLOWER, Outcome.SLOWER: Outcome.FASTER}.get(self, self)


class Nuance(StrEnum):
    """How strong an outcome is."""

    PLAIN = ""
    CLEARLY = "clearly"
    """The difference exceeds the margin, after the family correction."""
    NEGLIGIBLY = "measurably but negligibly"
    """There is a difference, and it was shown to be smaller than the margin: practically the same.
    The words of the verdict are the same as without a difference; the reason says it."""


class Basis(StrEnum):
    """What a verdict rests on, or why there is none."""

    BEYOND_EQUALITY = "beyond equality"
    BEYOND_MARGIN = "beyond the margin"
    INSIDE_MARGIN = "inside the margin"
    TOO_FEW_BLOCKS = "too few blocks"
    NO_VARIATION = "no variation"
    """The ratio is the same in every block, so that nothing is known about its precision."""
    FAMILY_CORRECTION = "family correction"
    """Taken by itself, the pair would have a verdict."""
    NOISE = "noise"


class Direction(NamedTuple):
    """The words for A if its ratio is below 1, and if it is above 1."""

    below: Outcome
    above: Outcome
    below_words: str
    above_words: str

    def words(self, side: Outcome) -> str:
        """Return the words for a side."""
        return self.below_words if side is self.below else self.above_words


COST = Direction(Outcome.FASTER, Outcome.SLOWER, "faster", "slower")
RATE = Direction(Outcome.SLOWER, Outcome.FASTER, "less", "more")


@dataclass(frozen=True, slots=True)
class Verdict:
    """An outcome, the words to print for it, and the reason, with the figures that decided.

    `of_rates`: the comparison is of rates, so that A is faster if its ratio is above 1.
    """

    outcome: Outcome
    nuance: Nuance
    words: str
    reason: str
    of_rates: bool = False
    blocks_needed: int | None = None
    """How many blocks of the same length would probably decide if the ratio is as measured; None
    with a verdict, or with too few blocks to say."""
    most_blocks_needed: int | None = None
    """How many would probably decide wherever the ratio lies in its 95 % interval."""
    basis: Basis = Basis.NOISE
    further_blocks: int | None = None
    """How many more valid blocks will probably decide: up to the first verdict that is possible, or
    up to `blocks_needed`. None with a verdict, and where the block values do not vary."""

    def __str__(self) -> str:
        return self.words

    @property
    def orders(self) -> bool:
        """Whether it says which of the two is better."""
        return self.outcome in (Outcome.FASTER, Outcome.SLOWER)

    @property
    def is_decided(self) -> bool:
        """Whether it is a verdict; with the repeated t, it is final.

        More blocks can only add to it: that the difference exceeds the margin, or lies inside.
        """
        return self.outcome is not Outcome.CANNOT_TELL

    @property
    def enough_blocks(self) -> str:
        """Say how many blocks would probably decide; "" if that is not known."""
        return "" if self.blocks_needed is None else would_suffice(self.blocks_needed)

    @property
    def why(self) -> str:
        """The reason without the number of blocks that would probably decide."""
        return self.reason.removesuffix(f"; {self.enough_blocks}")

    @property
    def explained(self) -> str:
        """The words, and the reason where the ratio's 95 % interval alone does not show it."""
        return self.words if self.orders else f"{self.words}: {self.reason}"


def decide(
    comparison: Comparison,
    family: FamilyPValues | None = None,
    *,
    p_holm: float | None = None,
    direction: Direction = COST,
) -> Verdict:
    """Decide between the four verdicts on A relative to B.

    Question: what may be said about A and B without overstating? Rule, first match wins: too few
    valid blocks for the method, or values that do not vary: cannot tell. Two one-sided tests
    against the margin below 0.05 each: practically the same (with the reason "measurably but
    negligibly faster" or slower if the family-wise p of equality is below 0.05). Family-wise p of
    equality below 0.05: faster or slower ("clearly" where the family-wise p of a difference within
    the margin is below 0.05 as well). Otherwise: cannot tell, and why (Holm's correction alone, or
    noise), with the number of blocks that would probably suffice (see `blocks_needed`). With the
    repeated t, a verdict after any block is final: its p values only fall. Noise widens intervals
    and moves no margin, so it makes every verdict harder to reach but "cannot tell". `direction` is
    `RATE` where the comparison is of rates, of which the higher one is better. Sources: Schuirmann
    1987 (equivalence); Holm 1979 (family). Assumes that the margin and the family were declared
    before anything was measured. Vectors TV2, and A to D.

    `family` has the p values that `family_p_values` corrects; without it, the comparison is a
    family by itself. `p_holm` alone corrects equality, but not "clearly". Raises ValueError if
    it is not a probability.
    """
    if family is None:
        family = _family_of(comparison, p_holm)
    if not comparison.has_enough_blocks:
        least = comparison.method.least_blocks
        further = least - comparison.blocks
        reason = too_few_blocks(comparison.blocks, least)
        return _cannot_tell(Basis.TOO_FEW_BLOCKS, reason, further_blocks=further)
    if not comparison.has_spread:
        return _cannot_tell(Basis.NO_VARIATION, NO_VARIATION)
    side = _side(comparison, direction)
    differs = side is not None and family.equality < SIGNIFICANCE
    if comparison.p_within_margin < SIGNIFICANCE:
        return _same(comparison, direction.words(side) if side and differs else None)
    if side is not None and differs:
        return _different(comparison, family, side, direction)
    needed = blocks_needed(comparison, SIGNIFICANCE / family.factor)
    suffice = f"; {would_suffice(needed.expected)}" if needed else ""
    return _cannot_tell(
        Basis.NOISE if side is None else Basis.FAMILY_CORRECTION,
        _undecided(comparison, side and direction.words(side), family.equality) + suffice,
        blocks_needed=needed and needed.expected,
        most_blocks_needed=needed and needed.most,
        further_blocks=needed and needed.expected - comparison.blocks,
    )


def _family_of(comparison: Comparison, p_holm: float | None) -> FamilyPValues:
    own = max(comparison.p_value, SMALLEST_P)
    if p_holm is None:
        return FamilyPValues(own, comparison.p_beyond_margin, 1.0)
    if not 0.0 <= p_holm <= 1.0:
        raise ValueError(f"p_holm is {p_holm}; it must lie between 0 and 1")
    return FamilyPValues(p_holm, comparison.p_beyond_margin, max(own, p_holm) / own)


def would_suffice(blocks: int) -> str:
    """Say how many blocks would probably decide, if they are as long as those measured."""
    return f"about {blocks} blocks of this length would probably suffice"


def _side(comparison: Comparison, direction: Direction) -> Outcome | None:
    """Return the side on which A lies by its own p value; None if that is not significant."""
    if comparison.p_value >= SIGNIFICANCE:
        return None
    is_below = comparison.mean.p_below(0.0) < comparison.mean.p_above(0.0)
    return direction.below if is_below else direction.above


def _same(comparison: Comparison, looks: str | None) -> Verdict:
    inside = f"lies inside the margin of ±{percent(comparison.margin_ratio)}"
    reason = f"90 % interval {between(comparison.interval90)} {inside}"
    nuance = Nuance.PLAIN
    if looks is not None:
        nuance = Nuance.NEGLIGIBLY
        reason += f"; {nuance} {looks}"
    return Verdict(Outcome.SAME, nuance, str(Outcome.SAME), reason, basis=Basis.INSIDE_MARGIN)


def _different(
    comparison: Comparison, family: FamilyPValues, side: Outcome, direction: Direction
) -> Verdict:
    is_clear = family.within_margin < SIGNIFICANCE
    nuance = Nuance.CLEARLY if is_clear else Nuance.PLAIN
    basis = Basis.BEYOND_MARGIN if is_clear else Basis.BEYOND_EQUALITY
    return Verdict(
        side,
        nuance,
        f"{nuance} {direction.words(side)}".strip(),
        f"95 % interval {between(comparison.interval95)} {_lies(comparison, basis)};"
        f" Holm {p_value(family.equality)}",
        of_rates=direction is RATE,
        basis=basis,
    )


def _lies(comparison: Comparison, basis: Basis) -> str:
    """Say where the interval lies; with the repeated t, an earlier one may have decided."""
    limit = comparison.margin_ratio if basis is Basis.BEYOND_MARGIN else 0.0
    inner = Interval(1.0 / (1.0 + limit), 1.0 + limit)
    interval = comparison.interval95
    if interval is not None and (interval.high < inner.low or interval.low > inner.high):
        return f"lies {basis}"
    return f"lay {basis} after fewer blocks"


def _undecided(comparison: Comparison, looks: str | None, p_holm: float) -> str:
    """Say why there is no verdict."""
    if looks is not None:
        adjusted = p_value(p_holm)
        return f"looks {looks}, undecided because of Holm's correction (adjusted {adjusted})"
    return (
        f"because of noise the 95 % interval {between(comparison.interval95)} includes equality and"
        " reaches beyond the margin"
    )


def _cannot_tell(
    basis: Basis,
    reason: str,
    *,
    blocks_needed: int | None = None,
    most_blocks_needed: int | None = None,
    further_blocks: int | None = None,
) -> Verdict:
    return Verdict(
        Outcome.CANNOT_TELL,
        Nuance.PLAIN,
        str(Outcome.CANNOT_TELL),
        reason,
        blocks_needed=blocks_needed,
        most_blocks_needed=most_blocks_needed,
        basis=basis,
        further_blocks=further_blocks,
    )


def tie_groups(
    order: Sequence[str], verdicts: Mapping[tuple[str, str], Verdict]
) -> list[list[str]] | None:
    """Split an ordering into groups whose members cannot be distinguished.

    Question: what may be shown instead of ranks? Rule: a contender in `order` (best first) joins
    the preceding group unless the verdict between it and any member is faster or slower. Inside a
    group, no rank may be printed. There are no groups (None) if neighbours have no verdict, or if a
    verdict contradicts `order`. Source: Hoefler and Belli, SC 2015, on ranking; that all pairs of a
    group count, as in complete linkage, is wirelab's rule. No vector.

    `verdicts` has pairs in either orientation; another pair than neighbours that has no verdict
    counts as not distinguished.
    """
    if any(_outcome(*names, verdicts) is None for names in pairwise(order)):
        return None
    if any(_outcome(*names, verdicts) is Outcome.SLOWER for names in combinations(order, 2)):
        return None
    groups: list[list[str]] = []
    for name in order:
        # No verdict contradicts the order, so that "faster" is all that distinguishes.
        if groups and not any(
            _outcome(member, name, verdicts) is Outcome.FASTER for member in groups[-1]
        ):
            groups[-1].append(name)
        else:
            groups.append([name])
    return groups


def _outcome(left: str, right: str, verdicts: Mapping[tuple[str, str], Verdict]) -> Outcome | None:
    """Return the outcome for `left` against `right`."""
    if verdict := verdicts.get((left, right)):
        return verdict.outcome
    verdict = verdicts.get((right, left))
    return None if verdict is None else verdict.outcome.opposite
