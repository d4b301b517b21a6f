"""One estimated number and its uncertainty, by Student's t distribution.

The mean of paired differences and the difference of two independent means both consist of the same
three figures: the value, its standard error, its degrees of freedom. Intervals, tests and
equivalence tests follow from these and are implemented once, here. The tests of a mean that grows
by a block at a time are in `repeated_t`.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from wirelab.terminal.words import plural

SIGNIFICANCE = 0.05
"""A hypothesis is rejected if its p value is below this."""


class Interval(NamedTuple):
    """A closed interval. The field or argument that it comes from names its confidence."""

    low: float
    high: float

    def contains(self, value: float) -> bool:
        """Return whether the value lies in the interval, ends included."""
        return self.low <= value <= self.high

    def lies_within(self, low: float, high: float) -> bool:
        """Return whether the whole interval lies strictly between two limits."""
        return low < self.low and self.high < high


def ratio_interval(log_interval: Interval | None) -> Interval | None:
    """Return an interval of a ratio, given that of its logarithm.

    With two blocks, an end can exceed a float's range: it is infinite.
    """
    if log_interval is None:
        return None
    with np.errstate(over="ignore"):
        return Interval(float(np.exp(log_interval.low)), float(np.exp(log_interval.high)))


class LimitTests:
    """Tests of an unknown value against limits, from the two one-sided tests of a subclass."""

    __slots__ = ()

    def p_above(self, limit: float) -> float:
        """Return the one-sided p value of the hypothesis that the true value is at most `limit`."""
        raise NotImplementedError

    def p_below(self, limit: float) -> float:
        """Return the one-sided p value of the hypothesis that it is at least `limit`."""
        raise NotImplementedError

    def p_value(self, null: float = 0.0) -> float:
        """Return the two-sided p value of the hypothesis that the true value is `null`."""
        return self.p_outside(null, null)

    def p_outside(self, low: float, high: float) -> float:
        """Return the p value of the hypothesis that the true value lies in [low, high].

        Twice the smaller of two one-sided p values (Bonferroni); one of them if the other limit is
        infinite.
        """
        one_sided = [
            *([self.p_below(low)] if low > -math.inf else []),
            *([self.p_above(high)] if high < math.inf else []),
        ]
        return min(1.0, len(one_sided) * min(one_sided, default=1.0))

    def p_inside(self, low: float, high: float) -> float:
        """Return the p value of the hypothesis that the true value lies outside (low, high).

        The larger of two one-sided p values; a limit can be infinite. It is below 0.05 exactly if
        the 90 % interval lies inside the limits. Schuirmann, Journal of Pharmacokinetics and
        Biopharmaceutics 15 (1987) 657-680. Vector V8.
        """
        return max(
            self.p_above(low) if low > -math.inf else 0.0,
            self.p_below(high) if high < math.inf else 0.0,
        )


@dataclass(frozen=True, slots=True)
class Estimate(LimitTests):
    """An estimate whose error, in standard errors, follows Student's t.

    A standard error of zero means that the data did not vary: the interval is a point. Degrees of
    freedom below one mean that the error is unknown: there is no interval, and no hypothesis can be
    rejected.
    """

    value: float
    standard_error: float
    degrees_of_freedom: float
    lowest: float = -math.inf
    """The smallest possible value: intervals end there."""

    def half_width(self, confidence: float = 0.95) -> float | None:
        """Return half the width of the two-sided interval; None if there is no interval."""
        if not self.degrees_of_freedom >= 1.0:
            return None
        quantile = float(special.stdtrit(self.degrees_of_freedom, 0.5 + confidence / 2))
        return quantile * self.standard_error

    def interval(self, confidence: float = 0.95) -> Interval | None:
        """Return the two-sided confidence interval; None if there is none."""
        half_width = self.half_width(confidence)
        if half_width is None:
            return None
        return Interval(max(self.lowest, self.value - half_width), self.value + half_width)

    def t_statistic(self, null: float = 0.0) -> float:
        """Return the distance from the null value in standard errors; infinite if that is zero."""
        distance = self.value - null
        if self.standard_error > 0.0:
            return distance / self.standard_error
        return math.copysign(math.inf, distance) if distance else 0.0

    def p_above(self, limit: float) -> float:
        """Return the one-sided p value of the hypothesis that the true value is at most `limit`."""
        return self._upper_tail(self.t_statistic(limit))

    def p_below(self, limit: float) -> float:
        """Return the one-sided p value of the hypothesis that it is at least `limit`."""
        return self._upper_tail(-self.t_statistic(limit))

    def _upper_tail(self, t_statistic: float) -> float:
        if not self.degrees_of_freedom >= 1.0:
            return 0.5 if t_statistic >= 0.0 else 1.0
        return float(special.stdtr(self.degrees_of_freedom, -t_statistic))


def mean_estimate(values: ArrayLike) -> Estimate:
    """Estimate the mean of independent values, such as the differences of paired runs.

    Question: what is the mean, and is it zero? Formula: mean ± t · s/√n with n - 1 degrees of
    freedom. Source: Student, Biometrika 6 (1908) 1-25. Assumes values that are independent of each
    other, and either roughly normal or many; log-ratios of block-paired runs are close enough
    (docs/methods.md gives the simulated coverage). Vector V11.
    """
    array = np.asarray(values, dtype=np.float64)
    count = array.size
    if count == 0:
        return Estimate(math.nan, math.nan, -1.0)
    mean = float(np.mean(array))
    # Equal values must have a spread of exactly zero; rounding in the mean would leave a trace.
    if count == 1 or np.all(array == array[0]):
        return Estimate(float(array[0]), 0.0, count - 1.0)
    return Estimate(mean, float(np.std(array, ddof=1)) / math.sqrt(count), count - 1.0)


@dataclass(frozen=True, slots=True)
class Amount:
    """A positive quantity over blocks: the geometric mean, and its interval.

    `value` is NaN without any block; `interval` is None below two blocks.
    """

    value: float
    interval: Interval | None
    blocks: int
    dropped_blocks: int


def geometric_mean(values: ArrayLike, confidence: float = 0.95) -> Amount:
    """Estimate a positive quantity (a time, bytes, CPU time) from its values by block.

    Question: how large is it, and how certain is that? Formula: exp(mean ln v), interval exp(mean
    ln v ± t · s/√n). Value and interval belong to one estimand, the geometric mean over blocks, and
    the ratio of two values is close to the one that `compare` estimates. It is not an interval for
    the arithmetic mean: with ten values and an sd of 0.8 on the log scale, it covers that in 80 %
    of cases, not in 95 %. Source: Hoefler and Belli, SC 2015; Student 1908. Assumes independent
    blocks, roughly normal on the log scale. No vector; the tests simulate the coverage.

    Pass exp(`block_value` of the ln(time) of the slices), or one value per separate run. Missing
    values (NaN) are dropped and counted. Raises ValueError for a value that is not above 0: use
    `mean_estimate` for quantities that can be zero, since they have no geometric mean.
    """
    array = np.asarray(values, dtype=np.float64)
    valid = array[np.isfinite(array)]
    if np.any(valid <= 0.0):
        raise ValueError(f"{float(valid.min())} has no logarithm; values must be above 0")
    estimate = mean_estimate(np.log(valid))
    interval = ratio_interval(estimate.interval(confidence))
    return Amount(math.exp(estimate.value), interval, valid.size, array.size - valid.size)


@dataclass(frozen=True, slots=True)
class Summary:
    """The summary of a group, published or not: mean, standard deviation (of n - 1) and size."""

    mean: float
    standard_deviation: float
    count: int

    @classmethod
    def from_values(cls, values: ArrayLike) -> "Summary":
        """Summarise values; raises ValueError for fewer than two."""
        array = np.asarray(values, dtype=np.float64)
        if array.size < 2:
            raise ValueError(f"{plural(array.size, 'value')}; a standard deviation needs two")
        return cls(float(array.mean()), float(array.std(ddof=1)), array.size)

    @property
    def squared_error(self) -> float:
        """Squared standard error of the mean."""
        return self.standard_deviation**2 / self.count


def difference_of_means(first: Summary, second: Summary) -> Estimate:
    """Estimate the mean of one group minus that of another that shares no blocks with it.

    Question: do two separate groups, such as bundles of different sessions, differ on average, and
    by how much? Formula: difference of means over √(s1²/n1 + s2²/n2), degrees of freedom by Welch
    and Satterthwaite; on logarithms, the log of the ratio of two costs. Source: Welch, Biometrika
    34 (1947) 28-35. Assumes independent values, roughly normal means; any change between the
    sessions is part of the difference. Vectors V2 (on logs), V8, V11, V14.
    """
    difference = first.mean - second.mean
    variance = first.squared_error + second.squared_error
    if variance == 0.0:
        return Estimate(difference, 0.0, first.count + second.count - 2)
    freedom = variance**2 / (
        first.squared_error**2 / (first.count - 1) + second.squared_error**2 / (second.count - 1)
    )
    return Estimate(difference, math.sqrt(variance), freedom)
