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
    """How often one verdict occurs, with its sign, its words and its style."""

    sign: str
    words: str
    style: str
    count: int


@dataclass(frozen=True, slots=True)
class Glance:
    """What a list shows of a bundle; a cell is None where nothing of it was measured.

    `further` counts the settings that have no row. `tallies` are over all settings, those included.
    """

    columns: tuple[Column, ...]
    rows: tuple[tuple[SettingSynopsis, tuple[CellSynopsis | None, ...]], ...]
    further: int
    tallies: tuple[Tally, ...]


def glance_at(synopsis: Synopsis) -> Glance:
    """Take the settings that questions ask about; where there are none, all."""
    settings = synopsis.judged or synopsis.settings
    columns = tuple(each for each in synopsis.columns if not each.is_baseline)
    columns = columns or synopsis.columns
    wording = WORDINGS[synopsis.told_as]
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
