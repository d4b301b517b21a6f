"""What claims.toml says: statements of a paper, each as expectations that a measurement can test.

An expectation speaks of values, not of merit: "lower" is the smaller number, whether that is
good (a time) or not (transactions per second).
"""

from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, PositiveFloat, ValidationInfo, model_validator
from pydantic import StringConstraints as Text

from wirelab.study.levels import Factor, FileModel, Levels, Where, at_least, wanted
from wirelab.study.metrics import MetricName

Comparability = Literal["same stack", "re-implementation", "environment differs"]
"""How far a new measurement can be held against the published one."""


def _level_of_the_factor_in(key: str) -> AfterValidator:
    def check(name: str, info: ValidationInfo) -> str:
        levels: Levels | None = (info.context or {}).get("levels")
        factor: Factor | None = info.data.get(key)
        if levels is not None and factor is not None and name not in levels[factor]:
            raise ValueError(wanted(name, levels[factor]))
        return name

    return AfterValidator(check)


ComparedLevel = Annotated[str, _level_of_the_factor_in("compare")]
"""A level of the factor that the expectation compares."""

AcrossLevel = Annotated[str, _level_of_the_factor_in("across")]
"""A level of the factor across which gains are compared."""


class Compared(FileModel):
    """An expectation about levels of one factor, in each combination of the others in `where`."""

    metric: MetricName
    compare: Factor = "contender"
    where: Where = Where()

    @model_validator(mode="after")
    def _where_is_about_the_others(self) -> Self:
        if self.where.levels(self.compare) is not None:
            raise ValueError(f"no {self.compare} in where, since that is what is compared")
        return self


class Direction(Compared):
    """One level's value is lower than another's; the other is more than `times` as high."""

    kind: Literal["direction"]
    lower: ComparedLevel
    higher: ComparedLevel
    times: PositiveFloat = 1.0


class Extreme(Compared):
    """One level's value is the lowest, or the highest, among several."""

    kind: Literal["lowest", "highest"]
    level: ComparedLevel
    among: Annotated[tuple[ComparedLevel, ...], at_least(2)]


class Order(Compared):
    """Several levels' values ascend in this order."""

    kind: Literal["order"]
    ascending: Annotated[tuple[ComparedLevel, ...], at_least(2)]


class Same(Compared):
    """One level's value is practically another's: they differ by less than the margin."""

    kind: Literal["same"]
    level: ComparedLevel
    other: ComparedLevel


class AtMost(Compared):
    """One level's value is no higher than another's, but for less than the margin."""

    kind: Literal["at_most"]
    level: ComparedLevel
    other: ComparedLevel


class LargestGain(Compared):
    """What one level gains over another is larger at one level of a second factor than elsewhere.

    The gain is the quotient of the values, the better one above: how many times as fast.
    """

    kind: Literal["largest_gain"]
    level: ComparedLevel
    over: ComparedLevel
    across: Factor
    at: AcrossLevel
    among: Annotated[tuple[AcrossLevel, ...], at_least(2)]

    @model_validator(mode="after")
    def _where_is_about_a_third(self) -> Self:
        if self.across == self.compare or self.where.levels(self.across) is not None:
            raise ValueError(f"across a factor other than {self.compare}, and not in where")
        return self


class Ratio(Compared):
    """One level's value is `ratio` times another's, or between that and `up_to` times."""

    kind: Literal["ratio"]
    numerator: ComparedLevel
    denominator: ComparedLevel
    ratio: PositiveFloat
    up_to: PositiveFloat | None = None

    @model_validator(mode="after")
    def _range_ascends(self) -> Self:
        if self.up_to is not None and self.up_to <= self.ratio:
            raise ValueError("up_to above ratio")
        return self


class Shape(Compared):
    """How the value follows an ordered factor: the slope of log value on log x within limits.

    `at` places each level on the x axis. A slope of 1 is proportional growth, 0 is none.
    """

    kind: Literal["shape"]
    at: Annotated[Mapping[ComparedLevel, PositiveFloat], at_least(3)]
    slope_from: float = float("-inf")
    slope_to: float = float("inf")

    @model_validator(mode="after")
    def _limits_exclude_something(self) -> Self:
        if not self.slope_from < self.slope_to:
            raise ValueError("slope_from below slope_to")
        if self.slope_from == float("-inf") and self.slope_to == float("inf"):
            raise ValueError("slope_from, slope_to or both")
        return self


class Threshold(FileModel):
    """The value lies above, or below, a fixed one in every cell of `where`."""

    kind: Literal["threshold"]
    metric: MetricName
    where: Where
    above: PositiveFloat | None = None
    below: PositiveFloat | None = None

    @model_validator(mode="after")
    def _one_side(self) -> Self:
        if (self.above is None) == (self.below is None):
            raise ValueError("exactly one of above and below")
        return self


class Qualitative(FileModel):
    """Something that no measurement of this laboratory decides, and why not."""

    kind: Literal["qualitative"]
    reason: str


PairExpectation = Annotated[Direction | Extreme | Order, Field(discriminator="kind")]
"""Expectations that come down to pairs of values of which one is the lower."""

Expectation = Annotated[
    Direction
    | Extreme
    | Order
    | Same
    | AtMost
    | LargestGain
    | Ratio
    | Shape
    | Threshold
    | Qualitative,
    Field(discriminator="kind"),
]


class Claim(FileModel):
    """A published statement: it holds if all of its expectations do."""

    text: str
    source: str
    expect: Annotated[tuple[Expectation, ...], at_least(1)]


class Hypotheses(FileModel):
    """A paper's hypotheses about two levels of a factor: H0, H1 for the one, H2 for the other.

    They are decided for the machine that measures, by every comparison of the two within `where`
    that was measured; controls are left out.
    """

    metric: MetricName
    compare: Factor
    one: ComparedLevel
    other: ComparedLevel
    where: Where = Where()
    H0: str
    H1: str
    H2: str


ClaimId = Annotated[str, Text(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$")]


class ClaimsFile(FileModel):
    """claims.toml: the claims of a study by id, its hypotheses, how comparable a measurement is."""

    comparability: tuple[Comparability, ...] = ()
    claims: Annotated[Mapping[ClaimId, Claim], Field(alias="claim")] = {}
    hypotheses: Hypotheses | None = None
