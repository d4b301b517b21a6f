"""The results at a glance: settings in rows, contenders in columns, ratio and verdict in cells.

Many contenders in few settings are shown the other way round: contenders in rows, grouped by the
question that compares them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from wirelab.analysis.answers.exclusion import excluded_runs, none_counts
from wirelab.analysis.model import CellSummary, ComparedPair, Setting
from wirelab.analysis.result import Analysis
from wirelab.analysis.wording import Wording, wording_of
from wirelab.statistics import Comparison, Verdict
from wirelab.study import Cell, Study
from wirelab.terminal import words

MOST_COLUMNS = 10
"""Maximum number of contenders in columns if they can be in rows."""

MOST_ACROSS = 8
"""Maximum number of settings in columns."""


@dataclass(frozen=True, slots=True)
class MatrixColumn:
    """One contender; most of its cells compare it with `against` ("" for the baseline)."""

    contender: str
    label: str
    protocol: str
    is_baseline: bool
    against: str = ""
    question: str = ""
    """The text of the question that compares them; "" if there is none."""


@dataclass(frozen=True, slots=True)
class MatrixGroup:
    """The contenders, as positions of columns, that one question compares with `against`."""

    question: str
    against: str
    positions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """One contender in one setting; `summary` is None if it has no valid run there."""

    column: MatrixColumn
    summary: CellSummary | None
    judged: ComparedPair | None
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
        return self.judged is not None and self.judged.comparison.has_enough_blocks

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
            return needs_blocks(self.judged.comparison)
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
    columns: tuple[MatrixColumn, ...]
    judged: tuple[MatrixRow, ...]
    others: tuple[MatrixRow, ...]
    wording: Wording

    @property
    def is_tall(self) -> bool:
        """Whether contenders are in rows: there are many, and few settings."""
        return self.are_across(self.judged or self.others)

    def are_across(self, rows: Sequence[MatrixRow]) -> bool:
        """Return whether these settings are shown in columns, and contenders in rows."""
        return len(self.columns) > MOST_COLUMNS and len(rows) <= MOST_ACROSS

    @property
    def groups(self) -> tuple[MatrixGroup, ...]:
        """The contenders by question; the baseline belongs to the first group relative to it."""
        others = [each for each in self.columns if not each.is_baseline]
        first = next((each.question for each in others if not each.against), "")
        found: dict[tuple[str, str], list[int]] = {}
        for position, column in enumerate(self.columns):
            question = first if column.is_baseline else column.question
            key = (question, column.against or self.baseline_label)
            found.setdefault(key, []).append(position)
        return tuple(MatrixGroup(*key, tuple(positions)) for key, positions in found.items())

    @property
    def relative_to(self) -> str:
        """Describe what the ratios in the cells are relative to; "" if there are none."""
        if len(self.columns) < 2:
            return ""
        cells = [cell for row in (*self.judged, *self.others) for cell in row.cells]
        if not any(cell.against for cell in cells):
            return f"relative to {self.baseline_label}"
        if not self.is_tall:
            return f"relative to {self.baseline_label}, or to the one that column or cell names"
        also = ", or to the one that a cell names" if any(cell.aside for cell in cells) else ""
        return f"relative to the contender that each group names{also}"

    @property
    def legend(self) -> tuple[tuple[str, str], ...]:
        """The symbols of verdicts with their meaning; none without a comparison."""
        return self.wording.legend() if len(self.columns) > 1 else ()


def matrix_of(analysis: Analysis) -> Matrix:
    """Arrange the settings' results, with contenders in the study's order, the baseline first."""
    study = analysis.study
    measured = {row.summary.cell.contender for s in analysis.settings for row in s.rows}
    columns = tuple(
        MatrixColumn(name, analysis.labels[name], record.protocol, name == study.baseline)
        for name, record in sorted(
            analysis.contenders.items(), key=lambda item: item[0] != study.baseline
        )
        if name in measured
    )
    questions = _questions(analysis)
    columns = tuple(_compared(analysis, column, questions) for column in columns)
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


def _questions(analysis: Analysis) -> dict[frozenset[Cell], str]:
    """Return the text of the first question that asks for each comparison."""
    found: dict[frozenset[Cell], str] = {}
    for answer in analysis.answers:
        for pair in answer.pairs:
            found.setdefault(frozenset((pair.a, pair.b)), answer.text)
    return found


def _compared(
    analysis: Analysis, column: MatrixColumn, questions: Mapping[frozenset[Cell], str]
) -> MatrixColumn:
    """Add to a contender its most frequent counterpart, and the question that compares them."""
    compared = [
        (_against(pair, analysis.study), questions.get(frozenset((pair.a, pair.b)), ""))
        for setting in analysis.settings
        for row in setting.rows
        if (pair := row.judged) and pair.verdict and pair.a.contender == column.contender
    ]
    counterparts = [against for against, _ in compared]
    against = max(dict.fromkeys(counterparts), key=counterparts.count, default="")
    questions_of = [question for other, question in compared if other == against]
    question = max(dict.fromkeys(questions_of), key=questions_of.count, default="")
    return replace(column, against=against, question=question)


def _against(judged: ComparedPair | None, study: Study) -> str:
    if judged is None or judged.b.contender == study.baseline:
        return ""
    return judged.b_label


def _row(
    study: Study,
    setting: Setting,
    columns: Sequence[MatrixColumn],
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


def needs_blocks(comparison: Comparison) -> str:
    """Stand where a figure has too few blocks; the line of a comparison states its number."""
    return f"needs {comparison.method.least_blocks} blocks"


def resolves(setting: Setting) -> str:
    """Describe how small a difference a setting resolves."""
    found = setting.resolution
    if found is None:
        return "resolution not measured"
    if found.half_width_ratio is None:
        return f"resolution not known: {needs_blocks(found.twin)}"
    return f"resolves ±{words.percent(found.half_width_ratio)}"
