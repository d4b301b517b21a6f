"""How long a run is measured: warm-up, slices or a window, and the count of bytes."""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from wirelab.inputs.file_model import FileModel, Misfit
from wirelab.study.levels import at_least


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


class WindowPrecision(FileModel):
    """`window.precision`: ends a window once a statistic of its response times is precise."""

    of: Literal["mean", "p50", "p90", "p95", "p99", "p999"] = "mean"
    """The statistic: the mean or a percentile (`p999` is the 99.9th)."""
    half_width: Annotated[float, Field(ge=0.0001, le=0.5)]
    """Half the width of its 95 % interval that ends the window, as a share of the statistic (0.05
    is ±5 %), from 0.0001 to 0.5."""


class Window(FileModel):
    """`window`: what is recorded of a run that is measured separately (`separate = true`).

    The window ends when the first of its limits is reached. At least one of `transactions`,
    `transactions_per_client`, `repetitions` and `seconds` is required.
    """

    transactions: PositiveInt | None = None
    """Number of transactions of all clients together. Default: no limit."""
    transactions_per_client: PositiveInt | None = None
    """Number of transactions of each client. Default: no limit."""
    repetitions: PositiveInt | None = None
    """Number of transactions with each of the workload's parameter sets. Default: no limit."""
    seconds: PositiveFloat | None = None
    """Duration in seconds; with `precision`, the longest duration. Default: no limit; required with
    `precision`."""
    precision: WindowPrecision | None = None
    """Ends the window as soon as a statistic is precise. Default: not used."""

    def misfits(self) -> Iterator[Misfit]:
        """Yield whether the window lacks a limit."""
        limits = (self.transactions, self.transactions_per_client, self.repetitions, self.seconds)
        if self.precision is not None and self.seconds is None:
            yield Misfit("seconds", None, "the longest time that the precision may take")
        elif not any(limits):
            known = "at least one of transactions, transactions_per_client, repetitions and seconds"
            yield Misfit("", {}, known)

    def transactions_of(self, parameter_sets: int) -> int | None:
        """Return the number of transactions that ends the window, None without one."""
        repeated = self.repetitions and self.repetitions * parameter_sets
        counts = [count for count in (self.transactions, repeated) if count is not None]
        return min(counts, default=None)


class Wire(FileModel):
    """`wire`: the count of bytes on the wire; left out, bytes are not counted.

    Each number in `transactions` is sent on a fresh connection: always the first transaction of the
    workload, but of a mix all of them, as many times in turn. A line through the results separates
    the bytes that set up a connection from those of each request.
    """

    transactions: Annotated[tuple[PositiveInt, ...], at_least(2)]
    """Numbers of transactions on a connection: two or more, all different, such as `[1, 2, 10]`."""
    repeats: PositiveInt = 1
    """How often each of the numbers is measured."""

    def misfits(self) -> Iterator[Misfit]:
        """Yield whether a number is repeated."""
        if len(set(self.transactions)) < len(self.transactions):
            written = list(self.transactions)
            yield Misfit("transactions", written, "numbers of transactions that all differ")
