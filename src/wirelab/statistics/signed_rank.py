"""Exact distribution-free inference on paired differences: signed ranks and sign flips."""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wirelab.statistics.interval import Interval
from wirelab.statistics.pairs import index_pairs
from wirelab.statistics.rank_correlation import doubled_mean_ranks

SIGN_FLIP_MAXIMUM = 16
"""Beyond this many pairs, the 2^n sign patterns cost more than they are worth."""


@dataclass(frozen=True, slots=True)
class SignedRank:
    """Hodges-Lehmann estimate of the centre, its exact interval and Wilcoxon's exact test.

    `coverage` is the true confidence of the interval: ranks are discrete, so it is at least the
    requested one. `interval` is None (and coverage 0) if there are too few pairs.
    """

    estimate: float
    interval: Interval | None
    coverage: float
    statistic: float
    p_value: float


def signed_rank(differences: ArrayLike, confidence: float = 0.95) -> SignedRank:
    """Estimate the centre of symmetric paired differences without assuming a normal shape.

    Question: by how much do pairs differ, whatever the shape of the tails? Formula: the median of
    all Walsh averages (d_i + d_j)/2, i <= j; the interval runs between the Walsh averages selected
    by the exact null distribution of Wilcoxon's W+; the statistic is min(W+, W-).
    Source: Hollander and Wolfe, Nonparametric Statistical Methods (1999), sections 3.1-3.3.
    Assumes independent differences, symmetric about their centre. Zero differences are left out
    of the test (Wilcoxon 1945) and kept in the estimate; ties get mean ranks, and the test remains
    exact conditionally on them. Vector V11.

    Raises ValueError without any difference.
    """
    array = np.asarray(differences, dtype=np.float64)
    if array.size == 0:
        raise ValueError("signed ranks need at least one difference")
    first, second = index_pairs(array.size, 0)
    walsh = np.sort((array[first] + array[second]) / 2)
    interval, coverage = _interval(walsh, array.size, confidence)
    statistic, p_value = _wilcoxon(array[array != 0.0])
    estimate = float(walsh[(walsh.size - 1) // 2] + walsh[walsh.size // 2]) / 2
    return SignedRank(estimate, interval, coverage, statistic, p_value)


def sign_flip(differences: ArrayLike) -> float:
    """Return the two-sided p value from all 2^n ways to flip the signs of the differences.

    Question: how often would random labels give a mean at least this far from zero? Formula: share
    of sign patterns with |sum| >= |observed sum|. Source: Fisher, The Design of Experiments (1935),
    section 21. Assumes only that under the null hypothesis, each sign is equally likely to be plus
    or minus. Vector V11.

    Raises ValueError for more than `SIGN_FLIP_MAXIMUM` differences.
    """
    array = np.asarray(differences, dtype=np.float64)
    if array.size > SIGN_FLIP_MAXIMUM:
        raise ValueError(f"{array.size} differences; exact sign flips end at {SIGN_FLIP_MAXIMUM}")
    # Half of the patterns are those that begin with a plus; the others have the opposite sums.
    sums = array[:1] if array.size else np.zeros(1)
    for value in array[1:]:
        sums = np.concatenate((sums + value, sums - value))
    # Rounding must not exclude patterns that tie with the observed one in exact arithmetic.
    tolerance = 1e-9 * float(np.sum(np.abs(array)))
    return float(np.mean(np.abs(sums) >= abs(float(np.sum(array))) - tolerance))


def _interval(
    walsh: NDArray[np.float64], count: int, confidence: float
) -> tuple[Interval | None, float]:
    cumulative = np.cumsum(_subset_sum_probabilities(tuple(range(1, count + 1))))
    outside = int(np.searchsorted(cumulative, (1.0 - confidence) / 2, side="right"))
    if outside == 0:
        return None, 0.0
    interval = Interval(float(walsh[outside - 1]), float(walsh[walsh.size - outside]))
    return interval, 1.0 - 2.0 * float(cumulative[outside - 1])


def _wilcoxon(differences: NDArray[np.float64]) -> tuple[float, float]:
    if differences.size == 0:
        return 0.0, 1.0
    doubled = doubled_mean_ranks(np.abs(differences))
    positive = int(doubled[differences > 0].sum())
    smaller = min(positive, int(doubled.sum()) - positive)
    probabilities = _subset_sum_probabilities(tuple(sorted(doubled.tolist())))
    p_value = min(1.0, 2.0 * math.fsum(probabilities[: smaller + 1]))
    return smaller / 2, p_value


@lru_cache(maxsize=256)
def _subset_sum_probabilities(weights: tuple[int, ...]) -> NDArray[np.float64]:
    """Return the probability of each sum if every weight is included with probability 1/2."""
    probabilities = np.zeros(sum(weights) + 1)
    probabilities[0] = 1.0
    for weight in weights:
        shifted = np.zeros_like(probabilities)
        shifted[weight:] = probabilities[: probabilities.size - weight]
        probabilities = (probabilities + shifted) / 2
    probabilities.setflags(write=False)
    return probabilities
