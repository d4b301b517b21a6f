"""One estimated number and its uncertainty, by Student's t distribution.

The mean of paired differences, the difference of two independent means and the probability of
superiority all consist of the same three figures: the value, its standard error, its degrees of
freedom. Intervals, tests and equivalence tests follow from these and are implemented once, here.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from wirelab.statistics.interval import Interval


@dataclass(frozen=True, slots=True)
class Estimate:
    """An estimate whose error, in standard errors, follows Student's t.

    A standard error of zero means that the data did not vary: the interval is a point. Degrees of
    freedom below one mean that the error is unknown: there is no interval, and no hypothesis can be
    rejected.
    """

    value: float
    standard_error: float
    degrees_of_freedom: float

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
        return Interval(self.value - half_width, self.value + half_width)

    def t_statistic(self, null: float = 0.0) -> float:
        """Return the distance from the null value in standard errors; infinite if that is zero."""
        distance = self.value - null
        if self.standard_error > 0.0:
            return distance / self.standard_error
        return math.copysign(math.inf, distance) if distance else 0.0

    def p_value(self, null: float = 0.0) -> float:
        """Return the two-sided p value of the hypothesis that the true value is `null`."""
        return 2.0 * self._upper_tail(abs(self.t_statistic(null)))

    def p_equivalence(self, low: float, high: float) -> float:
        """Return the p value of two one-sided tests that the true value lies outside (low, high).

        It is below 0.05 exactly if the 90 % interval lies inside the limits. Schuirmann, Journal of
        Pharmacokinetics and Biopharmaceutics 15 (1987) 657-680. Vector V8.
        """
        above_low = self._upper_tail(self.t_statistic(low))
        below_high = self._upper_tail(-self.t_statistic(high))
        return max(above_low, below_high)

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
    interval = estimate.interval(confidence)
    with np.errstate(over="ignore"):
        ends = interval and Interval(float(np.exp(interval.low)), float(np.exp(interval.high)))
    return Amount(math.exp(estimate.value), ends, valid.size, array.size - valid.size)
