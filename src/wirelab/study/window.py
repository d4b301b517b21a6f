"""How long a run lasts: the warm-up, the measured window, and the counting of bytes."""

from typing import Annotated, Literal, Self

from pydantic import (
    Field,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    model_validator,
)

from wirelab.study.levels import FileModel, at_least


class WarmUp(FileModel):
    """What is sent before the window and not recorded: all of these must be reached.

    `repetitions` are so many transactions with each of the workload's parameter sets.
    """

    transactions: NonNegativeInt = 0
    repetitions: NonNegativeInt = 0
    seconds: NonNegativeFloat = 0.0

    def transactions_of(self, parameter_sets: int) -> int:
        """Return how many transactions of so many parameter sets must have been sent."""
        return max(self.transactions, self.repetitions * parameter_sets)


class WindowPrecision(FileModel):
    """Ends a window as soon as a figure of its response times is known well enough.

    `half_width`: of the 95 % interval, as a share of the figure itself.
    """

    of: Literal["mean", "p50", "p90", "p95", "p99", "p999"] = "mean"
    half_width: Annotated[float, Field(ge=0.0001, le=0.5)]


class Window(FileModel):
    """What is measured: it ends with whichever of these is reached first.

    With a `precision`, `seconds` is the longest that it may take.

    `repetitions` are so many transactions with each of the workload's parameter sets.
    """

    transactions: PositiveInt | None = None
    transactions_per_client: PositiveInt | None = None
    repetitions: PositiveInt | None = None
    seconds: PositiveFloat | None = None
    precision: WindowPrecision | None = None

    @model_validator(mode="after")
    def _is_bounded(self) -> Self:
        if self.precision is not None and self.seconds is None:
            raise ValueError("seconds: the longest time that the precision may take")
        return self

    @model_validator(mode="after")
    def _ends(self) -> Self:
        if not any(
            (self.transactions, self.transactions_per_client, self.repetitions, self.seconds)
        ):
            raise ValueError(
                "at least one of transactions, transactions_per_client, repetitions and seconds"
            )
        return self

    def transactions_of(self, parameter_sets: int) -> int | None:
        """Return after how many transactions it ends, None where something else ends it."""
        repeated = self.repetitions and self.repetitions * parameter_sets
        counts = [count for count in (self.transactions, repeated) if count is not None]
        return min(counts, default=None)


class Wire(FileModel):
    """The measurement of bytes: so many transactions on a fresh connection, so often.

    Two different numbers of transactions at least: a line through them separates the bytes of
    setting up a connection from those of each request.
    """

    transactions: Annotated[tuple[PositiveInt, ...], at_least(2)]
    repeats: PositiveInt = 1

    @model_validator(mode="after")
    def _differ(self) -> Self:
        if len(set(self.transactions)) < len(self.transactions):
            raise ValueError("numbers of transactions that all differ")
        return self
