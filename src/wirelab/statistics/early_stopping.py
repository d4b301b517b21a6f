"""How many requests show that a service keeps its latency limit: the bound of MLPerf.

Not used yet: the search for capacity will judge its probes by it.
"""

from enum import StrEnum

from scipy import special
from scipy.stats import binom


class Probe(StrEnum):
    """What a probe of one rate shows about a latency limit."""

    PASSES = "passes"
    FAILS = "fails"
    UNDECIDED = "undecided"


def requests_for_margin(quantile: float, margin: float, confidence: float = 0.99) -> int:
    """Return the number of requests that measures a share of late requests to ± `margin`.

    Question: how many requests before the p99 itself may be trusted? Formula:
    z² · q(1 - q)/margin², z the two-sided normal quantile, to the nearest whole number. Source:
    MLPerf inference rules, table of query counts. Assumes independent requests. Vector V13.
    """
    z = float(special.ndtri(0.5 + confidence / 2.0))
    return round(z**2 * quantile * (1.0 - quantile) / margin**2)


def requests_for_late(late: int, quantile: float, confidence: float = 0.95) -> int:
    """Return how many requests must have been made for so many late ones to be forgiven.

    Question: with t late requests seen, when may a probe stop as passed? Formula: the smallest n
    with P(Binomial(n, 1 - q) <= t) <= 1 - c. Source: MLPerf inference rules, early stopping.
    Assumes independent requests. Vector V13.

    Raises ValueError for a negative count.
    """
    if late < 0:
        raise ValueError(f"late is {late}; it cannot be negative")
    low, high = late, late + 1
    while not _passes(late, high, quantile, confidence):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if _passes(late, middle, quantile, confidence):
            high = middle
        else:
            low = middle
    return high


def judge_probe(
    late: int, requests: int, quantile: float, *, looks: int = 4, confidence: float = 0.95
) -> Probe:
    """Judge whether the quantile of response times keeps a limit, from the requests beyond it.

    Question: does p99 stay below the limit at this rate? `late` counts every request over the
    limit, failed, dropped or never sent. Formula: with the error e = (1 - c)/looks, passes if
    P(Bin(n, 1 - q) <= t) <= e, fails if P(Bin(n, 1 - q) >= t) <= e, else the probe must go on.
    `looks` is how often at most the same probe is judged, this time included: four looks at the
    whole error each pass a service exactly at its limit in 11 % of cases, not in 5 %. Sources:
    MLPerf inference rules, early stopping; Bonferroni for the looks. Assumes independent requests.
    Vector V13 (one look).

    Raises ValueError for fewer than one look.
    """
    if looks < 1:
        raise ValueError(f"looks is {looks}; a probe is judged at least once")
    confidence = 1.0 - (1.0 - confidence) / looks
    if _passes(late, requests, quantile, confidence):
        return Probe.PASSES
    fails = float(binom.sf(late - 1, requests, 1.0 - quantile)) <= 1.0 - confidence
    return Probe.FAILS if fails else Probe.UNDECIDED


def _passes(late: int, requests: int, quantile: float, confidence: float) -> bool:
    return float(binom.cdf(late, requests, 1.0 - quantile)) <= 1.0 - confidence
