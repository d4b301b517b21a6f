"""The results at a glance: settings in rows, contenders in columns, ratio and verdict in cells."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from wirelab import words
from wirelab.analysis.exclusion import excluded_runs, none_counts
from wirelab.analysis.model import CellSummary, Judged, Setting
from wirelab.analysis.whole import Analysis
from wirelab.analysis.wording import Wording, wording_of
from wirelab.statistics import MINIMUM_BLOCKS, Verdict
from wirelab.study import Study


@dataclass(frozen=True, slots=True)
class Column:
    """One contender; most of its cells compare it with `against` ("" for the baseline)."""

    contender: str
    label: str
    protocol: str
    is_baseline: bool
    against: str = ""


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """One contender in one setting; `summary` is None if it has no valid run there."""

    column: Column
    summary: CellSummary | None
    judged: Judged | None
    wording: Wording
    against: str = ""
    """The contender that it is compared with; "" for the baseline."""
    excluded: int = 0
    """How many of its runs do not count."""

    @property
    def aside(self) -> str:
        """The contender that it is compared with, if it differs from the column's header."""
        if self.judged is None or self.against == self.column.against:
            return ""
        return f"vs {self.judged.b_label}"

    @property
    def shown(self) -> str:
        """Render the figure that contenders are judged by."""
        return "" if self.summary is None else self.wording.shown(self.summary)

    @property
    def verdict(self) -> Verdict | None:
        """The verdict of the comparison; None if the study asks for none."""
        return None if self.judged is None else self.judged.verdict

    @property
    def has_blocks(self) -> bool:
        """Whether there are enough blocks for a verdict."""
        return self.judged is not None and self.judged.comparison.blocks >= MINIMUM_BLOCKS

    @property
    def words(self) -> str:
        """Describe the size of the difference, or the reason why there is none."""
        if self.summary is None:
            return none_counts(self.excluded) if self.excluded else words.MISSING
        if self.column.is_baseline:
            return "baseline"
        if self.judged is None:
            return "no baseline"
        if self.verdict is None:
            return "not judged"
        if not self.has_blocks:
            return f"{self.judged.comparison.blocks}/{MINIMUM_BLOCKS} blocks"
        return self.wording.effect(self.judged.comparison.ratio, self.verdict)


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """One setting, with a cell for each column."""

    setting: Setting
    cells: tuple[MatrixCell, ...]

    @property
    def resolves(self) -> str:
        """Describe how small a difference the setting resolves."""
        return resolves(self.setting)


@dataclass(frozen=True, slots=True)
class Matrix:
    """The matrix. Questions ask about the rows in `judged`; `others` are all further rows."""

    title: str
    baseline_label: str
    columns: tuple[Column, ...]
    judged: tuple[MatrixRow, ...]
    others: tuple[MatrixRow, ...]
    wording: Wording

    @property
    def relative_to(self) -> str:
        """Describe what the ratios in the cells are relative to."""
        rows = (*self.judged, *self.others)
        others = any(cell.against for row in rows for cell in row.cells)
        also = ", or to the one that column or cell names" if others else ""
        return f"relative to {self.baseline_label}{also}"

    @property
    def legend(self) -> tuple[tuple[str, str], ...]:
        """The symbols of verdicts with their meaning."""
        return self.wording.legend()


def matrix_of(analysis: Analysis) -> Matrix:
    """Arrange the settings' results, with contenders in the study's order, the baseline first."""
    study = analysis.study
    measured = {row.summary.cell.contender for s in analysis.settings for row in s.rows}
    columns = tuple(
        Column(name, analysis.labels[name], record.protocol, name == study.baseline)
        for name, record in sorted(
            analysis.contenders.items(), key=lambda item: item[0] != study.baseline
        )
        if name in measured
    )
    columns = tuple(
        replace(column, against=_mostly_against(analysis, column.contender)) for column in columns
    )
    excluded = excluded_runs(analysis.validity.faulty)
    rows = [_row(study, setting, columns, excluded) for setting in analysis.settings]
    judged = [row for row in rows if row.setting.judged]
    return Matrix(
        title=study.primary.ratio_title,
        baseline_label=analysis.labels.get(study.baseline, study.baseline),
        columns=columns,
        judged=tuple(judged),
        others=tuple(row for row in rows if not row.setting.judged),
        wording=wording_of(study.primary),
    )


def _mostly_against(analysis: Analysis, contender: str) -> str:
    """Return the label of a contender's most frequent counterpart; "" for the baseline."""
    counterparts = [
        _against(row.judged, analysis.study)
        for setting in analysis.settings
        for row in setting.rows
        if row.judged and row.judged.verdict and row.summary.cell.contender == contender
    ]
    return max(dict.fromkeys(counterparts), key=counterparts.count, default="")


def _against(judged: Judged | None, study: Study) -> str:
    if judged is None or judged.b.contender == study.baseline:
        return ""
    return judged.b_label


def _row(
    study: Study,
    setting: Setting,
    columns: Sequence[Column],
    excluded: Mapping[tuple[str, str], int],
) -> MatrixRow:
    wording = wording_of(study.primary)
    rows = {row.summary.cell.contender: row for row in setting.rows}
    cells = []
    for column in columns:
        row = rows.get(column.contender)
        summary, judged = (row.summary, row.judged) if row else (None, None)
        against, count = _against(judged, study), excluded.get((setting.key, column.contender), 0)
        cells.append(MatrixCell(column, summary, judged, wording, against, count))
    return MatrixRow(setting, tuple(cells))


def resolves(setting: Setting) -> str:
    """Describe how small a difference a setting resolves, by its twin."""
    found = setting.resolution
    if found is None:
        return "resolution not measured"
    if found.half_width_ratio is None:
        return f"resolution not known: {found.twin.blocks}/{MINIMUM_BLOCKS} blocks"
    return f"resolves ±{words.percent(found.half_width_ratio)}"
