"""The goals of our engine, written down before anything was measured."""

from dataclasses import dataclass
from typing import Literal

from benches.peers.case import CASES
from benches.peers.generators import EARLIER, FLOOR, OURS

Quantity = Literal[
    "schedule error p99, µs",
    "reported p50 − true p50, µs",
    "reported p50 ÷ true p50 − 1",
    "reported p99 ÷ true p99 − 1",
    "peak memory, MB",
]


@dataclass(frozen=True, slots=True)
class RatioGoal:
    """Our CPU time per request, as a multiple of another generator's."""

    case: str
    to: str
    at_most: float
    strictly: bool = False
    """Below the limit, not at it."""

    def __str__(self) -> str:
        """Describe the goal."""
        if self.strictly:
            return f"below {self.at_most:g} × {self.to}"
        return f"at most {self.at_most:g} × {self.to}"


@dataclass(frozen=True, slots=True)
class LimitGoal:
    """A quantity of one generator's runs, the middle one of all rounds, whatever its sign."""

    case: str
    generator: str
    quantity: Quantity
    at_most: float

    def __str__(self) -> str:
        """Describe the goal."""
        return f"{self.generator}: {self.quantity} at most {self.at_most:g}"


Goal = RatioGoal | LimitGoal

AGREEMENT: tuple[Quantity, ...] = ("reported p50 ÷ true p50 − 1", "reported p99 ÷ true p99 − 1")
PRECISE, SPIN = OURS, f"{OURS} spin"


def _below(case: str, *peers: str) -> tuple[RatioGoal, ...]:
    return tuple(RatioGoal(case, peer, 1.0, strictly=True) for peer in peers)


GOALS: tuple[Goal, ...] = (
    RatioGoal("http1-small", FLOOR, 1.05),
    *_below("http1-small", "wrk"),
    RatioGoal("http1-big", FLOOR, 1.05),
    *_below("http1-big", "wrk"),
    *_below("tls-small", "wrk", "h2load", "oha"),
    RatioGoal("http2-1x64", "h2load", 0.75),
    RatioGoal("grpc-1x64", "h2load", 0.5),
    RatioGoal("grpc-1x64", "ghz", 0.05),
    RatioGoal("grpc-64x1", "h2load", 0.7),
    RatioGoal("grpc-64x1", "ghz", 0.25),
    RatioGoal("grpc-big-64x1", "h2load", 0.85),
    RatioGoal("grpc-big-64x1", "ghz", 0.1),
    RatioGoal("websocket-small", FLOOR, 1.07),
    RatioGoal("websocket-small", "k6", 0.25),
    RatioGoal("websocket-big", FLOOR, 1.1),
    RatioGoal("websocket-big", "k6", 0.25),
    *_below("http3-1x64", "oha"),
    *_below("http3-64x1", "oha"),
    LimitGoal("schedule", PRECISE, "schedule error p99, µs", 50),
    LimitGoal("schedule", PRECISE, "reported p50 − true p50, µs", 10),
    LimitGoal("schedule", SPIN, "reported p50 − true p50, µs", 10),
    *(
        LimitGoal("known-delay", generator, quantity, 0.03)
        for generator in (PRECISE, SPIN)
        for quantity in AGREEMENT
    ),
    LimitGoal("memory", OURS, "peak memory, MB", 64),
    *(
        RatioGoal(case.id, EARLIER, 1.01)
        for case in CASES
        if case.rate_per_s is None and case.requests is None
    ),
)
