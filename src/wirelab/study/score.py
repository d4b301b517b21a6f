"""A published score table: points that a paper gave its contenders, criterion by criterion."""

from collections.abc import Mapping
from typing import Annotated, Self

from pydantic import AfterValidator, NonNegativeFloat, ValidationInfo, model_validator

from wirelab.study.levels import FileModel, Where, at_least, wanted
from wirelab.study.metrics import MetricName


def _printed_contenders(points: Mapping[str, float], info: ValidationInfo) -> Mapping[str, float]:
    printed: Mapping[str, Mapping[str, str]] | None = (info.context or {}).get("printed")
    known = None if printed is None else printed.get("contender", {})
    for name in points:
        if known is not None and name not in known:
            raise ValueError(wanted(name, known))
    return points


Points = Annotated[Mapping[str, NonNegativeFloat], AfterValidator(_printed_contenders)]
"""Points by contender, in the paper's own names."""


class Criterion(FileModel):
    """What points were given for: the rank of the contenders by a metric in one place.

    `figure` names the paper's picture of the same, where it has one.
    """

    title: str
    figure: str | None = None
    metric: MetricName
    where: Where
    points: Points


class Group(FileModel):
    """Criteria of one kind, with the sum of their points as printed."""

    title: str
    criteria: Annotated[tuple[Criterion, ...], at_least(1)]
    subtotal: Points


class ScoreTable(FileModel):
    """A table of points with its sums as printed; every line scores the same contenders."""

    source: str
    title: str
    groups: Annotated[tuple[Group, ...], at_least(1)]
    total: Points

    @model_validator(mode="after")
    def _same_contenders(self) -> Self:
        lines = [group.subtotal for group in self.groups]
        lines += [criterion.points for group in self.groups for criterion in group.criteria]
        if any(line.keys() != self.total.keys() for line in lines):
            raise ValueError(f"points for {', '.join(self.total)} in every line")
        return self
