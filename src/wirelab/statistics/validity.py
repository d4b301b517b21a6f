"""Whether a run may be used at all, and a percentile of it shown, by rules fixed before it ran.

A run is invalid because of how it was measured, never because of its result: no rule looks at the
size of a result, and outliers are kept. Noise (stolen time, a changing clock rate) does not make a
run invalid either: it affects all contenders of a block alike and widens their intervals, and
discarding affected runs would favour the contender that was affected less. Unknown values (None)
break no rule.

The load engine computes percentiles by the definition of HdrHistogram: the smallest observed value
at or below which the share q of all requests lies. Precision within a run says little about the
next run: a contender's slices in a block are pooled, and each block gives one value.
"""

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum

from wirelab.terminal.words import NO_BREAK, percent

CLOCK_CHANGE_LIMIT = 0.05
"""A CPU whose clock rate changed by more than this, (highest - lowest)/highest, is reported."""

REQUESTS_BEYOND = 100
"""The number of requests beyond a percentile from which it is printed without reservation."""


@dataclass(frozen=True, slots=True)
class RunFigures:
    """The input of the rules: counts of one run, its clocks and its machine.

    Times are in microseconds, shares between 0 and 1. `little_closure` is the share of the
    clients' time, each from its first start to its last end, that service and think times account
    for: X · (R + Z)/N without the edges of the window, and without waiting for a connection or a
    stream that the server did not allow. The lag is that of an open load behind its schedule; None
    for closed load. `ceiling_share` is the share of the load generator's maximum throughput on this
    machine. `violations` says how connections broke their protocol when no request was under way.
    """

    transactions: int
    failed: int
    little_closure: float | None = None
    lag_p50_us: float | None = None
    latency_p50_us: float | None = None
    generator_busy_share: float | None = None
    ceiling_share: float | None = None
    violations: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a valid run."""

    error_share: float = 0.001
    little_gap_share: float = 0.03
    lag_us: float = 1000.0
    lag_share_of_p50: float = 0.05
    generator_busy_share: float = 0.85
    ceiling_share: float = 0.80


LIMITS = Limits()


class Rule(StrEnum):
    """What a run must meet."""

    PROTOCOL = "protocol"
    SUCCESS = "success"
    FAILURES = "failures"
    LITTLE = "Little's law"
    SCHEDULE = "schedule"
    CEILING = "ceiling"
    GENERATOR = "generator"


@dataclass(frozen=True, slots=True)
class BrokenRule:
    """A rule that a run breaks, with the value and its limit: shares, µs of lag, or a count."""

    rule: Rule
    value: float
    limit: float
    violations: tuple[str, ...] = ()
    """How connections broke their protocol."""

    def __str__(self) -> str:
        """Say what is wrong, with both."""
        value, limit = self.value, self.limit
        match self.rule:
            case Rule.PROTOCOL:
                return f"the server broke its protocol: {', '.join(self.violations)}"
            case Rule.SUCCESS:
                return "no transaction succeeded"
            case Rule.FAILURES:
                return f"{percent(value)} of transactions failed (limit {percent(limit)})"
            case Rule.LITTLE:
                return (
                    f"Little's law accounts for {100 * value:.1f}{NO_BREAK}% of the clients' time"
                    f" (limit ±{percent(limit, 1)})"
                )
            case Rule.SCHEDULE:
                return (
                    f"half of the transactions started {value:.0f} µs late or more (limit"
                    f" {limit:.0f} µs): the generator, or its connections, could not keep the"
                    " schedule"
                )
            case Rule.CEILING:
                what = (
                    f"the run reached {percent(value)} of the generator's ceiling on this machine"
                )
            case Rule.GENERATOR:
                what = f"the generator used {percent(value)} of its CPUs"
        return f"{what} (limit {percent(limit)})"


def broken_rules(run: RunFigures) -> tuple[BrokenRule, ...]:
    """Return every rule that a run breaks, so that it must not be used; none if it is valid.

    Question: did the measurement work as intended? Rules: some transaction succeeded, no more than
    the allowed share failed, and no message came that answers no request; Little's law closes; the
    typical (median) transaction of an open load started no later than the larger of 1 ms and 5 % of
    the median response time; the generator left some of its CPU time free and stayed below its
    ceiling. A violation of any of these biases a result, however long the measurement. Sources:
    Little, Operations Research 9 (1961) 383-387; the limits are wirelab's. No vector; the tests
    check each limit.
    """
    return tuple(_broken(run))


def _broken(run: RunFigures) -> Iterator[BrokenRule]:
    if run.violations:
        yield BrokenRule(Rule.PROTOCOL, len(run.violations), 0.0, tuple(run.violations))
    if run.transactions <= run.failed:
        yield BrokenRule(Rule.SUCCESS, 0.0, 0.0)
    elif run.failed > LIMITS.error_share * run.transactions:
        yield BrokenRule(Rule.FAILURES, run.failed / run.transactions, LIMITS.error_share)
    closure = run.little_closure
    if closure is not None and abs(closure - 1.0) > LIMITS.little_gap_share:
        yield BrokenRule(Rule.LITTLE, closure, LIMITS.little_gap_share)
    allowed_us = max(LIMITS.lag_us, LIMITS.lag_share_of_p50 * (run.latency_p50_us or 0.0))
    if run.lag_p50_us is not None and run.lag_p50_us > allowed_us:
        yield BrokenRule(Rule.SCHEDULE, run.lag_p50_us, allowed_us)
    if run.ceiling_share is not None and run.ceiling_share >= LIMITS.ceiling_share:
        yield BrokenRule(Rule.CEILING, run.ceiling_share, LIMITS.ceiling_share)
    busy = run.generator_busy_share
    if busy is not None and busy > LIMITS.generator_busy_share:
        yield BrokenRule(Rule.GENERATOR, busy, LIMITS.generator_busy_share)


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
    _check_quantile(quantile)
    return math.ceil(math.log(0.025) / math.log(quantile))


def reporting(quantile: float, requests: int) -> Reporting:
    """Decide whether a percentile of a number of requests is printed, greyed out or omitted.

    Question: may this percentile be shown? Rule: omitted below `minimum_requests`; grey below 100
    requests beyond the percentile; printed from there on. Quantiles below one half are judged by
    their mirror image. Assumes independent requests. No vector; the tests contain the table.
    """
    _check_quantile(quantile)
    outer = max(quantile, 1.0 - quantile)
    if requests < minimum_requests(outer):
        return Reporting.OMITTED
    # Rounded, because 100 / (1 - 0.999) must be exactly 100 000 requests.
    full = math.ceil(round(REQUESTS_BEYOND / (1.0 - outer), 6))
    return Reporting.PRINTED if requests >= full else Reporting.GREY


def _check_quantile(quantile: float) -> None:
    if not 0.0 < quantile < 1.0:
        raise ValueError(f"quantile is {quantile}; it must lie between 0 and 1")
