"""Whether a run may be used at all, by rules fixed before it ran.

A run is invalid because of how it was measured, never because of its result: no rule looks at the
size of a result, and outliers are kept. Noise (stolen time, a changing clock rate) does not make a
run invalid either: it affects all contenders of a block alike and widens their intervals, and
discarding affected runs would favour the contender that was affected less. Unknown values (None)
break no rule.
"""

from collections.abc import Collection
from dataclasses import dataclass

from wirelab.words import NO_BREAK, percent

CLOCK_CHANGE_LIMIT = 0.05
"""A CPU whose clock rate changed by more than this, (highest - lowest)/highest, is reported."""


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


def reasons_invalid(run: RunFigures) -> tuple[str, ...]:
    """Return every reason why a run must not be used; none means that it is valid.

    Question: did the measurement work as intended? Rules: some transaction succeeded, no more than
    the allowed share failed, and no message came that answers no request; Little's law closes; the
    typical (median) transaction of an open load started no later than the larger of 1 ms and 5 % of
    the median response time; the generator left some of its CPU time free and stayed below its
    ceiling. A violation of any of these biases a result, however long the measurement. Sources:
    Little, Operations Research 9 (1961) 383-387; the limits are wirelab's. No vector; the tests
    check each limit.
    """
    return (
        *_outcome_reasons(run),
        *_pacing_reasons(run),
        *_generator_reasons(run),
    )


def _outcome_reasons(run: RunFigures) -> list[str]:
    reasons = []
    if run.violations:
        reasons.append(f"the server broke its protocol: {', '.join(run.violations)}")
    if run.transactions <= run.failed:
        reasons.append("no transaction succeeded")
    elif run.failed > LIMITS.error_share * run.transactions:
        share = percent(run.failed / run.transactions)
        reasons.append(f"{share} of transactions failed (limit {percent(LIMITS.error_share)})")
    return reasons


def _pacing_reasons(run: RunFigures) -> list[str]:
    reasons = []
    closure = run.little_closure
    if closure is not None and abs(closure - 1.0) > LIMITS.little_gap_share:
        reasons.append(
            f"Little's law accounts for {100 * closure:.1f}{NO_BREAK}% of the clients' time"
            f" (limit ±{percent(LIMITS.little_gap_share, 1)})"
        )
    allowed_us = _allowed_lag_us(run)
    if run.lag_p50_us is not None and run.lag_p50_us > allowed_us:
        reasons.append(
            f"half of the transactions started {run.lag_p50_us:.0f} µs late or more (limit"
            f" {allowed_us:.0f} µs): the generator, or its connections, could not keep the schedule"
        )
    return reasons


def _allowed_lag_us(run: RunFigures) -> float:
    return max(LIMITS.lag_us, LIMITS.lag_share_of_p50 * (run.latency_p50_us or 0.0))


def _generator_reasons(run: RunFigures) -> list[str]:
    reasons = []
    if run.ceiling_share is not None and run.ceiling_share >= LIMITS.ceiling_share:
        reasons.append(
            f"the run reached {percent(run.ceiling_share)} of the generator's ceiling on this"
            f" machine (limit {percent(LIMITS.ceiling_share)})"
        )
    busy = run.generator_busy_share
    if busy is not None and busy > LIMITS.generator_busy_share:
        reasons.append(
            f"the generator used {percent(busy)} of its CPUs"
            f" (limit {percent(LIMITS.generator_busy_share)})"
        )
    return reasons
