"""Checks of a paper's printed figures by arithmetic alone, as published.toml states them.

Figures are strings, as printed: "682.20" is known to two decimals. A check tolerates what rounding
can explain and nothing more.
"""

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, PositiveInt, model_validator
from pydantic import StringConstraints as Text

from wirelab.inputs.file_model import FileModel
from wirelab.study.levels import at_least

Printed = Annotated[str, Text(pattern=r"^-?\d+(\.\d+)?$")]
"""A number as printed, with a decimal point."""


def _not_zero(figure: str) -> str:
    if float(figure) == 0.0:
        raise ValueError("a number other than 0, since it is a divisor")
    return figure


Divisor = Annotated[Printed, AfterValidator(_not_zero)]
"""A printed number that a check divides by."""


class Arithmetic(FileModel):
    """The keys that all of these checks share."""

    text: str
    """What is checked, in words."""
    source: str
    """Place in the paper, as reports print it."""


class Gain(FileModel):
    """`rows` of `kind = "gain"`: a printed improvement in percent, and its two figures."""

    at: str
    """What the row is about, in the paper's words."""
    printed: Printed
    """The percentage as printed."""
    improved: Printed
    """The better figure."""
    base: Divisor
    """The figure that it is compared with, not 0."""


class Gains(Arithmetic):
    """`kind = "gain"`: tests whether a percentage of improvement is correct."""

    kind: Literal["gain"]
    """Selects this kind of check."""
    rows: Annotated[tuple[Gain, ...], at_least(1)]
    """The percentages, at least one. The result states relative to which figure each is correct."""


class Average(FileModel):
    """`rows` of `kind = "average"`: a printed average and the figures that it is taken over."""

    at: str
    """What the row is about, in the paper's words."""
    printed: Printed
    """The average as printed."""
    parts: Annotated[tuple[Printed, ...], at_least(2)]
    """The figures that it averages, at least two."""
    weights: tuple[PositiveInt, ...] = ()
    """How many values each part represents. Default: one each."""

    @model_validator(mode="after")
    def _a_weight_each(self) -> Self:
        if self.weights and len(self.weights) != len(self.parts):
            raise ValueError(f"{len(self.parts)} weights, one a part, or none")
        return self

    @property
    def values(self) -> tuple[Printed, ...]:
        """Every part, as often as its weight."""
        weights = self.weights or (1,) * len(self.parts)
        return tuple(
            part for part, weight in zip(self.parts, weights, strict=True) for _ in range(weight)
        )


class Averages(Arithmetic):
    """`kind = "average"`: tests whether printed averages are those of their parts."""

    kind: Literal["average"]
    """Selects this kind of check."""
    rows: Annotated[tuple[Average, ...], at_least(1)]
    """The averages, at least one."""


class Twice(FileModel):
    """`rows` of `kind = "same"`: a figure that is printed in two places."""

    at: str
    """What the row is about, in the paper's words."""
    first: Printed
    """The figure in the first place."""
    second: Printed
    """The figure in the second place."""


class Repeated(Arithmetic):
    """`kind = "same"`: tests whether the two places named in `source` agree."""

    kind: Literal["same"]
    """Selects this kind of check."""
    rows: Annotated[tuple[Twice, ...], at_least(1)]
    """The figures, at least one."""


class Spread(FileModel):
    """`rows` of `kind = "interval"`: a mean with its standard deviation and 95 % interval."""

    at: str
    """What the row is about, in the paper's words."""
    mean: Printed
    """The mean as printed."""
    sd: Divisor
    """The standard deviation as printed, not 0."""
    low: Printed
    """The lower end of the interval."""
    high: Printed
    """The upper end of the interval."""
    count: PositiveInt
    """Number of values behind it, as the paper states."""


class Intervals(Arithmetic):
    """`kind = "interval"`: tests how many independent values a 95 % interval assumes."""

    kind: Literal["interval"]
    """Selects this kind of check."""
    rows: Annotated[tuple[Spread, ...], at_least(1)]
    """The intervals, at least one."""


class SampleGroup(FileModel):
    """`a` or `b` of a difference: mean, standard deviation and size of a group of values."""

    mean: Printed
    """The mean as printed."""
    sd: Printed
    """The standard deviation as printed."""
    count: Annotated[int, Field(ge=2)]
    """Number of values, at least two."""


class Contrast(FileModel):
    """`rows` of `kind = "difference"`: two groups that are said to differ."""

    at: str
    """What the row is about, in the paper's words."""
    a: SampleGroup
    """One group."""
    b: SampleGroup
    """The other group."""


class Differences(Arithmetic):
    """`kind = "difference"`: tests whether means differ more than their spread explains."""

    kind: Literal["difference"]
    """Selects this kind of check."""
    rows: Annotated[tuple[Contrast, ...], at_least(1)]
    """The pairs of groups, at least one. Each is compared by Welch's test."""


class Waiting(FileModel):
    """`rows` of `kind = "clients"`: figures of a number of clients without think time."""

    at: str
    """What the row is about, in the paper's words."""
    clients: Printed
    """Number of clients."""
    throughput_per_s: Printed
    """Throughput as printed, per second."""
    response_ms: Printed
    """Mean response time as printed, in ms."""


class Clients(Arithmetic):
    """`kind = "clients"`: tests whether the printed figures keep all clients busy."""

    kind: Literal["clients"]
    """Selects this kind of check."""
    rows: Annotated[tuple[Waiting, ...], at_least(1)]
    """The figures, at least one. By Little's law, throughput times response time is the number of
    clients."""


ArithmeticCheck = Gains | Averages | Repeated | Intervals | Differences | Clients
