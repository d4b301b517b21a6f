"""What published.toml says: a paper's tables as printed, and checks of the paper against itself."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, PositiveFloat, ValidationInfo, model_validator

from wirelab.study.arithmetic import ArithmeticCheck
from wirelab.study.cell import Cell
from wirelab.study.claim import ComparedLevel, PairExpectation
from wirelab.study.levels import (
    FACTORS,
    ContenderName,
    EnvironmentName,
    Factor,
    FileModel,
    LoadName,
    NetworkName,
    ProxyName,
    StoreName,
    WorkloadName,
    at_least,
    wanted,
)
from wirelab.study.metrics import METRICS, MetricName
from wirelab.study.score import ScoreTable

SAMPLE_COLUMNS = ("n", "sd", "ci_low", "ci_high")
"""Columns that say how sure a row's first metric is, beside the metrics themselves."""


def _column(name: str) -> str:
    if name not in METRICS and name not in SAMPLE_COLUMNS:
        raise ValueError(wanted(name, (*METRICS, *SAMPLE_COLUMNS)))
    return name


def _printed(factor: Factor) -> AfterValidator:
    def check(name: str, info: ValidationInfo) -> str:
        printed: Mapping[str, Mapping[str, str]] | None = (info.context or {}).get("printed")
        known = None if printed is None else printed.get(factor, {})
        if known is not None and name not in known:
            raise ValueError(wanted(name, known))
        return name

    return AfterValidator(check)


class Coordinates(FileModel):
    """Where in the paper a figure belongs, in the paper's own names."""

    contender: Annotated[str, _printed("contender")] | None = None
    workload: Annotated[str, _printed("workload")] | None = None
    store: Annotated[str, _printed("store")] | None = None
    environment: Annotated[str, _printed("environment")] | None = None
    load: Annotated[str, _printed("load")] | None = None
    proxy: Annotated[str, _printed("proxy")] | None = None
    network: Annotated[str, _printed("network")] | None = None


class Row(Coordinates):
    """One row of figures, in the order of the table's columns."""

    values: tuple[float, ...]


class Table(FileModel):
    """A published table. `where` holds for all rows; `scale` turns its unit into the metric's."""

    source: str
    title: str
    columns: tuple[Annotated[str, AfterValidator(_column)], ...]
    where: Coordinates = Coordinates()
    scale: PositiveFloat = 1.0
    rows: tuple[Row, ...]

    @model_validator(mode="after")
    def _rows_fit(self) -> Self:
        for number, row in enumerate(self.rows, start=1):
            if len(row.values) != len(self.columns):
                raise ValueError(
                    f"{len(self.columns)} values in every row, one a column"
                    f" (row {number} has {len(row.values)})"
                )
        return self


class Names(FileModel):
    """The paper's names for the levels of this study."""

    contender: Mapping[str, ContenderName] = {}
    workload: Mapping[str, WorkloadName] = {}
    store: Mapping[str, StoreName] = {}
    environment: Mapping[str, EnvironmentName] = {}
    load: Mapping[str, LoadName] = {}
    proxy: Mapping[str, ProxyName] = {}
    network: Mapping[str, NetworkName] = {}

    def level(self, factor: Factor, printed: str) -> str:
        """Return the study's name for a level that the paper calls otherwise."""
        names: dict[str, str] = getattr(self, factor)
        return names[printed]


class Statement(FileModel):
    """Something that the paper says in words, to be held against its own tables."""

    kind: Literal["statement"]
    text: str
    source: str
    expect: Annotated[tuple[PairExpectation, ...], at_least(1)]


class Quotients(FileModel):
    """Published figures divided by one another: one level of a factor by another."""

    kind: Literal["quotients"]
    text: str
    metric: MetricName
    compare: Factor
    numerator: ComparedLevel
    denominator: ComparedLevel


class LeastSamples(FileModel):
    """How many requests must lie behind rows that print a mean, a deviation and extremes."""

    kind: Literal["least_samples"]
    text: str
    mean: MetricName
    sd: MetricName
    extremes: tuple[MetricName, ...]


Check = Annotated[
    Statement | Quotients | LeastSamples | ArithmeticCheck, Field(discriminator="kind")
]


@dataclass(frozen=True, slots=True)
class Figure:
    """One published row in this study's names: where it belongs and its values by column."""

    source: str
    at: Mapping[Factor, str]
    values: Mapping[str, float]

    def belongs_to(self, cell: Cell) -> bool:
        """Tell whether the row speaks of this cell; factors that it leaves open fit all levels."""
        return all(cell.level(factor) == level for factor, level in self.at.items())


class Published(FileModel):
    """published.toml: tables and scores as printed, in the paper's names, and checks of them."""

    names: Names = Names()
    tables: Annotated[tuple[Table, ...], Field(alias="table")] = ()
    scores: Annotated[tuple[ScoreTable, ...], Field(alias="score")] = ()
    checks: Annotated[tuple[Check, ...], Field(alias="check")] = ()

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Every row of every table."""
        return tuple(figure for table in self.tables for figure in self._rows_of(table))

    def figure(self, metric: str, cell: Cell) -> Figure | None:
        """Return the published row that gives this metric of this cell, if there is one."""
        return next(
            (row for row in self.figures if metric in row.values and row.belongs_to(cell)), None
        )

    def _rows_of(self, table: Table) -> Iterator[Figure]:
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
            yield Figure(table.source, at, values)
