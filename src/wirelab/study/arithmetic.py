"""Checks of a paper's printed figures by arithmetic alone, as published.toml writes them.

Figures are strings, as they are printed: "682.20" is known to two decimals, and a check forgives
what rounding can explain and nothing more. `at` says in the paper's words what a row is about.
"""

from typing import Annotated, Literal, Self

from pydantic import Field, PositiveInt, model_validator
from pydantic import StringConstraints as Text

from wirelab.study.levels import FileModel, at_least

Printed = Annotated[str, Text(pattern=r"^-?\d+(\.\d+)?$")]
"""A number as printed, with a decimal point."""


class Arithmetic(FileModel):
    """What all of these checks say beside their rows."""

    text: str
    source: str


class Gain(FileModel):
    """A percentage of improvement, and the two figures that it was made of."""

    at: str
    printed: Printed
    improved: Printed
    base: Printed


class Gains(Arithmetic):
    """Asks of each percentage whether it is right, and relative to what."""

    kind: Literal["gain"]
    rows: Annotated[tuple[Gain, ...], at_least(1)]


class Average(FileModel):
    """An average and its parts; `weights` say how many values each part stands for."""

    at: str
    printed: Printed
    parts: Annotated[tuple[Printed, ...], at_least(2)]
    weights: tuple[PositiveInt, ...] = ()

    @model_validator(mode="after")
    def _a_weight_each(self) -> Self:
        if self.weights and len(self.weights) != len(self.parts):
            raise ValueError(f"{len(self.parts)} weights, one a part, or none")
        return self

    @property
    def values(self) -> tuple[Printed, ...]:
        """Every part as often as it counts."""
        weights = self.weights or (1,) * len(self.parts)
        return tuple(
            part for part, weight in zip(self.parts, weights, strict=True) for _ in range(weight)
        )


class Averages(Arithmetic):
    """Asks of each average whether it is that of its parts."""

    kind: Literal["average"]
    rows: Annotated[tuple[Average, ...], at_least(1)]


class Twice(FileModel):
    """A figure that is printed in two places."""

    at: str
    first: Printed
    second: Printed


class Repeated(Arithmetic):
    """Asks whether two places, named in `source`, print the same."""

    kind: Literal["same"]
    rows: Annotated[tuple[Twice, ...], at_least(1)]


class Spread(FileModel):
    """A mean with its deviation and interval, and how many values the paper says are behind it."""

    at: str
    mean: Printed
    sd: Printed
    low: Printed
    high: Printed
    count: PositiveInt


class Intervals(Arithmetic):
    """Asks how many values each 95 % interval takes as independent."""

    kind: Literal["interval"]
    rows: Annotated[tuple[Spread, ...], at_least(1)]


class Group(FileModel):
    """Mean, standard deviation and size of a group of values."""

    mean: Printed
    sd: Printed
    count: Annotated[int, Field(ge=2)]


class Contrast(FileModel):
    """Two groups that are said to differ."""

    at: str
    a: Group
    b: Group


class Differences(Arithmetic):
    """Asks whether printed means differ by more than their own spread explains."""

    kind: Literal["difference"]
    rows: Annotated[tuple[Contrast, ...], at_least(1)]


class Waiting(FileModel):
    """Throughput and response time that were printed of so many clients who did not think."""

    at: str
    clients: Printed
    throughput_per_s: Printed
    response_ms: Printed


class Clients(Arithmetic):
    """Asks whether throughput times response time keeps all clients busy (Little's law)."""

    kind: Literal["clients"]
    rows: Annotated[tuple[Waiting, ...], at_least(1)]


ArithmeticCheck = Gains | Averages | Repeated | Intervals | Differences | Clients
