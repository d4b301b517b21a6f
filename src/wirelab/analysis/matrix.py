"""The results at a glance: settings in rows, contenders in columns, ratio and verdict in cells.

Contenders are in bands, one for each question that compares them: all cells of a band are relative
to one contender, its baseline. Many contenders in few settings are shown the other way round:
contenders in rows, below the question of their band.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wirelab.analysis.answers.exclusion import excluded_runs, none_counts
from wirelab.analysis.model import CellSummary, ComparedPair, Setting
from wirelab.analysis.result import Analysis
from wirelab.analysis.wording import Said, Wording, needs_blocks, say, wording_of
from wirelab.statistics import Verdict
from wirelab.study import Question
from wirelab.terminal import words

MOST_COLUMNS = 10
"""Maximum number of contenders in columns if they can be in rows."""

MOST_ACROSS = 8
"""Maximum number of settings in columns."""

BRIEF = 32
"""Maximum number of characters of a band's title that stands in for its question."""


@dataclass(frozen=True, slots=True)
class MatrixColumn:
    """One contender; unless it is the baseline of its band, its cells compare it with that."""

    contender: str
    label: str
    protocol: str
    is_baseline: bool


@dataclass(frozen=True, slots=True)
class MatrixBand:
    """The contenders that one question compares with a baseline, which is the first of them."""

    title: str
    """A few words for the question."""
    question: str
    columns: tuple[MatrixColumn, ...]
    first: int
    """The position of its first column."""

    @property
    def baseline(self) -> MatrixColumn:
        """The contender that the others are compared with."""
        return self.columns[0]

    @property
    def positions(self) -> range:
        """The positions of its columns."""
        return range(self.first, self.first + len(self.columns))


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """One contender in one setting; `summary` is None if it has no valid run there."""

    column: MatrixColumn
    summary: CellSummary | None
    judged: ComparedPair | None
    wording: Wording
    excluded: int = 0
    """How many of its runs do not count."""

    @property
    def shown(self) -> str:
        """Render the figure that contenders are judged by."""
        return "" if self.summary is None else self.wording.shown(self.summary)

    @property
    def verdict(self) -> Verdict | None:
        """The verdict of the comparison; None if the study asks for none."""
        return None if self.judged is None else self.judged.verdict

    @property
    def said(self) -> Said | None:
        """What is said of the comparison; None without one."""
        return None if self.judged is None else say(self.judged.comparison, self.judged.verdict)

    @property
    def words(self) -> str:
        """The verdict, or the reason why there is none."""
        if self.summary is None:
            return none_counts(self.excluded) if self.excluded else words.MISSING
        if self.column.is_baseline:
            return "baseline"
        return "no baseline" if self.said is None else self.said.words


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """One setting, with a cell for each column."""

    setting: Setting
    cells: tuple[MatrixCell, ...]

    @property
    def detects(self) -> str:
        """Describe how small a difference the setting detects."""
        return detects(self.setting)


@dataclass(frozen=True, slots=True)
class Matrix:
    """The matrix. Questions ask about the rows in `judged`; `others` are all further rows."""

    title: str
    bands: tuple[MatrixBand, ...]
    judged: tuple[MatrixRow, ...]
    others: tuple[MatrixRow, ...]
    wording: Wording

    @property
    def columns(self) -> tuple[MatrixColumn, ...]:
        """The columns of all bands."""
        return tuple(column for band in self.bands for column in band.columns)

    @property
    def contenders(self) -> tuple[MatrixColumn, ...]:
        """The contenders, each once."""
        return tuple({column.contender: column for column in self.columns}.values())

    @property
    def is_tall(self) -> bool:
        """Whether contenders are in rows: there are many, and few settings."""
        return self.are_across(self.judged or self.others)

    def are_across(self, rows: Sequence[MatrixRow]) -> bool:
        """Return whether these settings are shown in columns, and contenders in rows."""
        return len(self.columns) > MOST_COLUMNS and len(rows) <= MOST_ACROSS

    @property
    def relative_to(self) -> str:
        """Describe what the ratios in the cells are relative to; "" if there are none."""
        if len(self.columns) < 2:
            return ""
        if len(self.bands) > 1:
            return "relative to the baseline of each group"
        return f"relative to {self.bands[0].baseline.label}"

    @property
    def legend(self) -> tuple[tuple[str, str], ...]:
        """The symbols of verdicts with their meaning; none without a comparison."""
        return self.wording.legend() if len(self.columns) > 1 else ()


def matrix_of(analysis: Analysis) -> Matrix:
    """Arrange the settings' results: bands in the order of the questions, the baselines first."""
    bands = _bands(analysis)
    excluded = excluded_runs(analysis.validity.faulty)
    wording = wording_of(analysis.study.primary)
    rows = [_row(setting, bands, excluded, wording) for setting in analysis.settings]
    return Matrix(
        title=analysis.study.primary.ratio_title,
        bands=bands,
        judged=tuple(row for row in rows if row.setting.judged),
        others=tuple(row for row in rows if not row.setting.judged),
        wording=wording,
    )


def _bands(analysis: Analysis) -> tuple[MatrixBand, ...]:
    """Put each contender into the band of its most frequent counterpart and question.

    One that no question compares is in a band of its own kind, unless it is the baseline of others.
    """
    study = analysis.study
    measured = {row.summary.cell.contender for s in analysis.settings for row in s.rows}
    members: dict[tuple[str, str], list[str]] = {}
    unasked: list[str] = []
    for name in (name for name in analysis.contenders if name in measured):
        found = _compared(analysis, name)
        if found is not None:
            members.setdefault(found, []).append(name)
        elif name != study.baseline:
            unasked.append(name)
    asked = {baseline for _, baseline in members}
    unasked = [name for name in unasked if name not in asked]
    if measured and (unasked or not members):
        members["", study.baseline] = unasked
    questions = ["", *study.questions]
    bands: list[MatrixBand] = []
    for question, baseline in sorted(members, key=lambda key: questions.index(key[0])):
        columns = tuple(
            MatrixColumn(
                name, analysis.labels[name], analysis.contenders[name].protocol, name == baseline
            )
            for name in (baseline, *members[question, baseline])
            if name in analysis.contenders
        )
        asks, relative = study.questions.get(question), f"relative to {columns[0].label}"
        title, text = (relative, relative) if asks is None else (_title(asks), asks.text)
        bands.append(MatrixBand(title, text, columns, sum(len(band.columns) for band in bands)))
    return tuple(bands)


def _compared(analysis: Analysis, contender: str) -> tuple[str, str] | None:
    """Return the question that compares a contender, "" if several do, and with which other one.

    It is the one that it is compared with most often.
    """
    asked = {
        frozenset((pair.a, pair.b)): answer.question
        for answer in reversed(analysis.answers)
        for pair in answer.pairs
    }
    found = [
        (asked.get(frozenset((pair.a, pair.b)), ""), pair.b.contender)
        for setting in analysis.settings
        for row in setting.rows
        if (pair := row.judged) and pair.verdict and pair.a.contender == contender
    ]
    if not found:
        return None
    others = [other for _, other in found]
    most = max(dict.fromkeys(others), key=others.count)
    questions = {question for question, other in found if other == most}
    return questions.pop() if len(questions) == 1 else "", most


def _title(question: Question) -> str:
    """Name a question in a few words: how its answer begins, such as "In Python"."""
    start = question.sentence.partition("{answer}")[0].strip(" ,:;–")
    return start if 0 < len(start) <= BRIEF else question.text


def _row(
    setting: Setting,
    bands: Sequence[MatrixBand],
    excluded: Mapping[tuple[str, str], int],
    wording: Wording,
) -> MatrixRow:
    rows = {row.summary.cell.contender: row for row in setting.rows}
    cells = []
    for band in bands:
        for column in band.columns:
            row = rows.get(column.contender)
            summary, judged = None, None
            if row is not None:
                summary = row.summary
                judged = setting.comparison(column.contender, band.baseline.contender)
            count = excluded.get((setting.key, column.contender), 0)
            cells.append(MatrixCell(column, summary, judged, wording, count))
    return MatrixRow(setting, tuple(cells))


def detects(setting: Setting) -> str:
    """Describe how small a difference a setting detects."""
    resolution = setting.resolution
    if resolution is None:
        return "no twin: what it detects is not known"
    if resolution.half_width_ratio is None:
        return f"what it detects is not known: {needs_blocks(resolution.twin)}"
    return f"detects differences above about {words.percent(resolution.half_width_ratio)}"
