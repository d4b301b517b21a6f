"""Percentiles of requests: when they may be shown.

The load engine computes them by the definition of HdrHistogram: the smallest observed value at or
below which the share q of all requests lies. Precision within a run says little about the next run:
a contender's slices in a block are pooled, and each block gives one value.
"""

import math
from enum import StrEnum

REQUESTS_BEYOND = 100
"""The number of requests beyond a percentile from which it is printed without reservation."""


class Reporting(StrEnum):
    """How a percentile may appear, given the number of requests that it is based on."""

    PRINTED = "printed"
    GREY = "few samples"
    OMITTED = "omitted"


def minimum_requests(quantile: float) -> int:
    """Return the number of requests below which a 95 % upper bound of the quantile cannot exist.

    Question: from how many requests on can this percentile be bounded at all? Formula: the
    smallest n with q^n <= 0.025. Source: Conover, Practical Nonparametric Statistics (1999),
    section 3.2. Assumes independent requests. No vector; the tests contain the table.
    """
    _check(quantile)
    return math.ceil(math.log(0.025) / math.log(quantile))


def reporting(quantile: float, requests: int) -> Reporting:
    """Decide whether a percentile of a number of requests is printed, greyed out or omitted.

    Question: may this percentile be shown? Rule: omitted below `minimum_requests`; grey below 100
    requests beyond the percentile; printed from there on. Quantiles below one half are judged by
    their mirror image. Assumes independent requests. No vector; the tests contain the table.
    """
    _check(quantile)
    outer = max(quantile, 1.0 - quantile)
    if requests < minimum_requests(outer):
        return Reporting.OMITTED
    # Rounded, because 100 / (1 - 0.999) must be exactly 100 000 requests.
    full = math.ceil(round(REQUESTS_BEYOND / (1.0 - outer), 6))
    return Reporting.PRINTED if requests >= full else Reporting.GREY


def _check(quantile: float) -> None:
    if not 0.0 < quantile < 1.0:
        raise ValueError(f"quantile is {quantile}; it must lie between 0 and 1")
