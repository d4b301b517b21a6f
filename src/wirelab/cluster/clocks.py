"""How far a machine's clock is ahead of ours, and how well that is known.

A machine is asked for the time: its answer was given between the question and its arrival here. So
each exchange says between which two values the difference lies, and all of them together say it
more narrowly than the one with the shortest round trip, which bounds the error by half of itself.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

EXCHANGES = 16
MOST_EXCHANGES = 64
"""As long as the difference is not known well enough."""
GOOD_NS = 1_000_000
LARGEST_NS = 5_000_000
"""Agents whose difference is known less well than this would not start together."""

Clock = Callable[[], int]


@dataclass(frozen=True, slots=True)
class Offset:
    """A clock is ahead of ours by something from `least_ns` to `most_ns`."""

    least_ns: int
    most_ns: int

    @property
    def ns(self) -> int:
        """The middle, which is never wrong by more than `bound_ns`."""
        return (self.least_ns + self.most_ns) // 2

    @property
    def bound_ns(self) -> int:
        """How wrong the middle can be."""
        return (self.most_ns - self.least_ns + 1) // 2

    def error_of(self, ns: int) -> int:
        """Return how wrong another value can be."""
        return max(abs(self.least_ns - ns), abs(self.most_ns - ns))


def measure_offset(theirs: Clock, ours: Clock = time.monotonic_ns) -> Offset:
    """Measure how far a clock is ahead of ours."""
    least: list[int] = []
    most: list[int] = []
    while len(least) < MOST_EXCHANGES:
        asked = ours()
        told = theirs()
        heard = ours()
        least.append(told - heard)
        most.append(told - asked)
        if len(least) >= EXCHANGES and min(most) - max(least) <= 2 * GOOD_NS:
            break
    return Offset(max(least), min(most))


def why_unfit(offset: Offset) -> str:
    """Say why agents cannot be started by a clock; "" where they can."""
    if offset.least_ns > offset.most_ns:
        jump_ms = (offset.least_ns - offset.most_ns) / 1e6
        return f"its clock jumped by {jump_ms:.1f} ms or more while it was compared with ours"
    if offset.bound_ns > LARGEST_NS:
        return (
            f"its clock can be compared with ours only to within {offset.bound_ns / 1e6:.1f} ms,"
            f" and agents must start within {LARGEST_NS / 1e6:.0f} ms of each other: the machine,"
            " or the network between, is too busy"
        )
    return ""


def why_astray(before: Offset, after: Offset) -> str:
    """Say what happened to a clock since agents were started by it; "" where it kept its pace."""
    error_ns = after.error_of(before.ns)
    if error_ns <= LARGEST_NS:
        return ""
    return (
        f"its clock may have been {error_ns / 1e6:.1f} ms away from where it was when the load"
        f" began (limit {LARGEST_NS / 1e6:.0f} ms): it jumped or drifted, or the machine is busy"
    )
