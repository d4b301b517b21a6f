"""The parts of a published claim: each says that the mean of a comparison lies between two limits.

Below equality, no higher than the margin, within it, within a factor of the published size, above a
constant: what kinds of claims differ in is the limits alone.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike

from wirelab.statistics.comparison import Comparison
from wirelab.statistics.estimate import Interval
from wirelab.statistics.repetition import blocks_to_show

LEVEL = 0.025
"""The level of every one-sided test of a claim: that of a 95 % interval."""

SIZE_TOLERANCE = 1.25
"""A ratio within this factor of the published ratio counts as the published size."""

MUCH = 2.0
"""An effect is much smaller than another if its logarithm is less than this part of the other's."""


class Side(StrEnum):
    """The side of a limit on which a claim places a value."""

    BELOW = "below"
    ABOVE = "above"


class EffectSize(StrEnum):
    """How a measured effect compares with the published one."""

    AS_PUBLISHED = "as published"
    """Shown to lie within a factor of 1.25."""
    MUCH_SMALLER = "much smaller"
    SMALLER = "smaller"
    LARGER = "larger"
    MUCH_LARGER = "much larger"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a claim: the mean of a comparison lies between `low` and `high`.

    Both limits are on the scale of the mean, logarithms except for slopes, and may be infinite.
    `published` is the published ratio, or its range. `claims_difference`: to be practically the
    same speaks against the part. `claims_size`: another size in the claimed direction does, too.
    """

    comparison: Comparison
    low: float
    high: float
    published: Interval | None = None
    claims_difference: bool = False
    claims_size: bool = False

    @classmethod
    def lower(cls, comparison: Comparison, published: Interval | None = None) -> "Part":
        """Claim that the value of A is below that of B."""
        return cls(comparison, -math.inf, 0.0, published, claims_difference=True)

    @classmethod
    def higher(cls, comparison: Comparison, published: Interval | None = None) -> "Part":
        """Claim that the value of A is above that of B."""
        return cls(comparison, 0.0, math.inf, published, claims_difference=True)

    @classmethod
    def at_most(cls, comparison: Comparison, published: Interval | None = None) -> "Part":
        """Claim that the value of A is not above that of B by more than the margin."""
        return cls(comparison, -math.inf, comparison.log_margin, published)

    @classmethod
    def same(cls, comparison: Comparison, published: Interval | None = None) -> "Part":
        """Claim that A and B are practically the same."""
        return cls(comparison, -comparison.log_margin, comparison.log_margin, published)

    @classmethod
    def within(cls, comparison: Comparison, low: float, high: float) -> "Part":
        """Claim that a mean lies between limits, such as that of ln(value/limit), or of a slope.

        Raises ValueError if the limits are not in order.
        """
        if not low < high:
            raise ValueError(f"limits {low} and {high} are not in order")
        return cls(comparison, low, high)

    @classmethod
    def size(cls, comparison: Comparison, published: Interval) -> "Part":
        """Claim that the value of A is about a published multiple of that of B.

        That is, within a factor of 1.25 of the published ratio, or of its range, and not on the
        other side of equality (by more than the margin, if the published ratio may lie inside it).
        Raises ValueError if the published ratios are not positive and in order.
        """
        if not 0.0 < published.low <= published.high:
            raise ValueError(f"published ratios {published} must be above 0 and in order")
        tolerance, margin = math.log(SIZE_TOLERANCE), comparison.log_margin
        low, high = math.log(published.low), math.log(published.high)
        least, most, side = low - tolerance, high + tolerance, _side(published)
        differs = side != 0 and min(abs(low), abs(high)) >= margin
        nearest = 0.0 if differs else margin
        if side > 0:
            least = max(least, -nearest)
        if side < 0:
            most = min(most, nearest)
        return cls(comparison, least, most, published, claims_difference=differs, claims_size=True)

    @property
    def is_testable(self) -> bool:
        """Whether there are enough blocks, and they vary."""
        return self.comparison.has_enough_blocks and self.comparison.has_spread

    @property
    def p_holds(self) -> float:
        """The p value of the hypothesis that the part does not hold."""
        return self.comparison.mean.p_inside(self.low, self.high) if self.is_testable else 1.0

    @property
    def p_fails(self) -> float:
        """The p value of the hypothesis that the part holds."""
        return self.comparison.mean.p_outside(self.low, self.high) if self.is_testable else 1.0

    @property
    def is_negligible(self) -> bool:
        """Whether a difference is claimed, and was shown to be too small to matter."""
        is_tested = self.claims_difference and self.is_testable
        return is_tested and self.comparison.p_within_margin < LEVEL

    @property
    def has_published_direction(self) -> bool:
        """Whether a difference in the direction of the published ratio was shown."""
        if self.published is None or not self.is_testable:
            return False
        mean, side = self.comparison.mean, _side(self.published)
        return side != 0 and (mean.p_above(0.0) if side > 0 else mean.p_below(0.0)) < LEVEL

    @property
    def effect(self) -> EffectSize | None:
        """How the effect compares with the published one; None without one, or if not testable."""
        if self.published is None or not self.is_testable:
            return None
        return effect_size(self.comparison, self.published)

    def further_blocks(self, *, holds_at: float, fails_at: float) -> int | None:
        """Return how many more valid blocks will probably show that it holds, or does not.

        At the given levels, if mean and spread stay as they are; None if that is not known.
        """
        comparison, mean = self.comparison, self.comparison.mean.value
        if not comparison.has_enough_blocks:
            return comparison.method.least_blocks - comparison.blocks
        distances = [d for d in (mean - self.low, self.high - mean) if math.isfinite(d)]
        if min(distances) > 0.0:
            needed = max(blocks_to_show(comparison, d, holds_at) for d in distances)
        else:
            needed = blocks_to_show(comparison, -min(distances), fails_at / len(distances))
        return max(1, math.ceil(needed) - comparison.blocks) if math.isfinite(needed) else None


@dataclass(frozen=True, slots=True)
class AnyOf(Part):
    """A part that holds if at least one of several does, and fails if all of them do.

    The comparison is that of the alternative with the smallest p value. Holm's method corrects
    `p_holds` for their number; `p_fails` needs no correction (an intersection-union test).
    """

    alternatives: tuple[Part, ...] = ()

    @classmethod
    def of(cls, parts: Sequence[Part]) -> "AnyOf":
        """Claim that at least one of these holds. Raises ValueError without any."""
        best = min(parts, key=lambda part: part.p_holds)
        limits = best.low, best.high
        return cls(best.comparison, *limits, None, best.claims_difference, False, tuple(parts))

    @property
    def best(self) -> Part:
        """The alternative with the smallest p value."""
        return min(self.alternatives, key=lambda part: part.p_holds)

    @property
    def is_testable(self) -> bool:
        """Whether all alternatives can be tested."""
        return all(part.is_testable for part in self.alternatives)

    @property
    def p_holds(self) -> float:
        """The p value of the hypothesis that no alternative holds."""
        return min(1.0, len(self.alternatives) * self.best.p_holds)

    @property
    def p_fails(self) -> float:
        """The p value of the hypothesis that some alternative holds."""
        return max(part.p_fails for part in self.alternatives)

    @property
    def is_negligible(self) -> bool:
        """Whether every alternative was shown to be too small a difference to matter."""
        return all(part.is_negligible for part in self.alternatives)

    def further_blocks(self, *, holds_at: float, fails_at: float) -> int | None:
        """Return how many more valid blocks will probably show that the best alternative holds."""
        return self.best.further_blocks(
            holds_at=holds_at / len(self.alternatives), fails_at=fails_at
        )


def effect_size(comparison: Comparison, published: Interval) -> EffectSize:
    """Compare a measured effect with the published one.

    Question: is it as large? Rule: as published if two one-sided tests at 0.025 show that it lies
    within a factor of 1.25 of the published ratio or range; smaller (nearer to equality, or on the
    other side of it) or larger if one shows that it lies farther away, and much so if its logarithm
    is also shown to be less than half of the published one, or more than twice. Source: Schuirmann
    1987; the factors are wirelab's. Assumes that the same quantity was measured. No vector.
    """
    mean, tolerance = comparison.mean, math.log(SIZE_TOLERANCE)
    low, high = math.log(published.low), math.log(published.high)
    if mean.p_inside(low - tolerance, high + tolerance) < LEVEL:
        return EffectSize.AS_PUBLISHED
    side = _side(published)
    if side == 0:
        is_beyond = mean.p_outside(low - tolerance, high + tolerance) < LEVEL
        return EffectSize.LARGER if is_beyond else EffectSize.UNDECIDED
    near, far = (low, high) if side > 0 else (-high, -low)
    p_less, p_more = (
        (mean.p_below, mean.p_above)
        if side > 0
        else (lambda limit: mean.p_above(-limit), lambda limit: mean.p_below(-limit))
    )
    if p_less(near - tolerance) < LEVEL:
        is_much = p_less(near / MUCH) < LEVEL
        return EffectSize.MUCH_SMALLER if is_much else EffectSize.SMALLER
    if p_more(far + tolerance) < LEVEL:
        is_much = p_more(far * MUCH) < LEVEL
        return EffectSize.MUCH_LARGER if is_much else EffectSize.LARGER
    return EffectSize.UNDECIDED


def log_log_slope(levels: ArrayLike, values: ArrayLike) -> float:
    """Return the least-squares slope of ln(value) on ln(level): the exponent of a power law.

    Question: by which power does the value grow with the level? 0 means stagnation, 1
    proportionality. Formula: covariance over variance of the logarithms. Assumes positive levels
    and values, and at least two different levels. No vector.
    """
    x = np.log(np.asarray(levels, dtype=np.float64))
    y = np.log(np.asarray(values, dtype=np.float64))
    centred = x - x.mean()
    return float(centred @ y) / float(centred @ centred)


def _side(published: Interval) -> int:
    """Return 1 for ratios from 1 up, -1 for those up to 1, 0 for 1 and for a range around it."""
    if published.low >= 1.0 < published.high:
        return 1
    return -1 if published.high <= 1.0 > published.low else 0
