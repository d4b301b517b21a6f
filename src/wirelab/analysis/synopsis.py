"""The summary of a bundle that lists and comparisons of bundles need.

An analysis takes seconds and is large; a synopsis can be stored as a small JSON file.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from wirelab.analysis.matrix import MatrixBand, MatrixCell, MatrixRow, matrix_of
from wirelab.analysis.result import Analysis
from wirelab.analysis.wording import Said
from wirelab.bundle import AlteredFile, BundleInfo, ContenderRecord
from wirelab.statistics import Interval


@dataclass(frozen=True, slots=True)
class Versus:
    """A contender relative to another, as in the report."""

    against: str
    """The label of the other one: the baseline of its band."""
    ratio: float
    interval95: Interval | None
    blocks: int
    said: Said


@dataclass(frozen=True, slots=True)
class CellSynopsis:
    """A contender in a setting: its time in µs, and how it relates to the baseline of its band.

    `shown` is the rendered figure that it is judged by.
    """

    contender: str
    latency_us: float
    shown: str
    versus: Versus | None


@dataclass(frozen=True, slots=True)
class SettingSynopsis:
    """A row of the report's matrix, without unmeasured cells."""

    key: str
    title: str
    judged: bool
    detects: str
    cells: tuple[CellSynopsis, ...]

    def cell(self, contender: str) -> CellSynopsis | None:
        """Return a contender's cell; None if it was not measured in this setting."""
        return next((each for each in self.cells if each.contender == contender), None)


@dataclass(frozen=True, slots=True)
class Synopsis:
    """The summary of a bundle. Settings that questions ask about come first."""

    info: BundleInfo
    study: str
    title: str
    metric: str
    """What ratios are ratios of."""
    reported_as: Literal["time", "rate"]
    baseline: str
    margin_ratio: float
    blocks: int
    """The number of blocks of the group that has the most."""
    largest_resolution: float | None
    """As a share; None if unknown."""
    runs_planned: int
    runs_valid: int
    contenders: Mapping[str, ContenderRecord]
    labels: Mapping[str, str]
    bands: tuple[MatrixBand, ...]
    """The contenders that were measured, as in the report's matrix."""
    host: Mapping[str, Any]
    environments: Mapping[str, Mapping[str, str]]
    settings: tuple[SettingSynopsis, ...]
    cautions: tuple[str, ...]
    """Titles of the serious cautions."""
    alterations: tuple[AlteredFile, ...]
    """What has changed since the bundle was sealed."""

    @property
    def baseline_label(self) -> str:
        """The short name of the contender that others are compared with."""
        return self.labels.get(self.baseline, self.baseline)

    @property
    def machine(self) -> str:
        """The CPU model, and the number of CPUs."""
        return machine_of(self.host)

    @property
    def judged(self) -> tuple[SettingSynopsis, ...]:
        """The settings that questions ask about."""
        return tuple(setting for setting in self.settings if setting.judged)


def synopsis_of(analysis: Analysis) -> Synopsis:
    """Summarise an analysis."""
    study, matrix = analysis.study, matrix_of(analysis)
    return Synopsis(
        info=analysis.info,
        study=study.id,
        title=study.title,
        metric=study.primary.ratio_title,
        reported_as=study.primary.reported_as,
        baseline=study.baseline,
        margin_ratio=study.margin,
        blocks=max((block.number for block in analysis.schedule.blocks), default=0),
        largest_resolution=analysis.noise.largest,
        runs_planned=analysis.validity.planned,
        runs_valid=analysis.validity.valid,
        contenders=analysis.contenders,
        labels=analysis.labels,
        bands=matrix.bands,
        host=analysis.host,
        environments=analysis.environments,
        settings=tuple(_setting(row) for row in (*matrix.judged, *matrix.others)),
        cautions=tuple(each.title for each in analysis.cautions if each.severity == "serious"),
        alterations=analysis.alterations,
    )


def machine_of(host: Mapping[str, Any]) -> str:
    """Return a host's CPU model, and its number of CPUs."""
    cpu = host.get("cpu", "")
    if isinstance(cpu, Mapping):
        return f"{cpu.get('model', 'unknown')}, {cpu.get('logical', '?')} CPUs"
    return str(cpu)


def _setting(row: MatrixRow) -> SettingSynopsis:
    setting = row.setting
    cells = {each.column.contender: each for each in row.cells if each.summary is not None}
    cells |= {name: each for each in row.cells if each.judged and (name := each.column.contender)}
    synopsis_cells = tuple(map(_cell, cells.values()))
    return SettingSynopsis(setting.key, setting.title, setting.judged, row.detects, synopsis_cells)


def _cell(cell: MatrixCell) -> CellSynopsis:
    assert cell.summary is not None
    versus = None
    if cell.judged is not None and cell.said is not None:
        made, other = cell.judged.comparison, cell.judged.b_label
        versus = Versus(other, made.ratio, made.interval95, made.blocks, cell.said)
    time_us = cell.summary.latency_us.value
    return CellSynopsis(cell.column.contender, time_us, cell.shown, versus)
