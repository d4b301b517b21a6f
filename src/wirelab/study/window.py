"""The window of a run that is measured separately, and the count of bytes on the wire."""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field, PositiveFloat, PositiveInt

from wirelab.inputs.file_model import FileModel, Misfit
from wirelab.study.levels import at_least


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
