"""One estimated number and how far it may be trusted, by Student's t distribution.

The mean of paired differences, the difference of two independent means and the probability of
superiority all end as the same three figures: the value, its standard error, its degrees of
freedom. Intervals, tests and equivalence tests follow from these and are written once, here.
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

    A standard error of zero means that the data never varied: the interval is a point. Degrees
    of freedom below one mean that nothing is known of the error: there is no interval, and no
    hypothesis can be rejected.
    """

    value: float
    standard_error: float
    degrees_of_freedom: float

    def half_width(self, confidence: float = 0.95) -> float | None:
        """Half the width of the two-sided interval; None where no interval exists."""
        if not self.degrees_of_freedom >= 1.0:
            return None
        quantile = float(special.stdtrit(self.degrees_of_freedom, 0.5 + confidence / 2))
        return quantile * self.standard_error

    def interval(self, confidence: float = 0.95) -> Interval | None:
        """Two-sided confidence interval; None where none exists."""
        half_width = self.half_width(confidence)
        if half_width is None:
            return None
        return Interval(self.value - half_width, self.value + half_width)

    def t_statistic(self, null: float = 0.0) -> float:
        """Distance from the null value in standard errors; infinite where the error is zero."""
        distance = self.value - null
        if self.standard_error > 0.0:
            return distance / self.standard_error
        return math.copysign(math.inf, distance) if distance else 0.0

    def p_value(self, null: float = 0.0) -> float:
        """Two-sided p value of the hypothesis that the true value is `null`."""
        return 2.0 * self._upper_tail(abs(self.t_statistic(null)))

    def p_equivalence(self, low: float, high: float) -> float:
        """P value of two one-sided tests that the true value lies outside (low, high).

        Below 0.05 exactly when the 90 % interval lies inside the limits. Schuirmann, Journal of
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
    freedom. Source: Student, Biometrika 6 (1908) 1-25. Assumes values independent of each other
    and roughly normal, or many; log-ratios of block-paired runs are close enough (docs/methods.md
    gives the simulated coverage). Vector V11.
    """
    array = np.asarray(values, dtype=np.float64)
    count = array.size
    if count == 0:
        return Estimate(math.nan, math.nan, -1.0)
    mean = float(np.mean(array))
    # Equal values must give exactly no spread: rounding in the mean would leave a trace of one.
    if count == 1 or np.all(array == array[0]):
        return Estimate(float(array[0]), 0.0, count - 1.0)
    return Estimate(mean, float(np.std(array, ddof=1)) / math.sqrt(count), count - 1.0)


@dataclass(frozen=True, slots=True)
class Amount:
    """A positive quantity over blocks, and its interval; both speak of the geometric mean.

    `value` is NaN without any block; `interval` is None below two.
    """

    value: float
    interval: Interval | None
    blocks: int
    dropped_blocks: int


def geometric_mean(values: ArrayLike, confidence: float = 0.95) -> Amount:
    """Estimate a positive quantity (a time, bytes, CPU time) from its values by block.

    Question: how large is it, and how sure is that? Formula: exp(mean ln v), interval exp(mean ln v
    ± t · s/√n). Value and interval belong to one estimand, the geometric mean over blocks, and the
    ratio of two values is close to the one that `compare` estimates. This is no interval for the
    arithmetic mean: of ten values with an sd of 0.8 on the log scale it covers that in 80 % of
    cases, not in 95 %. Source: Hoefler and Belli, SC 2015; Student 1908. Assumes independent
    blocks, roughly normal on the log scale. No vector; the tests simulate the coverage.

    Hand over exp(`block_value` of the ln(time) of the slices), or one value per separate run.
    Missing values (NaN) are dropped and counted. Raises ValueError for one that is not above 0:
    what can be zero has no geometric mean; use `mean_estimate` for it.
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
