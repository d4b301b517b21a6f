"""How a time is spent: so many operations, so many turns a block, of so many milliseconds."""

import re
from dataclasses import dataclass

from wirelab import words
from wirelab.statistics import MINIMUM_BLOCKS

UNITS_S = {"s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
_TIME = re.compile(r"(\d+(?:\.\d+)?)\s*(s|min|m|h)")
LEAST_PERMUTATIONS, MOST_PERMUTATIONS = 6, 40
AROUND_SLICE_S = 0.015
LAID_OUT = 0.8
"""The part of the time that is laid out beforehand; the rest goes where intervals are wide."""


@dataclass(frozen=True, slots=True)
class Spending:
    """How long is measured: operations (the first of those that are offered), turns, slices."""

    operations: int
    permutations: int
    transactions: int
    """Of the slowest contender in a slice, at least."""
    seconds: float
    all_s: float = 0.0
    """The time that suffices for all operations."""

    def why_left_out(self, operations: int) -> str:
        """Say why some of so many operations are left out, and what measures all of them."""
        return f"no time; --budget {words.budget(self.all_s)} measures all {operations} operations"


def read_seconds(written: str) -> float:
    """Read a time such as 90s, 2m or 1.5min; `ValueError` says what would be right."""
    found = _TIME.fullmatch(written.strip())
    if not found or not float(found[1]):
        raise ValueError("a time such as 90s or 2m")
    return float(found[1]) * UNITS_S[found[2]]


def spend(
    seconds: float, operations: int, contenders: int, *, request_s: float, start_s: float
) -> Spending:
    """Lay out a time over operations; those that it does not suffice for are left out.

    `contenders` counts the twin, too. `request_s` is about how long a request takes, `start_s` how
    long all contenders of a block take to start.
    """
    transactions = 20 if request_s < 0.01 else 5
    slice_s = min(1.0, max(0.05, transactions * request_s)) + AROUND_SLICE_S
    around_s = 0.5 + start_s + 0.25 * contenders
    least_s = MINIMUM_BLOCKS * (around_s + LEAST_PERMUTATIONS * contenders * slice_s) / LAID_OUT
    all_s = operations * least_s
    for count in range(operations, 0, -1):
        block_s = LAID_OUT * seconds / (MINIMUM_BLOCKS * count)
        permutations = int((block_s - around_s) / (contenders * slice_s))
        if permutations >= LEAST_PERMUTATIONS or count == 1:
            chosen = min(MOST_PERMUTATIONS, max(LEAST_PERMUTATIONS, permutations))
            return Spending(count, chosen, transactions, seconds, all_s)
    raise ValueError("no operation to spend time on")
