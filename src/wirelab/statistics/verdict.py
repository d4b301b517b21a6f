"""The verdict on a comparison: faster, slower, practically the same, or cannot tell."""

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from wirelab.statistics.comparison import MINIMUM_BLOCKS, Comparison, too_few_blocks
from wirelab.statistics.interval import Interval
from wirelab.statistics.repetition import blocks_to_decide, most_blocks_to_decide
from wirelab.terminal.words import between, p_value, percent

SIGNIFICANCE = 0.05
SMALLEST_P = 1e-300
"""What a p value counts as that is too small for a float."""


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
    """The whole 95 % interval lies beyond the margin, not just beyond equality."""
    NEGLIGIBLY = "measurably but negligibly"
    """There is a difference, and it was shown to be smaller than the margin: practically the same.
    The words of the verdict are the same as without a difference; the reason says it."""


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

    def __str__(self) -> str:
        return self.words

    @property
    def orders(self) -> bool:
        """Whether it says which of the two is better."""
        return self.outcome in (Outcome.FASTER, Outcome.SLOWER)

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


def decide(comparison: Comparison, *, p_holm: float, direction: Direction = COST) -> Verdict:
    """Decide between the four verdicts on A relative to B.

    Question: what may be said about A and B without overstating? Rule, first match wins: fewer than
    six valid blocks: cannot tell. 90 % interval inside the margin: practically the same (with the
    reason "measurably but negligibly faster" or slower if the 95 % interval excludes equality). 95
    % interval wholly on one side of equality and the family-wise p below 0.05: faster or slower
    ("clearly" where the interval lies wholly beyond the margin). Otherwise: cannot tell, and why
    (Holm's correction alone, or noise), with the number of blocks that would probably suffice: see
    `blocks_to_decide`, at the significance 0.05 · p / p_holm, since the family stays as large. That
    quotient understates a family whose `p_holm` is 1. Noise widens both intervals and moves neither
    margin, so it makes every verdict harder to reach but "cannot tell". `direction` is `RATE` where
    the comparison is of rates, of which the higher one is better. Sources: Schuirmann 1987
    (equivalence); Holm 1979 (family). Assumes that the margin and the family of `p_holm` (see
    `family.holm`) were declared before anything was measured. Vector TV2.

    Raises ValueError if p_holm is not a probability.
    """
    if not 0.0 <= p_holm <= 1.0:
        raise ValueError(f"p_holm is {p_holm}; it must lie between 0 and 1")
    interval95, interval90 = comparison.interval95, comparison.interval90
    if comparison.blocks < MINIMUM_BLOCKS or interval95 is None or interval90 is None:
        return _cannot_tell(too_few_blocks(comparison.blocks))
    upper = 1.0 + comparison.margin_ratio
    lower = 1.0 / upper
    side = _side(interval95, direction)
    looks = None if side is None else direction.words(side)
    if interval90.lies_within(lower, upper):
        return _same(interval90, looks, comparison.margin_ratio)
    if side is not None and p_holm < SIGNIFICANCE:
        clear = interval95.high < lower or interval95.low > upper
        nuance = Nuance.CLEARLY if clear else Nuance.PLAIN
        words = f"{nuance} {direction.words(side)}".strip()
        beyond = "the margin" if clear else "equality"
        reason = f"95 % interval {between(interval95)} lies beyond {beyond}; Holm {p_value(p_holm)}"
        return Verdict(side, nuance, words, reason, of_rates=direction is RATE)
    reason = _undecided(interval95, looks, p_holm)
    needed, most = _blocks_needed(comparison, interval95, p_holm)
    return _cannot_tell(f"{reason}; {would_suffice(needed)}", needed, most)


def would_suffice(blocks: int) -> str:
    """Say how many blocks would probably decide, if they are as long as those measured."""
    return f"about {blocks} blocks of this length would probably suffice"


def _side(interval: Interval, direction: Direction) -> Outcome | None:
    if interval.high < 1.0:
        return direction.below
    return direction.above if interval.low > 1.0 else None


def _same(interval90: Interval, looks: str | None, margin_ratio: float) -> Verdict:
    inside = f"lies inside the margin of ±{percent(margin_ratio)}"
    reason = f"90 % interval {between(interval90)} {inside}"
    nuance = Nuance.PLAIN
    if looks is not None:
        nuance = Nuance.NEGLIGIBLY
        reason += f"; {nuance} {looks}"
    return Verdict(Outcome.SAME, nuance, str(Outcome.SAME), reason)


def _undecided(interval95: Interval, looks: str | None, p_holm: float) -> str:
    """Say why there is no verdict."""
    if looks is not None:
        adjusted = p_value(p_holm)
        return f"looks {looks}, undecided because of Holm's correction (adjusted {adjusted})"
    return (
        f"because of noise the 95 % interval {between(interval95)} includes equality and"
        " reaches beyond the margin"
    )


def _blocks_needed(comparison: Comparison, interval95: Interval, p_holm: float) -> tuple[int, int]:
    """Return how many blocks would probably decide: if the ratio is as measured, and at most."""
    own_p = max(comparison.p_value, SMALLEST_P)
    significance = SIGNIFICANCE * own_p / max(own_p, p_holm)
    deviation, margin = comparison.standard_deviation or 0.0, comparison.margin_ratio
    mean = math.fsum(comparison.log_ratios) / comparison.blocks
    log_interval = Interval(math.log(interval95.low), math.log(interval95.high))
    needed = blocks_to_decide(deviation, mean, margin, significance)
    most = most_blocks_to_decide(deviation, log_interval, margin, significance)
    least = comparison.blocks + 1
    return max(needed, least), max(needed, most, least)


def _cannot_tell(
    reason: str, blocks_needed: int | None = None, most_blocks_needed: int | None = None
) -> Verdict:
    return Verdict(
        Outcome.CANNOT_TELL,
        Nuance.PLAIN,
        str(Outcome.CANNOT_TELL),
        reason,
        blocks_needed=blocks_needed,
        most_blocks_needed=most_blocks_needed,
    )
