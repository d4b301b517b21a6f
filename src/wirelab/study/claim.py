"""The keys of claims.toml: a paper's statements, as expectations that a measurement can test.

An expectation compares values, not merit: `lower` is the smaller number, whether that is better (a
time) or worse (transactions per second).
"""

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, PositiveFloat, ValidationInfo, model_validator
from pydantic import StringConstraints as Text

from wirelab.inputs.file_model import FileModel, Misfit
from wirelab.study.levels import FACTORS, Factor, Levels, OneOrMore, Where, at_least, unknown_name
from wirelab.study.metrics import MetricName

Comparability = Literal["same stack", "re-implementation", "environment differs"]
"""How a new measurement relates to the published one."""


def _level_of_the_factor_in(key: str) -> AfterValidator:
    def check(name: str, info: ValidationInfo) -> str:
        levels: Levels | None = (info.context or {}).get("levels")
        factor: Factor | None = info.data.get(key)
        known = None if levels is None or factor is None else levels.get(factor)
        if known is not None and name not in known:
            raise ValueError(unknown_name(name, known))
        return name

    return AfterValidator(check)


ComparedLevel = Annotated[str, _level_of_the_factor_in("compare")]
"""A level of the factor that the expectation compares."""

AcrossLevel = Annotated[str, _level_of_the_factor_in("across")]
"""A level of the factor across which gains are compared."""


class Compared(FileModel):
    """The keys that expectations about the levels of one factor share.

    An expectation is tested in each combination of the other factors' levels in `where`.
    """

    metric: MetricName
    """The [metric](metrics.md) that is compared."""
    compare: Factor = "contender"
    """The factor whose levels are compared; the other keys name levels of it."""
    where: Where = Where()
    """Levels of the other factors, in which the expectation must hold. Default: all levels that
    were measured. It cannot name the compared factor."""
    own: Mapping[ComparedLevel, Where] = {}
    """For single compared levels: levels of other factors that belong to them, one each, instead of
    those in `where`, such as new connections for one server. Default: none."""

    @model_validator(mode="after")
    def _where_is_about_the_others(self) -> Self:
        for name, where in {"where": self.where, **self.own}.items():
            if where.levels(self.compare) is not None:
                raise ValueError(f"no {self.compare} in {name}, since that is what is compared")
        return self

    def levels_of(self, level: str) -> dict[Factor, str]:
        """Return the levels of other factors that belong to a compared level alone."""
        own = self.own.get(level, Where())
        return {factor: levels[0] for factor in FACTORS if (levels := own.levels(factor))}


class DirectionExpectation(Compared):
    """`kind = "direction"`: one level has a lower value than another."""

    kind: Literal["direction"]
    """Selects this kind of expectation."""
    lower: ComparedLevel
    """The level with the lower value."""
    higher: ComparedLevel
    """The level with the higher value."""
    times: PositiveFloat = 1.0
    """The higher value is more than this number times the lower one. Default 1: it is higher by any
    factor."""


class Extreme(Compared):
    """`kind = "lowest"` or `"highest"`: one level has the extreme value of several."""

    kind: Literal["lowest", "highest"]
    """Selects this kind of expectation, and which extreme it is."""
    level: ComparedLevel
    """The level with the lowest or highest value."""
    among: Annotated[tuple[ComparedLevel, ...], at_least(2)]
    """The levels to compare it with, at least two; they may include `level` itself."""


class Somewhere(Compared):
    """`kind = "somewhere"`: one level's value is below that of another in at least one place.

    It is the opposite of "highest everywhere": of all combinations of the levels in `where` and of
    the levels in `higher`, one is enough. The tests are corrected for their number (Holm).
    """

    kind: Literal["somewhere"]
    """Selects this kind of expectation."""
    lower: ComparedLevel
    """The level with the lower value."""
    higher: Annotated[tuple[ComparedLevel, ...], OneOrMore]
    """The levels of which one has the higher value."""
    times: PositiveFloat = 1.0
    """The higher value is more than this number times the lower one. Default 1."""


class Order(Compared):
    """`kind = "order"`: the values of several levels ascend."""

    kind: Literal["order"]
    """Selects this kind of expectation."""
    ascending: Annotated[tuple[ComparedLevel, ...], at_least(2)]
    """The levels from the lowest value to the highest, at least two. Neighbours are compared."""


class Same(Compared):
    """`kind = "same"`: the values of two levels differ by less than the margin."""

    kind: Literal["same"]
    """Selects this kind of expectation."""
    level: ComparedLevel
    """One level."""
    other: ComparedLevel
    """The other level."""


class AtMost(Compared):
    """`kind = "at_most"`: one level's value is not above another's by more than the margin."""

    kind: Literal["at_most"]
    """Selects this kind of expectation."""
    level: ComparedLevel
    """The level whose value is no higher."""
    other: ComparedLevel
    """The level that it is compared with."""


class LargestGain(Compared):
    """`kind = "largest_gain"`: one level's gain over another is largest at one level of a factor.

    The gain is how many times better the value of `level` is than that of `over`: how many times as
    fast, for a time.
    """

    kind: Literal["largest_gain"]
    """Selects this kind of expectation."""
    level: ComparedLevel
    """The level that gains."""
    over: ComparedLevel
    """The level that it gains over."""
    across: Factor
    """The second factor. It cannot be the compared one, nor in `where`."""
    at: AcrossLevel
    """The level of the second factor where the gain is largest."""
    among: Annotated[tuple[AcrossLevel, ...], at_least(2)]
    """The levels of the second factor to compare, at least two; they may include `at` itself."""

    @model_validator(mode="after")
    def _where_is_about_a_third(self) -> Self:
        if self.across == self.compare or self.where.levels(self.across) is not None:
            raise ValueError(f"across a factor other than {self.compare}, and not in where")
        return self


class Ratio(Compared):
    """`kind = "ratio"`: one level's value is a number of times another's.

    The size is reproduced if the published ratio lies within the 95 % interval of the measured one
    and within a factor of 1.25 of it.
    """

    kind: Literal["ratio"]
    """Selects this kind of expectation."""
    numerator: ComparedLevel
    """The level whose value is divided."""
    denominator: ComparedLevel
    """The level by whose value it is divided."""
    ratio: PositiveFloat
    """The published ratio, or the lower end of a published range."""
    up_to: PositiveFloat | None = None
    """The upper end of a published range, above `ratio`. Default: a single ratio."""

    @model_validator(mode="after")
    def _range_ascends(self) -> Self:
        if self.up_to is not None and self.up_to <= self.ratio:
            raise ValueError("up_to above ratio")
        return self


class Steeper(Compared):
    """`kind = "steeper"`: the value grows more steeply over some levels than over others.

    The slope of log(value) over log(x) is larger than that of each of the other curves.
    """

    kind: Literal["steeper"]
    """Selects this kind of expectation."""
    at: Annotated[Mapping[ComparedLevel, PositiveFloat], at_least(3)]
    """The steep curve: by level of the compared factor, at least three, its x value."""
    than: Annotated[tuple[Mapping[ComparedLevel, PositiveFloat], ...], at_least(1)]
    """The other curves, each in the same form."""


class Threshold(FileModel):
    """`kind = "threshold"`: the value is above, or below, a limit in every cell of `where`."""

    kind: Literal["threshold"]
    """Selects this kind of expectation."""
    metric: MetricName
    """The [metric](metrics.md) that is tested."""
    where: Where
    """The levels at which it is tested."""
    above: PositiveFloat | None = None
    """The value that must be exceeded, in the metric's unit. Exactly one of `above` and `below`."""
    below: PositiveFloat | None = None
    """The value that must not be reached, in the metric's unit."""

    def misfits(self) -> Iterator[Misfit]:
        """Yield whether there is no limit, or two."""
        if self.above is None and self.below is None:
            yield Misfit("above", None, "a number, or below instead")
        if self.above is not None and self.below is not None:
            yield Misfit.excluding(["above", "below"])


class Qualitative(FileModel):
    """`kind = "qualitative"`: a statement that no measurement of this laboratory can test."""

    kind: Literal["qualitative"]
    """Selects this kind of expectation."""
    reason: str
    """Why it cannot be tested, as reports print it."""


PairExpectation = Annotated[DirectionExpectation | Extreme | Order, Field(discriminator="kind")]
"""Expectations that reduce to pairs of values, one of which is the lower."""

Expectation = Annotated[
    DirectionExpectation
    | Extreme
    | Order
    | Same
    | AtMost
    | LargestGain
    | Ratio
    | Somewhere
    | Steeper
    | Threshold
    | Qualitative,
    Field(discriminator="kind"),
]


class Claim(FileModel):
    """`[claim.ID]`: a published statement. It is reproduced if all of its expectations are."""

    text: str
    """The statement in words."""
    source: str
    """Place in the paper, such as `Table 5` or `section 7`, as reports print it."""
    treatment_differs: str | None = None
    """What the paper did to its servers and this test does not, in one sentence, as reports print
    it beside the verdict; `""` if the test repeats it. Default: that of the file."""
    remedy: str = ""
    """How it can be tested where it cannot be measured without further ado, such as with the
    address of a server. Default: not said."""
    expect: Annotated[tuple[Expectation, ...], at_least(1)]
    """`[[claim.ID.expect]]` tables: at least one expectation."""


class Hypotheses(FileModel):
    """`[hypotheses]`: a paper's null hypothesis and its two alternatives about two levels.

    They are decided for the machine that measures, from every measured comparison of the two levels
    within `where`; controls are left out. H1 or H2 holds if all comparisons that differ do so in
    its direction and the others are practically the same, H0 if all are practically the same. None
    holds while the result of a comparison is "cannot tell".
    """

    metric: MetricName
    """The [metric](metrics.md) that is compared."""
    compare: Factor
    """The factor that the two levels belong to."""
    one: ComparedLevel
    """The level with the lower value under H1."""
    other: ComparedLevel
    """The level with the lower value under H2."""
    where: Where = Where()
    """Levels of the other factors. Default: all."""
    H0: str
    """Text of the null hypothesis: no difference."""
    H1: str
    """Text of the hypothesis that `one` has the lower value."""
    H2: str
    """Text of the hypothesis that `other` has the lower value."""


class Untested(FileModel):
    """`[[untested]]`: a statement that compares results and is no claim, for readers of a page."""

    text: str
    """The statement in words."""
    source: str = ""
    """Place in the paper."""
    reason: str
    """Why it is not tested."""
    remedy: str = ""
    """How it can be tested, such as with the address of a server. Default: it cannot."""


ClaimId = Annotated[str, Text(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$")]


class ClaimsFile(FileModel):
    """The file itself."""

    comparability: tuple[Comparability, ...] = ()
    """How the measurement relates to the published one: `same stack`, `re-implementation` or
    `environment differs`, several if they apply. Reports print it. Default: nothing is said."""
    treatment_differs: str = ""
    """The same as a claim's key, for all claims that do not have it. Default: nothing differs."""
    claims: Annotated[Mapping[ClaimId, Claim], Field(alias="claim")] = {}
    """`[claim.ID]` tables."""
    hypotheses: Hypotheses | None = None
    """The paper's hypotheses. Default: none."""
    untested: tuple[Untested, ...] = ()
    """`[[untested]]` tables: statements that no claim tests. Default: none."""

    def treatment_of(self, name: str) -> str:
        """Return how a claim's test differs from the paper's treatment; "" if it does not."""
        own = self.claims[name].treatment_differs
        return self.treatment_differs if own is None else own
