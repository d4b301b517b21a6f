"""Two independent groups of runs, such as bundles of different sessions, or published summaries.

Without common blocks there is nothing to pair: whatever differed between the sessions is part of
the difference. Prefer `comparison.compare` wherever both sides ran in the same blocks.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from wirelab.statistics.estimate import Estimate, mean_estimate
from wirelab.statistics.interval import Interval


@dataclass(frozen=True, slots=True)
class Summary:
    """What a paper prints of a group: mean, standard deviation (of n - 1) and size."""

    mean: float
    standard_deviation: float
    count: int

    @classmethod
    def of(cls, values: ArrayLike) -> "Summary":
        """Summarise values; raises ValueError for fewer than two."""
        array = np.asarray(values, dtype=np.float64)
        if array.size < 2:
            raise ValueError(f"{array.size} values; a standard deviation needs two")
        return cls(float(array.mean()), float(array.std(ddof=1)), array.size)

    @property
    def squared_error(self) -> float:
        """Squared standard error of the mean."""
        return self.standard_deviation**2 / self.count


def difference_of_means(
    first: Summary, second: Summary, *, equal_variances: bool = False
) -> Estimate:
    """Estimate first mean less second mean; Welch's, or Student's for equal variances.

    Question: do two separate groups differ on average, and by how much? Formula: difference of
    means over √(s1²/n1 + s2²/n2), degrees of freedom by Welch and Satterthwaite; with equal
    variances the pooled variance and n1 + n2 - 2. Source: Welch, Biometrika 34 (1947) 28-35.
    Assumes independent values, roughly normal means. Vectors V2 (on logs), V8, V11, V14.
    """
    difference = first.mean - second.mean
    if equal_variances:
        freedom = first.count + second.count - 2.0
        pooled = (
            (first.count - 1) * first.standard_deviation**2
            + (second.count - 1) * second.standard_deviation**2
        ) / freedom
        error = math.sqrt(pooled * (1.0 / first.count + 1.0 / second.count))
        return Estimate(difference, error, freedom)
    variance = first.squared_error + second.squared_error
    if variance == 0.0:
        return Estimate(difference, 0.0, first.count + second.count - 2)
    freedom = variance**2 / (
        first.squared_error**2 / (first.count - 1) + second.squared_error**2 / (second.count - 1)
    )
    return Estimate(difference, math.sqrt(variance), freedom)


@dataclass(frozen=True, slots=True)
class RatioOfMeans:
    """Mean of one group over the mean of another; the interval is None where it is unbounded."""

    ratio: float
    interval: Interval | None


def ratio_of_means(
    numerator: ArrayLike, denominator: ArrayLike, confidence: float = 0.95
) -> RatioOfMeans:
    """Estimate the ratio of two independent means with Fieller's interval.

    Question: how many times the old cost is the new one, when the sessions were separate? Formula:
    with h² = t² s²/n of each group, (uv ± √((uv)² - (v² - hv²)(u² - hu²))) / (v² - hv²) for u/v.
    Source: Fieller, Journal of the Royal Statistical Society B 16 (1954) 175-185; as used by
    Kalibera and Jones, ISMM 2013, for ratios of execution times. Assumes independent values and
    normal means, and a denominator whose own interval excludes zero: otherwise there is no
    interval. Vector V2.

    Raises ValueError where a group has fewer than two values or the denominator's mean is zero.
    """
    over, under = Summary.of(numerator), Summary.of(denominator)
    if under.mean == 0.0:
        raise ValueError("the mean of the denominator is zero; a ratio to it does not exist")
    half_over = mean_estimate(numerator).half_width(confidence) or 0.0
    half_under = mean_estimate(denominator).half_width(confidence) or 0.0
    ratio = over.mean / under.mean
    divisor = under.mean**2 - half_under**2
    if divisor <= 0.0:
        return RatioOfMeans(ratio, None)
    product = over.mean * under.mean
    root = math.sqrt(max(0.0, product**2 - divisor * (over.mean**2 - half_over**2)))
    return RatioOfMeans(ratio, Interval((product - root) / divisor, (product + root) / divisor))
