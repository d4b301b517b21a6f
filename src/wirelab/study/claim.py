"""What claims.toml says: statements of a paper, each as expectations that a measurement can test.

An expectation speaks of values, not of merit: "lower" is the smaller number, whether that is
good (a time) or not (transactions per second).
"""

from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import Field, PositiveFloat, ValidationInfo, model_validator
from pydantic import StringConstraints as Text

from wirelab.study.levels import Factor, FileModel, Levels, Where, wanted
from wirelab.study.metrics import MetricName

Comparability = Literal["same stack", "re-implementation", "environment differs"]
"""How far a new measurement can be held against the published one."""


class Compared(FileModel):
    """An expectation about levels of one factor, in each combination of the others in `where`."""

    metric: MetricName
    compare: Factor = "contender"
    where: Where = Where()

    def named(self) -> tuple[str, ...]:
        """Return the levels of `compare` that the expectation names."""
        raise NotImplementedError

    @model_validator(mode="after")
    def _levels_exist(self, info: ValidationInfo) -> Self:
        levels: Levels | None = (info.context or {}).get("levels")
        if levels is not None:
            known = levels[self.compare]
            unknown = [wanted(name, known) for name in self.named() if name not in known]
            if unknown:
                raise ValueError(f"levels of {self.compare}: " + " / ".join(unknown))
        if self.where.levels(self.compare) is not None:
            raise ValueError(f"no {self.compare} in where, since that is what is compared")
        return self


class Direction(Compared):
    """One level's value is lower than another's."""

    kind: Literal["direction"]
    lower: str
    higher: str

    def named(self) -> tuple[str, ...]:
        """Return both levels."""
        return (self.lower, self.higher)


class Extreme(Compared):
    """One level's value is the lowest, or the highest, among several."""

    kind: Literal["lowest", "highest"]
    level: str
    among: Annotated[tuple[str, ...], Field(min_length=2)]

    def named(self) -> tuple[str, ...]:
        """Return the level and those it is held against."""
        return (self.level, *self.among)


class Order(Compared):
    """Several levels' values ascend in this order."""

    kind: Literal["order"]
    ascending: Annotated[tuple[str, ...], Field(min_length=2)]

    def named(self) -> tuple[str, ...]:
        """Return the levels in their order."""
        return self.ascending


class Ratio(Compared):
    """One level's value is a multiple of another's: about, at least, or at most so much.

    `tolerance` is the factor within which "about" still counts as the published magnitude.
    """

    kind: Literal["ratio"]
    numerator: str
    denominator: str
    about: PositiveFloat | None = None
    at_least: PositiveFloat | None = None
    at_most: PositiveFloat | None = None
    tolerance: Annotated[float, Field(gt=1)] = 1.25

    @model_validator(mode="after")
    def _one_multiple(self) -> Self:
        if [self.about, self.at_least, self.at_most].count(None) != 2:
            raise ValueError("exactly one of about, at_least and at_most")
        return self

    def named(self) -> tuple[str, ...]:
        """Return numerator and denominator."""
        return (self.numerator, self.denominator)


class Shape(Compared):
    """How the value follows an ordered factor: the slope of log value on log x within limits.

    `at` places each level on the x axis. A slope of 1 is proportional growth, 0 is none.
    """

    kind: Literal["shape"]
    at: Annotated[dict[str, PositiveFloat], Field(min_length=3)]
    slope_from: float = float("-inf")
    slope_to: float = float("inf")

    @model_validator(mode="after")
    def _limits_exclude_something(self) -> Self:
        if not self.slope_from < self.slope_to:
            raise ValueError("slope_from below slope_to")
        if self.slope_from == float("-inf") and self.slope_to == float("inf"):
            raise ValueError("slope_from, slope_to or both")
        return self

    def named(self) -> tuple[str, ...]:
        """Return the levels on the x axis."""
        return tuple(self.at)


class Threshold(FileModel):
    """The value lies above, or below, a fixed one in every cell of `where`."""

    kind: Literal["threshold"]
    metric: MetricName
    where: Where
    above: float | None = None
    below: float | None = None

    @model_validator(mode="after")
    def _one_side(self) -> Self:
        if (self.above is None) == (self.below is None):
            raise ValueError("exactly one of above and below")
        return self


class Qualitative(FileModel):
    """Something that no measurement of this laboratory decides, and why not."""

    kind: Literal["qualitative"]
    reason: str


Expectation = Annotated[
    Direction | Extreme | Order | Ratio | Shape | Threshold | Qualitative,
    Field(discriminator="kind"),
]


class Claim(FileModel):
    """A published statement: it holds if all of its expectations do."""

    text: str
    source: str
    expect: Annotated[tuple[Expectation, ...], Field(min_length=1)]


ClaimId = Annotated[str, Text(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$")]


class ClaimsFile(FileModel):
    """claims.toml: the claims of a study by id, and how comparable a new measurement is."""

    comparability: tuple[Comparability, ...] = ()
    claims: Annotated[Mapping[ClaimId, Claim], Field(alias="claim")] = {}
