"""The keys of suitability.toml: the paper's advice about which protocol suits which use.

Beside it stands how to test the advice by measurement.
"""

from collections.abc import Mapping
from typing import Annotated, Self

from pydantic import Field, model_validator

from wirelab.inputs.file_model import FileModel
from wirelab.study.levels import ContenderName, Where, at_least, unknown_name
from wirelab.study.metrics import MetricName

Columns = Mapping[str, tuple[ContenderName, ...]]
"""By column: one contender for each of the rows."""


class Demand(FileModel):
    """`[[use.demand]]`: something that a use needs, as a metric of some cells."""

    title: str
    """What is needed, as reports print it."""
    metric: MetricName
    """The metric that shows it."""
    where: Where
    """The levels at which the metric is taken."""
    columns: Columns = Field(default={})
    """Contenders instead of the table's, if others serve this use: the same columns, one
    contender for each row. Default: the table's."""


class Use(FileModel):
    """`[[use]]`: a use of an API, the paper's advice, and what the use needs."""

    title: str
    """The use, such as "a public API", as reports print it."""
    advice: str
    """The column that the paper advises."""
    demands: Annotated[tuple[Demand, ...], Field(alias="demand"), at_least(1)]
    """`[[use.demand]]` tables: what to measure. At least one."""


class Suitability(FileModel):
    """The file itself: advice about which column suits which use.

    The report prints it beside the measured figures. A column's figure is the geometric mean over
    the rows that were measured in all columns, divided by that of the best column.
    """

    source: str
    """Place in the paper, as reports print it."""
    title: str
    """Title of the table."""
    rows: Annotated[tuple[str, ...], at_least(1)]
    """Names of the rows, such as languages."""
    columns: Annotated[Columns, at_least(2)]
    """What can be advised, such as protocols, at least two: by name, one contender for each row, in
    the order of `rows`."""
    uses: Annotated[tuple[Use, ...], Field(alias="use"), at_least(1)]
    """`[[use]]` tables. At least one."""

    @model_validator(mode="after")
    def _a_contender_in_each_cell(self) -> Self:
        demands = [demand for use in self.uses for demand in use.demands if demand.columns]
        for columns in (self.columns, *(demand.columns for demand in demands)):
            if columns.keys() != self.columns.keys():
                raise ValueError(f"contenders for {', '.join(self.columns)} in every demand")
            if any(len(contenders) != len(self.rows) for contenders in columns.values()):
                raise ValueError(f"{len(self.rows)} contenders in every column, one per row")
        return self

    @model_validator(mode="after")
    def _advice_is_a_column(self) -> Self:
        for use in self.uses:
            if use.advice not in self.columns:
                raise ValueError(unknown_name(use.advice, self.columns))
        return self
