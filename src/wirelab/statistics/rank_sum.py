"""How often one of two independent groups beats the other, by ranks alone."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata

from wirelab.statistics.estimate import Estimate
from wirelab.statistics.interval import Interval


@dataclass(frozen=True, slots=True)
class Superiority:
    """Probability that a random value of the first group is below one of the second.

    Ties count half. `estimate` carries standard error and degrees of freedom; `interval` is the
    95 % interval cut to [0, 1], or None where the groups do not overlap at all (the ranks then
    show no spread) or hold fewer than two values.
    """

    probability: float
    cliffs_delta: float
    estimate: Estimate
    interval: Interval | None


def superiority(first: ArrayLike, second: ArrayLike) -> Superiority:
    """Estimate how likely a random run of the first beats (is below) one of the second.

    Question: if I draw one run of each, how often is the first the cheaper? Formula:
    A = P(first < second) + P(first = second)/2, from mean ranks; Cliff's delta = 2A - 1; standard
    error and degrees of freedom from placements. Sources: Vargha and Delaney, Journal of
    Educational and Behavioral Statistics 25 (2000) 101-132 (A); Brunner and Munzel, Biometrical
    Journal 42 (2000) 17-25 (the error). Assumes independent values in both groups; no
    shape. Vectors V3 and V4.

    Raises ValueError where a group is empty.
    """
    x, y = _two_groups(first, second)
    ranks = rankdata(np.concatenate((x, y)))
    probability = (float(np.mean(ranks[x.size :])) - (y.size + 1) / 2) / x.size
    estimate = Estimate(probability, *_placement_error(x, y, ranks))
    interval = estimate.interval() if estimate.standard_error > 0.0 else None
    if interval is not None:
        interval = Interval(max(interval.low, 0.0), min(interval.high, 1.0))
    return Superiority(probability, 2.0 * probability - 1.0, estimate, interval)


@dataclass(frozen=True, slots=True)
class RankSum:
    """Mann and Whitney's U of the first group and its exact two-sided p value."""

    statistic: float
    p_value: float


def mann_whitney(first: ArrayLike, second: ArrayLike) -> RankSum:
    """Test whether two independent groups of runs differ in location, exactly, ties included.

    Question: could the labels of two separate sessions have been swapped? Formula: U = rank sum of
    the first group less n(n + 1)/2; p = twice the smaller tail of its permutation distribution.
    Source: Mann and Whitney, Annals of Mathematical Statistics 18 (1947) 50-60; exact with ties by
    counting every assignment of the observed mean ranks. Assumes exchangeable values; never for
    blocked data, which it robs of its pairing. Meant for runs (tens), not for requests.
    Vectors V2 and V3.

    Raises ValueError where a group is empty.
    """
    x, y = _two_groups(first, second)
    doubled = np.rint(2 * rankdata(np.concatenate((x, y)))).astype(int)
    observed = int(doubled[: x.size].sum())
    counts = _sums_of_chosen(doubled, x.size)
    total = math.fsum(counts)
    tail = min(math.fsum(counts[: observed + 1]), math.fsum(counts[observed:]))
    return RankSum((observed - x.size * (x.size + 1)) / 2, min(1.0, 2.0 * tail / total))


def _two_groups(
    first: ArrayLike, second: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    x, y = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if x.size == 0 or y.size == 0:
        raise ValueError("both groups need at least one value")
    return x, y


def _placement_error(
    x: NDArray[np.float64], y: NDArray[np.float64], ranks: NDArray[np.float64]
) -> tuple[float, float]:
    """Return standard error and degrees of freedom of the probability of superiority."""
    if x.size < 2 or y.size < 2:
        return math.nan, 0.0
    variance_x = float(np.var(ranks[: x.size] - rankdata(x), ddof=1)) / (x.size * y.size**2)
    variance_y = float(np.var(ranks[x.size :] - rankdata(y), ddof=1)) / (y.size * x.size**2)
    variance = variance_x + variance_y
    if variance == 0.0:
        return 0.0, float(x.size + y.size - 2)
    freedom = variance**2 / (variance_x**2 / (x.size - 1) + variance_y**2 / (y.size - 1))
    return math.sqrt(variance), freedom


def _sums_of_chosen(weights: NDArray[np.int_], chosen: int) -> NDArray[np.float64]:
    """Count, for each sum, the ways to reach it with exactly `chosen` of the weights."""
    ways = np.zeros((chosen + 1, int(weights.sum()) + 1))
    ways[0, 0] = 1.0
    for weight in weights.tolist():
        # From the top down, so that a weight is never chosen twice.
        for size in range(chosen, 0, -1):
            ways[size, weight:] += ways[size - 1, : ways.shape[1] - weight]
    counts: NDArray[np.float64] = ways[chosen]
    return counts
