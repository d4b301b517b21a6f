"""The keys of points.toml: points that the paper gave its contenders, by criterion."""

from collections.abc import Mapping
from typing import Annotated, Self

from pydantic import AfterValidator, Field, NonNegativeFloat, ValidationInfo, model_validator

from wirelab.inputs.file_model import FileModel
from wirelab.study.levels import Where, at_least, unknown_name
from wirelab.study.metrics import MetricName


def _printed_contenders(points: Mapping[str, float], info: ValidationInfo) -> Mapping[str, float]:
    printed: Mapping[str, Mapping[str, str]] | None = (info.context or {}).get("printed")
    known = None if printed is None else printed.get("contender", {})
    for name in points:
        if known is not None and name not in known:
            raise ValueError(unknown_name(name, known))
    return points


Points = Annotated[Mapping[str, NonNegativeFloat], AfterValidator(_printed_contenders)]
"""Points by contender, in the paper's own names."""


class Criterion(FileModel):
    """One line of a score table: points for the contenders' order by a metric."""

    title: str
    """Title of the line."""
    figure: str | None = None
    """The paper's figure with the same values, such as `Figure 1`. Default: none."""
    metric: MetricName
    """The [metric](metrics.md) by which the contenders are ordered."""
    where: Where
    """The levels at which it is taken."""
    points: Points
    """The printed points."""


class Group(FileModel):
    """`[[score.groups]]`: criteria of one kind, with the printed sum of their points."""

    title: str
    """Title of the group."""
    criteria: Annotated[tuple[Criterion, ...], at_least(1)]
    """The criteria, at least one."""
    subtotal: Points
    """The printed sums."""


class ScoreTable(FileModel):
    """`[[score]]`: a table of points with its printed sums.

    Reports print it beside points given by the same rule for what was measured here. All lines
    score the same contenders.
    """

    source: str
    """Place in the paper, as reports print it."""
    title: str
    """Title of the table."""
    groups: Annotated[tuple[Group, ...], at_least(1)]
    """`[[score.groups]]` tables, at least one."""
    total: Points
    """The printed total of each contender."""

    @model_validator(mode="after")
    def _same_contenders(self) -> Self:
        lines = [group.subtotal for group in self.groups]
        lines += [criterion.points for group in self.groups for criterion in group.criteria]
        if any(line.keys() != self.total.keys() for line in lines):
            raise ValueError(f"points for {', '.join(self.total)} in every line")
        return self


class PointsFile(FileModel):
    """The file itself."""

    scores: Annotated[tuple[ScoreTable, ...], Field(alias="score"), at_least(1)]
    """`[[score]]` tables, at least one."""
