"""A bundle's verdicts at a glance: the first rows of the report's matrix, and all counted."""

from collections import Counter
from dataclasses import dataclass

from wirelab.analysis.matrix import Column
from wirelab.analysis.synopsis import CellSynopsis, SettingSynopsis, Synopsis
from wirelab.analysis.wording import WORDINGS, sign
from wirelab.report.theme import VERDICT_STYLE

MOST_ROWS = 3


@dataclass(frozen=True, slots=True)
class Tally:
    """The number of occurrences of one verdict, with its sign, words and style."""

    sign: str
    words: str
    style: str
    count: int


@dataclass(frozen=True, slots=True)
class Glance:
    """What the list shows of a bundle; a cell is None if it was not measured.

    `further` counts the settings that have no row. `tallies` cover all settings, including these.
    """

    columns: tuple[Column, ...]
    rows: tuple[tuple[SettingSynopsis, tuple[CellSynopsis | None, ...]], ...]
    further: int
    tallies: tuple[Tally, ...]


def glance_at(synopsis: Synopsis) -> Glance:
    """Use the settings that questions ask about; if there are none, all."""
    settings = synopsis.judged or synopsis.settings
    columns = tuple(each for each in synopsis.columns if not each.is_baseline)
    columns = columns or synopsis.columns
    wording = WORDINGS[synopsis.reported_as]
    styles = {mark: VERDICT_STYLE[outcome] for mark, outcome in wording.outcomes().items()}
    signs = Counter(
        sign(cell.versus.verdict)
        for setting in settings
        for cell in setting.cells
        if cell.versus is not None and cell.versus.verdict is not None
    )
    return Glance(
        columns=columns,
        rows=tuple(
            (setting, tuple(setting.cell(column.contender) for column in columns))
            for setting in settings[:MOST_ROWS]
        ),
        further=max(0, len(settings) - MOST_ROWS),
        tallies=tuple(
            Tally(mark, words, styles[mark], signs[mark])
            for mark, words in wording.legend()
            if signs[mark]
        ),
    )
