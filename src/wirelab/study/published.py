"""The keys of published.toml: a paper's tables as printed, and checks of their consistency.

The checks need no measurement: they compare the paper's statements and figures with one another.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, PositiveFloat, ValidationInfo, model_validator

from wirelab.inputs.file_model import FileModel
from wirelab.study.arithmetic import ArithmeticCheck
from wirelab.study.cell import Cell
from wirelab.study.claim import ComparedLevel, PairExpectation
from wirelab.study.levels import (
    FACTORS,
    ContenderName,
    EnvironmentName,
    Factor,
    LoadName,
    NetworkName,
    ProxyName,
    StoreName,
    WorkloadName,
    at_least,
    unknown_name,
)
from wirelab.study.metrics import METRICS, MetricName

SAMPLE_COLUMNS = ("n", "sd", "ci_low", "ci_high")
"""Columns that state the uncertainty of a row's first metric."""


def _column(name: str) -> str:
    if name not in METRICS and name not in SAMPLE_COLUMNS:
        raise ValueError(unknown_name(name, (*METRICS, *SAMPLE_COLUMNS)))
    return name


def _printed(factor: Factor) -> AfterValidator:
    def check(name: str, info: ValidationInfo) -> str:
        printed: Mapping[str, Mapping[str, str]] | None = (info.context or {}).get("printed")
        known = None if printed is None else printed.get(factor, {})
        if known is not None and name not in known:
            raise ValueError(unknown_name(name, known))
        return name

    return AfterValidator(check)


class Coordinates(FileModel):
    """The cell that a published figure belongs to, in the paper's own names.

    Each name must be declared in `[names.FACTOR]`. A factor that is left out fits all its levels.
    """

    contender: Annotated[str, _printed("contender")] | None = None
    """The paper's name of the contender. Default: left open."""
    workload: Annotated[str, _printed("workload")] | None = None
    """The paper's name of the workload. Default: left open."""
    store: Annotated[str, _printed("store")] | None = None
    """The paper's name of the store. Default: left open."""
    environment: Annotated[str, _printed("environment")] | None = None
    """The paper's name of the environment. Default: left open."""
    load: Annotated[str, _printed("load")] | None = None
    """The paper's name of the load. Default: left open."""
    proxy: Annotated[str, _printed("proxy")] | None = None
    """The paper's name of the proxy. Default: left open."""
    network: Annotated[str, _printed("network")] | None = None
    """The paper's name of the network. Default: left open."""


class PrintedRow(Coordinates):
    """One row of a table."""

    values: tuple[float, ...]
    """The figures as printed, one for each of the table's columns."""


class Table(FileModel):
    """`[[table]]`: a published table."""

    source: str
    """Place in the paper, such as `Table 5`, as reports print it."""
    title: str
    """Title of the table."""
    columns: tuple[Annotated[str, AfterValidator(_column)], ...]
    """The [metric](metrics.md) of each column, or `n` (number of values), `sd` (standard
    deviation), `ci_low` and `ci_high` (ends of the interval) of the row's first metric."""
    where: Coordinates = Coordinates()
    """The coordinates that all rows share. Those of a row take precedence. Default: none."""
    scale: PositiveFloat = 1.0
    """Factor that converts the printed unit to the metric's, such as 1000 for ms to µs. Not applied
    to `n`."""
    rows: tuple[PrintedRow, ...]
    """The rows, each with its coordinates and `values`."""

    @model_validator(mode="after")
    def _rows_fit(self) -> Self:
        for number, row in enumerate(self.rows, start=1):
            if len(row.values) != len(self.columns):
                raise ValueError(
                    f"{len(self.columns)} values in every row, one per column"
                    f" (row {number} has {len(row.values)})"
                )
        return self


class Names(FileModel):
    """`[names.FACTOR]`: the paper's names for the levels of this study.

    The other tables use the paper's names, so that they can be compared with the paper line by
    line.
    """

    contender: Mapping[str, ContenderName] = {}
    """By the paper's name: this study's name of the contender, as in `GraphQL = "graphql-nestjs"`.
    Default: none."""
    workload: Mapping[str, WorkloadName] = {}
    """By the paper's name: this study's name of the workload. Default: none."""
    store: Mapping[str, StoreName] = {}
    """By the paper's name: this study's name of the store. Default: none."""
    environment: Mapping[str, EnvironmentName] = {}
    """By the paper's name: this study's name of the environment. Default: none."""
    load: Mapping[str, LoadName] = {}
    """By the paper's name: this study's name of the load. Default: none."""
    proxy: Mapping[str, ProxyName] = {}
    """By the paper's name: this study's name of the proxy. Default: none."""
    network: Mapping[str, NetworkName] = {}
    """By the paper's name: this study's name of the network. Default: none."""

    def level(self, factor: Factor, printed: str) -> str:
        """Return the study's name for a level that the paper names differently."""
        names: dict[str, str] = getattr(self, factor)
        return names[printed]


class Statement(FileModel):
    """`kind = "statement"`: a statement of the paper, compared with the paper's own tables.

    Pairs that the tables do not contain are left out.
    """

    kind: Literal["statement"]
    """Selects this kind of check."""
    text: str
    """The statement in words."""
    source: str
    """Place in the paper, as reports print it."""
    expect: Annotated[tuple[PairExpectation, ...], at_least(1)]
    """Expectations of kind `direction`, `lowest`, `highest` or `order`, as in
    [claims.toml](claims-file.md). At least one."""


class Quotients(FileModel):
    """`kind = "quotients"`: published figures of one level, divided by those of another.

    The quotients are printed, not judged.
    """

    kind: Literal["quotients"]
    """Selects this kind of check."""
    text: str
    """What the quotients show."""
    metric: MetricName
    """The [metric](metrics.md) to divide."""
    compare: Factor
    """The factor that both levels belong to."""
    numerator: ComparedLevel
    """The level whose figures are divided, in this study's name."""
    denominator: ComparedLevel
    """The level by whose figures they are divided, in this study's name."""


class LeastSamples(FileModel):
    """`kind = "least_samples"`: the least number of requests that a row's figures allow.

    An extreme is at most sd × sqrt(n - 1) away from the mean (Samuelson's inequality). The number n
    is printed, not judged.
    """

    kind: Literal["least_samples"]
    """Selects this kind of check."""
    text: str
    """What the numbers show."""
    mean: MetricName
    """Metric of the column with the mean."""
    sd: MetricName
    """Metric of the column with the standard deviation."""
    extremes: tuple[MetricName, ...]
    """Metrics of the columns with extremes, such as `latency_max_us`."""


Check = Annotated[
    Statement | Quotients | LeastSamples | ArithmeticCheck, Field(discriminator="kind")
]


@dataclass(frozen=True, slots=True)
class PublishedFigure:
    """One published row in this study's names: the levels it belongs to, and values by column."""

    source: str
    at: Mapping[Factor, str]
    values: Mapping[str, float]

    def belongs_to(self, cell: Cell) -> bool:
        """Return whether the row applies to a cell; a factor left open fits all levels."""
        return all(cell.level(factor) == level for factor, level in self.at.items())

    def ratio_to(self, other: "PublishedFigure", metric: str) -> float | None:
        """Return this row's value over the other's; None if the other's is 0."""
        divisor = other.values[metric]
        return self.values[metric] / divisor if divisor else None


class Published(FileModel):
    """The file itself."""

    names: Names = Names()
    """The paper's names for this study's levels."""
    tables: Annotated[tuple[Table, ...], Field(alias="table")] = ()
    """`[[table]]` tables. Default: none."""
    checks: Annotated[tuple[Check, ...], Field(alias="check")] = ()
    """`[[check]]` tables: checks of the paper's consistency; `kind` selects one. Default: none."""

    @cached_property
    def figures(self) -> tuple[PublishedFigure, ...]:
        """All rows of all tables."""
        return tuple(figure for table in self.tables for figure in self._rows_of(table))

    def figure(self, metric: str, cell: Cell) -> PublishedFigure | None:
        """Return the published row with this metric for this cell, if there is one."""
        return next(
            (row for row in self.figures if metric in row.values and row.belongs_to(cell)), None
        )

    def _rows_of(self, table: Table) -> Iterator[PublishedFigure]:
        scales = [1.0 if column == "n" else table.scale for column in table.columns]
        for row in table.rows:
            at: dict[Factor, str] = {}
            for factor in FACTORS:
                printed = getattr(row, factor) or getattr(table.where, factor)
                if printed is not None:
                    at[factor] = self.names.level(factor, printed)
            values = {
                column: value * scale
                for column, value, scale in zip(table.columns, row.values, scales, strict=True)
            }
            yield PublishedFigure(table.source, at, values)
