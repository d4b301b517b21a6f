"""How long is measured: the warm-up, slices or a window, and the counting of bytes."""

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
    """What a contender is sent before it is measured, and not recorded: all must be reached.

    `repetitions` is the number of transactions with each of the workload's parameter sets.
    Contenders that take turns then go on with slices that do not count until the times of each are
    steady, for at most `longest_seconds` each.
    """

    transactions: NonNegativeInt = 0
    repetitions: NonNegativeInt = 0
    seconds: NonNegativeFloat = 0.0
    longest_seconds: NonNegativeFloat = 0.0

    def transactions_of(self, parameter_sets: int) -> int:
        """Return how many transactions of so many parameter sets must have been sent."""
        return max(self.transactions, self.repetitions * parameter_sets)


class Slices(FileModel):
    """How contenders take turns: one slice each in every permutation, in random order.

    All slices of a block last equally long: `milliseconds`, or as long as the slowest contender
    needs for so many `transactions`, but at most `longest_ms`. Where that is too short for them
    slices end by count instead; `by_count` asks for that, for workloads whose requests are unlike
    one another, so that every contender answers the same ones in a permutation. `repetitions` fixes
    the count: that number of transactions with each of the workload's parameter sets.
    """

    permutations: Annotated[int, Field(ge=1, le=10_000)] = 30
    milliseconds: PositiveFloat = 50.0
    transactions: PositiveInt = 20
    longest_ms: PositiveFloat = 1000.0
    by_count: bool = False
    repetitions: PositiveInt | None = None


class WindowPrecision(FileModel):
    """Ends a window as soon as a figure of its response times is known well enough.

    `half_width`: of the 95 % interval, as a share of the figure itself.
    """

    of: Literal["mean", "p50", "p90", "p95", "p99", "p999"] = "mean"
    half_width: Annotated[float, Field(ge=0.0001, le=0.5)]


class Window(FileModel):
    """What is measured of a run apart from all others: it ends with the first of these reached.

    With a `precision`, `seconds` is the longest that it may take.

    `repetitions` is the number of transactions with each of the workload's parameter sets.
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
    """The measurement of bytes: numbers of transactions on a fresh connection, repeated.

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
