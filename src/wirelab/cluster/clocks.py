"""How far a machine's clock is ahead of the head's, and how accurately that is known.

A machine returns its time between the request and the arrival of its answer. So each exchange gives
a lower and an upper bound of the difference, and all exchanges together give narrower bounds than
the one with the shortest round trip, whose error is at most half of that round trip.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

EXCHANGES = 16
MOST_EXCHANGES = 64
"""Maximum number of exchanges while the difference is not known accurately enough."""
GOOD_NS = 1_000_000
LARGEST_NS = 5_000_000
"""With a larger error, agents would not start together."""

Clock = Callable[[], int]


@dataclass(frozen=True, slots=True)
class Offset:
    """A clock is ahead of the head's by `least_ns` to `most_ns`."""

    least_ns: int
    most_ns: int

    @property
    def ns(self) -> int:
        """The middle, whose error is at most `bound_ns`."""
        return (self.least_ns + self.most_ns) // 2

    @property
    def bound_ns(self) -> int:
        """The maximum error of the middle."""
        return (self.most_ns - self.least_ns + 1) // 2

    def error_of(self, ns: int) -> int:
        """Return the maximum error of another value."""
        return max(abs(self.least_ns - ns), abs(self.most_ns - ns))


def measure_offset(remote: Clock, local: Clock = time.monotonic_ns) -> Offset:
    """Measure how far a clock is ahead of the head's."""
    least: list[int] = []
    most: list[int] = []
    while len(least) < MOST_EXCHANGES:
        sent = local()
        remote_ns = remote()
        received = local()
        least.append(remote_ns - received)
        most.append(remote_ns - sent)
        if len(least) >= EXCHANGES and min(most) - max(least) <= 2 * GOOD_NS:
            break
    return Offset(max(least), min(most))


def why_unfit(offset: Offset) -> str:
    """Return why agents cannot be started by a clock; "" if they can."""
    if offset.least_ns > offset.most_ns:
        jump_ms = (offset.least_ns - offset.most_ns) / 1e6
        return f"its clock jumped by {jump_ms:.1f} ms or more while it was compared with the head's"
    if offset.bound_ns > LARGEST_NS:
        return (
            f"its clock can be compared with the head's only within {offset.bound_ns / 1e6:.1f} ms,"
            f" and agents must start within {LARGEST_NS / 1e6:.0f} ms of each other: the machine,"
            " or the network between, is too busy"
        )
    return ""


def why_astray(before: Offset, after: Offset) -> str:
    """Return what happened to a clock since agents were started by it; "" if it ran steadily."""
    error_ns = after.error_of(before.ns)
    if error_ns <= LARGEST_NS:
        return ""
    return (
        f"its clock may have been {error_ns / 1e6:.1f} ms away from where it was when the load"
        f" began (limit {LARGEST_NS / 1e6:.0f} ms): it jumped or drifted, or the machine is busy"
    )
