"""Where a series of estimates changes its level."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

NORMAL_MAD = 0.6745
"""The median of the absolute value of a standard normal variable."""


LEAST_SIZE = 10
"""The penalty is that of at least so many values: of two, noise would make levels. With fewer, φ is
1: their differences do not show what is usual."""


@dataclass(frozen=True, slots=True)
class Level:
    """Neighbouring values that share a level: from `first` up to, not including, `end`."""

    first: int
    end: int
    mean: float
    standard_error: float


def levels(values: ArrayLike, variances: ArrayLike) -> list[Level]:
    """Split a series of estimates with known variances into levels.

    Question: between which neighbours did the true value change? Formula: of all divisions, the one
    that minimises the sum over levels of Σ (y - ȳ)²/v, with ȳ weighted by 1/v, plus 3 ln n for each
    change, with n at least 10. v is the variance of the estimate times φ = max(1, (med
    |z|/0.6745)²), from ten values on, with z the standardised differences of neighbours, so that
    variation beyond what blocks show is not taken for changes. Sources: Jackson et al., IEEE Signal
    Processing Letters 12 (2005) 105-108 (the exact search, which PELT of Killick, Fearnhead and
    Eckley, JASA 107 (2012) 1590-1598, makes faster); Zhang and Siegmund, Biometrics 63 (2007) 22-32
    (the penalty).
    Assumes independent, roughly normal estimates, and few changes. No vector; the tests simulate.

    Raises ValueError if there is no value, or a variance is not positive.
    """
    y, v = np.asarray(values, dtype=np.float64), np.asarray(variances, dtype=np.float64)
    if not y.size or y.shape != v.shape or not np.all(v > 0.0):
        raise ValueError("levels need at least one value, each with a positive variance")
    v = v * _overdispersion(y, v)
    weight, first, second = (_summed(each) for each in (1 / v, y / v, y * y / v))
    penalty = 3.0 * math.log(max(y.size, LEAST_SIZE))
    best, before = np.zeros(y.size + 1), np.zeros(y.size + 1, dtype=int)
    best[0] = -penalty
    for end in range(1, y.size + 1):
        inside = slice(None, end)
        w, s = weight[end] - weight[inside], first[end] - first[inside]
        costs = best[inside] + (second[end] - second[inside] - s * s / w) + penalty
        before[end] = int(np.argmin(costs))
        best[end] = costs[before[end]]
    ends = [y.size]
    while before[ends[-1]] > 0:
        ends.append(int(before[ends[-1]]))
    starts = [0, *ends[:0:-1]]
    return [
        _level(start, end, weight, first) for start, end in zip(starts, ends[::-1], strict=True)
    ]


def _overdispersion(y: NDArray[np.float64], v: NDArray[np.float64]) -> float:
    """Return how much more neighbours differ than their variances explain; changes are outliers."""
    if y.size < LEAST_SIZE:
        return 1.0  # most of the few differences may be changes
    z = np.diff(y) / np.sqrt(v[1:] + v[:-1])
    return max(1.0, float(np.median(np.abs(z)) / NORMAL_MAD) ** 2)


def _summed(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.concatenate(([0.0], np.cumsum(values)))


def _level(first: int, end: int, weights: NDArray[np.float64], sums: NDArray[np.float64]) -> Level:
    weight = float(weights[end] - weights[first])
    return Level(first, end, float(sums[end] - sums[first]) / weight, 1 / math.sqrt(weight))
