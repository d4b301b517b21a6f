"""The two states of a machine, distinguished by the probes before and after a run."""

from collections.abc import Iterable
from typing import Literal

from benches.peers.result import Run

State = Literal["fast", "slow", "mixed"]

FAST_AT_MOST = 1.12
SLOW_AT_LEAST = 1.17
"""Times the fastest probe; between them lies neither state."""


def fastest_us(runs: Iterable[Run]) -> float:
    """Return the fastest probe of a session, by which the states are distinguished."""
    return min(min(run.probe_before_us, run.probe_after_us) for run in runs)


def state_of(run: Run, fastest_probe_us: float) -> State:
    """Tell in which state a run took place; mixed when it may have changed meanwhile."""
    probes = (run.probe_before_us / fastest_probe_us, run.probe_after_us / fastest_probe_us)
    if max(probes) <= FAST_AT_MOST:
        return "fast"
    if min(probes) >= SLOW_AT_LEAST:
        return "slow"
    return "mixed"
