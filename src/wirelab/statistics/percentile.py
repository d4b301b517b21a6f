"""Percentiles of requests: one definition, when they may be shown, and how sure they are.

The definition is that of HdrHistogram: the smallest observed value at or below which the share q
of all requests fell. Everything about certainty follows from the binomial distribution of how
many requests fall below the true quantile, so it needs ranks only and works for histograms too.
These intervals speak of one run; between runs, compare one percentile per run instead.
"""

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import binom

from wirelab.statistics.interval import Interval

REQUESTS_BEYOND = 100
"""So many requests beyond a percentile make it worth printing without reserve."""


class Reporting(StrEnum):
    """How a percentile may appear, given how many requests it rests on."""

    PRINTED = "printed"
    GREY = "few samples"
    OMITTED = "omitted"


class Sides(StrEnum):
    """Which ends of an interval are bounded; the error is spent on these alone."""

    BOTH = "both"
    LOWER = "lower"
    UPPER = "upper"


def percentile(values: ArrayLike, quantile: float) -> float:
    """Return the value at or below which the share `quantile` of all values fell.

    Question: within which time were q of all requests answered? Formula: the smallest observed
    value whose cumulative share reaches q (inverted_cdf; no interpolation). Source: Hyndman and
    Fan, The American Statistician 50 (1996) 361-365, definition 1. No assumption. No vector.

    Raises ValueError without values or for a quantile outside (0, 1).
    """
    array = np.asarray(values, dtype=np.float64)
    _check(array.size, quantile)
    return float(np.quantile(array, quantile, method="inverted_cdf"))


def minimum_requests(quantile: float, sides: Sides = Sides.BOTH) -> int:
    """Return the number of requests below which a 95 % upper bound of the quantile cannot exist.

    Question: from how many requests on can this percentile be bounded at all? Formula: the
    smallest n with q^n <= 0.025 (two-sided) or 0.05 (one-sided). Source: Conover, Practical
    Nonparametric Statistics (1999), section 3.2. Assumes independent requests. No vector; the
    tests hold the table.
    """
    _check(1, quantile)
    error = 0.025 if sides is Sides.BOTH else 0.05
    return math.ceil(math.log(error) / math.log(quantile))


def reporting(quantile: float, requests: int) -> Reporting:
    """Decide whether a percentile of so many requests is printed, grey or omitted.

    Question: may this percentile be shown? Rule: omitted below `minimum_requests`; grey below
    100 requests beyond the percentile; printed from there on. Quantiles below one half are
    judged by their mirror image. Assumes independent requests. No vector; the tests hold the
    table.
    """
    _check(1, quantile)
    outer = max(quantile, 1.0 - quantile)
    if requests < minimum_requests(outer):
        return Reporting.OMITTED
    # Rounded, because 100 / (1 - 0.999) must be 100 000 and not a request more.
    full = math.ceil(round(REQUESTS_BEYOND / (1.0 - outer), 6))
    return Reporting.PRINTED if requests >= full else Reporting.GREY


@dataclass(frozen=True, slots=True)
class QuantileRanks:
    """Ranks, from 1, of the ordered values that bound a quantile, and their true confidence.

    An end that is not bounded (because it was not asked for) is None.
    """

    low: int | None
    high: int | None
    coverage: float


def quantile_ranks(
    count: int, quantile: float, confidence: float = 0.95, sides: Sides = Sides.BOTH
) -> QuantileRanks | None:
    """Find the order statistics between which the true quantile lies.

    Question: which of n ordered values bound the quantile? Formula: with X ~ Binomial(n, q), the
    largest l with P(X <= l - 1) and the smallest u with P(X >= u) not above the error of their
    side. Source: Conover (1999), section 3.2. Assumes independent values; no shape. Vector V6.

    None where no such ranks exist: at 95 % the median of five values has none. Raises ValueError
    for a quantile outside (0, 1) or without values.
    """
    _check(count, quantile)
    error = (1.0 - confidence) / (2.0 if sides is Sides.BOTH else 1.0)
    below = binom(count, quantile)
    low = high = None
    outside = 0.0
    if sides is not Sides.UPPER:
        low = int(below.ppf(error))
        low += int(below.cdf(low) <= error)
        outside += float(below.cdf(low - 1))
    if sides is not Sides.LOWER:
        high = int(below.isf(error)) + 1
        outside += float(below.sf(high - 1))
    if (low is not None and low < 1) or (high is not None and high > count):
        return None
    return QuantileRanks(low, high, 1.0 - outside)


@dataclass(frozen=True, slots=True)
class QuantileInterval:
    """A quantile with its distribution-free interval; None where so few values allow none.

    One-sided intervals are open: their other end is infinite. `coverage` is the true confidence.
    """

    estimate: float
    interval: Interval | None
    coverage: float


def quantile_interval(
    values: ArrayLike, quantile: float, confidence: float = 0.95, sides: Sides = Sides.BOTH
) -> QuantileInterval:
    """Estimate a quantile with an exact interval of order statistics.

    Question: between which values does the true percentile lie? Formula: the values at
    `quantile_ranks`. Source: Conover (1999), section 3.2. Assumes independent values: within one
    run it therefore speaks of that run only. Vector V6.

    Raises ValueError without values or for a quantile outside (0, 1).
    """
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    estimate = percentile(ordered, quantile)
    ranks = quantile_ranks(ordered.size, quantile, confidence, sides)
    if ranks is None:
        return QuantileInterval(estimate, None, 0.0)
    low = -math.inf if ranks.low is None else float(ordered[ranks.low - 1])
    high = math.inf if ranks.high is None else float(ordered[ranks.high - 1])
    return QuantileInterval(estimate, Interval(low, high), ranks.coverage)


def quantile_test(values: ArrayLike, quantile: float, value: float) -> float:
    """Two-sided p value of the hypothesis that the quantile of the population is `value`.

    Question: could the true p99 be this limit? Formula: twice the smaller of P(X <= count at or
    below) and P(X >= count below), X ~ Binomial(n, q). Source: Conover (1999), section 3.2,
    example on page 139. Assumes independent values. Vector V6.

    Raises ValueError without values or for a quantile outside (0, 1).
    """
    array = np.asarray(values, dtype=np.float64)
    _check(array.size, quantile)
    at_or_below = int(np.count_nonzero(array <= value))
    below = int(np.count_nonzero(array < value))
    counts = binom(array.size, quantile)
    return min(1.0, 2.0 * min(float(counts.cdf(at_or_below)), float(counts.sf(below - 1))))


def _check(count: int, quantile: float) -> None:
    if count < 1:
        raise ValueError("a quantile needs at least one value")
    if not 0.0 < quantile < 1.0:
        raise ValueError(f"quantile is {quantile}; it must lie between 0 and 1")
