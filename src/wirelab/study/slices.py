"""How long contenders that take turns are measured: warm-up and slices."""

from typing import Annotated

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from wirelab.inputs.file_model import FileModel


class WarmUp(FileModel):
    """`warm_up`: load before the measurement, which is not recorded.

    It lasts until `transactions`, `repetitions` and `seconds` have all been reached. Contenders
    that take turns then rehearse: they have slices that do not count, until the response times of
    each are steady.
    """

    transactions: NonNegativeInt = 0
    """Least number of transactions for each contender."""
    repetitions: NonNegativeInt = 0
    """Least number of transactions with each of the workload's parameter sets."""
    seconds: NonNegativeFloat = 0.0
    """Least duration for each contender in seconds."""
    longest_seconds: NonNegativeFloat = 0.0
    """Longest rehearsal in seconds for each contender. Default 0: no rehearsal. Set it for servers
    that compile while they run. No effect with `separate = true`."""

    def transactions_of(self, parameter_sets: int) -> int:
        """Return the number of transactions that a warm-up must reach."""
        return max(self.transactions, self.repetitions * parameter_sets)


class Slices(FileModel):
    """`slices`: how contenders take turns. Each has one slice in every permutation.

    The order within a permutation is random. All slices of a block last equally long:
    `milliseconds`, or, if that is longer, as long as the slowest contender needs for
    `transactions`. If that exceeds `longest_ms`, slices end after a number of transactions instead
    of a time. In a closed load, that number is at least the number of clients.
    """

    permutations: Annotated[int, Field(ge=1, le=10_000)] = 30
    """Number of slices of each contender in a block, from 1 to 10,000. About 30 are enough; beyond
    that, more blocks help more."""
    milliseconds: PositiveFloat = 50.0
    """Least duration of a slice in ms."""
    transactions: PositiveInt = 20
    """Number of transactions that the slowest contender completes in a slice, unless `longest_ms`
    prevents it. In a closed load at least one of each client."""
    longest_ms: PositiveFloat = 1000.0
    """Longest slice in ms. Raise it for transactions that take long, for example over a slow
    network."""
    by_count: bool = False
    """True ends slices after a number of transactions, whatever their duration. Use it for
    workloads whose requests differ much: every contender then answers the same requests in a
    permutation."""
    repetitions: PositiveInt | None = None
    """Fixes a slice at this number of transactions with each of the workload's parameter sets; the
    other lengths then have no effect. Default: not fixed."""
