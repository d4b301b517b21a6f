"""A bundle's verdicts at a glance: the first rows of the report's matrix, and all counted."""

from collections import Counter
from dataclasses import dataclass

from wirelab.analysis.matrix import MatrixColumn
from wirelab.analysis.synopsis import CellSynopsis, SettingSynopsis, Synopsis
from wirelab.analysis.wording import WORDINGS
from wirelab.report.theme import VERDICT_STYLE
from wirelab.terminal import words

MOST_ROWS, MOST_COLUMNS = 3, 6


@dataclass(frozen=True, slots=True)
class VerdictTally:
    """The number of occurrences of one verdict, with its sign, words and style."""

    sign: str
    words: str
    style: str
    count: int


@dataclass(frozen=True, slots=True)
class Glance:
    """What the list shows of a bundle; a cell is None if it was not measured.

    `columns` have the contender and what it is compared with; "" for none. `further` names how many
    settings have no row and contenders no column; "" if there are none. `tallies` cover all.
    """

    columns: tuple[tuple[MatrixColumn, str], ...]
    rows: tuple[tuple[SettingSynopsis, tuple[CellSynopsis | None, ...]], ...]
    further: str
    tallies: tuple[VerdictTally, ...]


def glance_at(synopsis: Synopsis) -> Glance:
    """Use the settings that questions ask about; if there are none, all."""
    settings = synopsis.judged or synopsis.settings
    columns = tuple(
        (column, band.baseline.label)
        for band in synopsis.bands
        for column in band.columns
        if not column.is_baseline
    )
    if not columns:
        columns = tuple((column, "") for band in synopsis.bands for column in band.columns)
    more = {
        "more contender": len(columns) - MOST_COLUMNS,
        "more setting": len(settings) - MOST_ROWS,
    }
    columns = columns[:MOST_COLUMNS]
    wording = WORDINGS[synopsis.reported_as]
    styles = {mark: VERDICT_STYLE[outcome] for mark, outcome in wording.outcomes().items()}
    signs = Counter(
        cell.versus.said.sign
        for setting in settings
        for cell in setting.cells
        if cell.versus is not None
    )
    return Glance(
        columns=columns,
        rows=tuple(
            (setting, tuple(setting.cell(column.contender) for column, _ in columns))
            for setting in settings[:MOST_ROWS]
        ),
        further=words.listed(words.plural(n, what) for what, n in more.items() if n > 0),
        tallies=tuple(
            VerdictTally(mark, meaning, styles[mark], signs[mark])
            for mark, meaning in wording.legend()
            if signs[mark]
        ),
    )
