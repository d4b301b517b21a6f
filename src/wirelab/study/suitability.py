"""Who suits what: a paper's advice, with what would have to be measured for it."""

from collections.abc import Mapping
from typing import Annotated, Self

from pydantic import Field, model_validator

from wirelab.study.levels import ContenderName, FileModel, Where, at_least, wanted
from wirelab.study.metrics import MetricName

Columns = Mapping[str, tuple[ContenderName, ...]]
"""Contenders by what is advised, one for each of the rows."""


class Demand(FileModel):
    """Something that a use asks of a protocol: a metric in one place.

    `columns` are contenders in place of the table's, where the use is served by others.
    """

    title: str
    metric: MetricName
    where: Where
    columns: Columns = Field(default={})


class Use(FileModel):
    """A use of an API, what the paper advises for it, and what it asks."""

    title: str
    advice: str
    demands: Annotated[tuple[Demand, ...], Field(alias="demand"), at_least(1)]


class Suitability(FileModel):
    """A table of uses. Each of `columns` can be advised, and has a contender for each of `rows`."""

    source: str
    title: str
    rows: Annotated[tuple[str, ...], at_least(1)]
    columns: Annotated[Columns, at_least(2)]
    uses: Annotated[tuple[Use, ...], Field(alias="use"), at_least(1)]

    @model_validator(mode="after")
    def _a_contender_in_each_place(self) -> Self:
        demands = [demand for use in self.uses for demand in use.demands if demand.columns]
        for columns in (self.columns, *(demand.columns for demand in demands)):
            if columns.keys() != self.columns.keys():
                raise ValueError(f"contenders for {', '.join(self.columns)} in every demand")
            if any(len(contenders) != len(self.rows) for contenders in columns.values()):
                raise ValueError(f"{len(self.rows)} contenders in every column, one a row")
        return self

    @model_validator(mode="after")
    def _advice_is_a_column(self) -> Self:
        for use in self.uses:
            if use.advice not in self.columns:
                raise ValueError(wanted(use.advice, self.columns))
        return self
