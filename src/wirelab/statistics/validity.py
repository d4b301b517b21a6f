"""Whether a run may be used at all, by rules laid down before it ran.

A run is invalidated for how it was measured, never for what was measured: no rule here looks at
the size of a result, and outliers stay. What is not known (None) breaks no rule.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RunFigures:
    """What the rules look at: counts of one window, its clocks and its machine.

    Times are in microseconds, shares between 0 and 1. `little_closure` is the share of the
    clients' time, each from its first start to its last end, that service and think times account
    for: X · (R + Z)/N without the edges of the window, and without waiting for a connection or a
    stream that the server did not allow. `ceiling_share` compares the run with what
    the load generator can do at most on this machine. `frequency_change_share` compares the CPU's
    clock at the end of the window with the start.
    """

    transactions: int
    failed: int
    little_closure: float | None = None
    lag_p99_us: float | None = None
    latency_p50_us: float | None = None
    connections_saturated: bool = False
    generator_busy_share: float | None = None
    ceiling_share: float | None = None
    steal_share: float | None = None
    frequency_change_share: float | None = None


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of the laboratory; a study declares others beforehand or not at all."""

    error_share: float = 0.001
    little_gap_share: float = 0.03
    lag_us: float = 1000.0
    lag_share_of_p50: float = 0.05
    generator_busy_share: float = 0.85
    ceiling_share: float = 0.80
    steal_share: float = 0.01
    frequency_change_share: float = 0.05


def reasons_invalid(run: RunFigures, limits: Limits | None = None) -> tuple[str, ...]:
    """Return every reason for which a run must not be used; none means that it is valid.

    Question: did the measurement do what it says? Rules: some transaction succeeded and no more
    than the allowed share failed; Little's law closes; the 99th percentile of the generator's lag
    stays below the larger of 1 ms and 5 % of the median, unless a connection was saturated; the
    generator kept some of its cores free and stayed below its ceiling; the hypervisor stole nothing
    to speak of; the clock rate held. Sources: Little, Operations Research 9 (1961) 383-387; the
    limits are this laboratory's. No vector; the tests hold each limit.
    """
    rules = limits or Limits()
    reasons = [
        *_outcome_reasons(run, rules),
        *_pacing_reasons(run, rules),
        *_machine_reasons(run, rules),
    ]
    return tuple(reasons)


def _outcome_reasons(run: RunFigures, limits: Limits) -> list[str]:
    if run.transactions <= run.failed:
        return ["no transaction succeeded"]
    if run.failed > limits.error_share * run.transactions:
        share = run.failed / run.transactions
        return [f"{share:.2%} of transactions failed (limit {limits.error_share:.2%})"]
    return []


def _pacing_reasons(run: RunFigures, limits: Limits) -> list[str]:
    reasons = []
    closure = run.little_closure
    if closure is not None and abs(closure - 1.0) > limits.little_gap_share:
        reasons.append(
            f"Little's law accounts for {closure:.1%} of the clients' time"
            f" (limit ±{limits.little_gap_share:.0%})"
        )
    if run.lag_p99_us is not None and not run.connections_saturated:
        allowed_us = max(limits.lag_us, limits.lag_share_of_p50 * (run.latency_p50_us or 0.0))
        if run.lag_p99_us > allowed_us:
            reasons.append(
                f"the generator lagged {run.lag_p99_us:.0f} µs behind its schedule at p99"
                f" (limit {allowed_us:.0f} µs)"
            )
    return reasons


def _machine_reasons(run: RunFigures, limits: Limits) -> list[str]:
    reasons = []
    if run.ceiling_share is not None and run.ceiling_share >= limits.ceiling_share:
        reasons.append(
            f"the run reached {run.ceiling_share:.0%} of the generator's ceiling on this machine"
            f" (limit {limits.ceiling_share:.0%})"
        )
    watched = (
        ("the generator used {:.0%} of its cores", run.generator_busy_share,
         limits.generator_busy_share),
        ("{:.1%} of CPU time was stolen by the host", run.steal_share, limits.steal_share),
        ("the CPU's clock changed by {:.1%}", run.frequency_change_share,
         limits.frequency_change_share),
    )  # fmt: skip
    reasons += [
        f"{text.format(abs(share))} (limit {limit:.0%})"
        for text, share, limit in watched
        if share is not None and abs(share) > limit
    ]
    return reasons
