"""How a time budget is divided: number of operations, turns per block, slice duration."""

from dataclasses import dataclass

from wirelab.analysis.answers.sufficient_budget import EXPECTED_BLOCKS, MOST_PERMUTATIONS
from wirelab.planning.duration import AROUND_SECONDS, around_slice_seconds
from wirelab.study.design import FIRST_VERDICT
from wirelab.terminal import words

LEAST_PERMUTATIONS = 6
LAID_OUT = 0.8
"""The share of a budget that the fewest blocks of all operations may take."""
WARM_UP_TRANSACTIONS = 20
"""The least number that each contender answers before the turns of a block, ..."""
WARM_UP_S, LEAST_WARM_UP = 0.5, 3
"""... unless they take this long; but at least so many."""
START_S = 1.5
"""Typical time that all contenders of a block take to start if some have commands."""
LONGEST_SLICE_S = 1.0
"""Unless a single transaction takes longer; that of the studies that comparisons write."""


@dataclass(frozen=True, slots=True)
class Spending:
    """The division of a budget: the number of operations (the first ones), turns, slices."""

    operations: int
    permutations: int
    transactions: int
    """The minimum for the slowest contender in a slice."""
    seconds: float
    all_s: float = 0.0
    """The budget for all operations."""
    warm_up: int = WARM_UP_TRANSACTIONS
    """The minimum that each contender answers before its turns."""
    minimum_s: float = 0.0
    """About how long the fewest blocks and turns of one operation take, in seconds."""

    def why_exceeded(self) -> str:
        """Return why measuring takes longer than the budget; "" if it does not."""
        if self.seconds >= self.minimum_s:
            return ""
        return (
            f"the budget of {self.seconds:g} s will be exceeded: a verdict needs at least"
            f" {FIRST_VERDICT} blocks, each with at least {LEAST_PERMUTATIONS} turns of each"
            f" contender, which take about {self.minimum_s:.0f} s"
        )

    def why_left_out(self, operations: int) -> str:
        """Return why some of the operations are left out, and the budget for all of them."""
        enough = words.budget(self.all_s)
        return f"budget too short; --budget {enough} measures all {operations} operations"


def spend(
    seconds: float,
    operations: int,
    contenders: int,
    *,
    request_s: float,
    start_s: float,
    rehearsal_s: float = 0.0,
    interval_s: float | None = None,
) -> Spending:
    """Divide a budget among operations; those that do not fit are left out.

    `contenders` includes the twin. `request_s` is the approximate duration of a request, `start_s`
    that of starting all contenders of a block, `rehearsal_s` that of each one's rehearsal.
    `interval_s` is the time from one request to the next; None is that of a client that sends its
    next one at once.
    """
    transactions = 20 if request_s < 0.01 else 5
    interval_s = request_s if interval_s is None else interval_s
    slice_s = max(interval_s, min(LONGEST_SLICE_S, max(0.05, transactions * interval_s)))
    slice_s += around_slice_seconds(slice_s, interval_s)
    warm_up = min(WARM_UP_TRANSACTIONS, max(LEAST_WARM_UP, int(WARM_UP_S / interval_s)))
    warm_up_s = max(0.1, 1.5 * warm_up * interval_s)  # then half as many again
    around_s = start_s + contenders * (AROUND_SECONDS + warm_up_s + rehearsal_s)
    minimum_s = FIRST_VERDICT * (around_s + LEAST_PERMUTATIONS * contenders * slice_s)
    all_s = operations * minimum_s / LAID_OUT
    count = min(operations, max(1, int(LAID_OUT * seconds / minimum_s)))
    block_s = seconds / (EXPECTED_BLOCKS * count)
    permutations = int((block_s - around_s) / (contenders * slice_s))
    chosen = min(MOST_PERMUTATIONS, max(LEAST_PERMUTATIONS, permutations))
    return Spending(count, chosen, transactions, seconds, all_s, warm_up, minimum_s)
