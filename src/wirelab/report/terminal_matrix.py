"""The matrix in a terminal: settings in rows, contenders in columns, as many as fit.

Many contenders in few settings are in rows, by question.

Words and signs express everything; colour only repeats them.
"""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.table import Table

from wirelab.analysis.matrix import Matrix, MatrixCell, MatrixColumn, MatrixGroup, MatrixRow
from wirelab.analysis.wording import sign
from wirelab.report.unbroken import Text
from wirelab.statistics import Interval, Outcome
from wirelab.terminal import words

COLOURS = {
    Outcome.FASTER: "green",
    Outcome.SLOWER: "red",
    Outcome.SAME: "cyan",
    Outcome.CANNOT_TELL: "yellow",
}

LEAST_TITLE, GAP = 20, 2
"""Widths in characters: of a setting's name, and between two columns."""

LEAST_SETTING = 18
"""Width in characters of a setting's column, where its name is the heading."""


def matrix_view(matrix: Matrix, width: int) -> Iterator[RenderableType]:
    """Show the settings that questions ask about; if there are none, all."""
    rows = matrix.judged or matrix.others
    if not rows:
        yield Text("No valid run has been recorded yet, so there are no results.")
        return
    if matrix.is_tall:
        yield from _tall(matrix, rows, width)
        yield legend(matrix)
        return
    texts = {id(cell): _cell(cell) for row in rows for cell in row.cells}
    widths = [
        max([_width(Text(_head(column))), *(_width(texts[id(row.cells[number])]) for row in rows)])
        for number, column in enumerate(matrix.columns)
    ]
    for first, last in fitting(widths, width, LEAST_TITLE):
        yield Text()
        yield _table(matrix, rows, range(first, last), texts)
    yield legend(matrix)


def fitting(widths: Sequence[int], width: int, title: int) -> Iterator[tuple[int, int]]:
    """Split the columns into tables that are narrow enough, after a title of this width."""
    first = used = 0
    for number, needed in enumerate(widths):
        if number > first and title + used + needed + GAP > width:
            yield first, number
            first, used = number, 0
        used += needed + GAP
    yield first, len(widths)


def _tall(matrix: Matrix, rows: Sequence[MatrixRow], width: int) -> Iterator[RenderableType]:
    """Show contenders in rows; each group has a table of the same widths below its question."""
    texts = {id(cell): _on_one_line(_cell(cell)) for row in rows for cell in row.cells}
    name = max(len(column.label) for column in matrix.columns) + GAP
    widths = [
        max([LEAST_SETTING, *(_width(texts[id(cell)]) for cell in row.cells)]) for row in rows
    ]
    for first, last in fitting(widths, width, name + GAP):
        shown = range(first, last)
        yield Text()
        heading = fixed_table(name, [widths[number] for number in shown])
        heading.add_row(
            "",
            *(
                Text.assemble(rows[number].setting.title, (f"\n{rows[number].resolves}", "dim"))
                for number in shown
            ),
        )
        yield heading
        for group in matrix.groups:
            if len(matrix.groups) > 1:
                yield _question(group, width)
            table = fixed_table(name, [widths[number] for number in shown])
            for position in group.positions:
                cells = (texts[id(rows[number].cells[position])] for number in shown)
                table.add_row(Text(f"  {matrix.columns[position].label}"), *cells)
            yield table


def _question(group: MatrixGroup, width: int) -> Text:
    """Show a group's question and other side, on two lines if one is too narrow."""
    question, relative = group.question or "Not judged", f"relative to {group.against}"
    gap = " " if len(question) + 1 + len(relative) <= width else "\n"
    return Text.assemble((question, "bold"), gap, (relative, "dim"))


def fixed_table(name: int, widths: Sequence[int]) -> Table:
    """Create a table without headings: a column for names, and others of these widths."""
    table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), show_header=False)
    table.add_column("", width=name, no_wrap=True)
    for width in widths:
        table.add_column("", width=width)
    return table


def _on_one_line(text: Text) -> Text:
    first, *others = text.split("\n")
    return Text.assemble(first, *(part for each in others for part in (" ", each)))


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


def _head(column: MatrixColumn) -> str:
    return f"{column.label}\nvs {column.against}" if column.against else column.label


def _cell(cell: MatrixCell) -> Text:
    """Render ratio and 95 % interval of one contender; for the baseline its figure."""
    if cell.summary is None:
        return Text(cell.words, style="dim")
    if cell.judged is None:
        return Text.assemble(cell.shown, (f"\n{cell.words}", "dim"))
    comparison, verdict = cell.judged.comparison, cell.verdict
    interval = _interval(comparison.interval95) if cell.has_blocks else cell.words
    ratio = f"{sign(verdict) or ' '} {words.times(comparison.ratio, comparison.interval95)}"
    style = COLOURS[verdict.outcome] if verdict else "dim"
    aside = f"\n{cell.aside}" if cell.aside else ""
    return Text.assemble((ratio, style), (f"\n{interval}{aside}", "dim"))


def _interval(interval: Interval | None) -> str:
    """Render it as narrow as possible."""
    return words.between(interval).strip("[]").replace(", ", "–")


def _width(text: Text) -> int:
    return max(len(line) for line in text.plain.splitlines())


def legend(matrix: Matrix) -> Text:
    """Say what ratios are relative to, and what the symbols of verdicts mean."""
    if not matrix.legend:
        return Text(words.capital(matrix.title), style="dim")
    signs = "  ".join(
        f"{mark} {meaning}".replace(" ", words.NO_BREAK) for mark, meaning in matrix.legend
    )
    return Text(
        f"{words.capital(matrix.title)} {matrix.relative_to}, with 95 % intervals\n{signs}",
        style="dim",
    )
