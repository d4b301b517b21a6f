"""The matrix in a terminal: settings in rows, contenders in columns, as many as fit.

Words and signs express everything; colour only repeats them.
"""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from wirelab import words
from wirelab.analysis.matrix import Column, Matrix, MatrixCell, MatrixRow
from wirelab.analysis.wording import sign
from wirelab.statistics import Interval, Outcome

COLOURS = {
    Outcome.FASTER: "green",
    Outcome.SLOWER: "red",
    Outcome.SAME: "cyan",
    Outcome.CANNOT_TELL: "yellow",
}

LEAST_TITLE, GAP = 20, 2
"""Widths in characters: of a setting's name, and between two columns."""


def matrix_view(matrix: Matrix, width: int) -> Iterator[RenderableType]:
    """Show the settings that questions ask about; if there are none, all."""
    rows = matrix.judged or matrix.others
    if not rows:
        yield Text("No valid run has been recorded yet, so there are no results.")
        return
    texts = {id(cell): _cell(cell) for row in rows for cell in row.cells}
    widths = [
        max([_width(Text(_head(column))), *(_width(texts[id(row.cells[number])]) for row in rows)])
        for number, column in enumerate(matrix.columns)
    ]
    for first, last in _fitting(widths, width):
        yield Text()
        yield _table(matrix, rows, range(first, last), texts)
    yield _legend(matrix)


def _fitting(widths: Sequence[int], width: int) -> Iterator[tuple[int, int]]:
    """Split the columns into tables that are narrow enough."""
    first = used = 0
    for number, needed in enumerate(widths):
        if number > first and LEAST_TITLE + used + needed + GAP > width:
            yield first, number
            first, used = number, 0
        used += needed + GAP
    yield first, len(widths)


def _table(
    matrix: Matrix, rows: Sequence[MatrixRow], numbers: range, texts: dict[int, Text]
) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="dim")
    table.add_column("", min_width=LEAST_TITLE - GAP)
    for number in numbers:
        table.add_column(_head(matrix.columns[number]), no_wrap=True)
    for row in rows:
        title = Text.assemble(row.setting.title, (f"\n{row.resolves}", "dim"))
        table.add_row(title, *(texts[id(row.cells[number])] for number in numbers))
    return table


def _head(column: Column) -> str:
    return f"{column.label}\nvs {column.against}" if column.against else column.label


def _cell(cell: MatrixCell) -> Text:
    """Render ratio and 95 % interval of one contender; for the baseline its figure."""
    if cell.summary is None:
        return Text(cell.words, style="dim")
    if cell.judged is None:
        return Text.assemble(cell.shown, (f"\n{cell.words}", "dim"))
    comparison, verdict = cell.judged.comparison, cell.verdict
    interval = _interval(comparison.interval95) if cell.has_blocks else cell.words
    ratio = f"{sign(verdict) or ' '} {words.times(comparison.ratio)}"
    style = COLOURS[verdict.outcome] if verdict else "dim"
    aside = f"\n{cell.aside}" if cell.aside else ""
    return Text.assemble((ratio, style), (f"\n{interval}{aside}", "dim"))


def _interval(interval: Interval | None) -> str:
    """Render it as narrow as possible."""
    return words.between(interval).strip("[]").replace(", ", "–")


def _width(text: Text) -> int:
    return max(len(line) for line in text.plain.splitlines())


def _legend(matrix: Matrix) -> Text:
    signs = "  ".join(
        f"{mark} {meaning}".replace(" ", words.NO_BREAK) for mark, meaning in matrix.legend
    )
    return Text(
        f"{words.capital(matrix.title)} {matrix.relative_to}, with 95 % intervals\n{signs}",
        style="dim",
    )
