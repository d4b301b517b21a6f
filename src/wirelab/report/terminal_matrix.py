"""The matrix in a terminal: settings in rows, contenders in columns, as many as fit.

Many contenders in few settings are in rows, by question.

Words and signs express everything; colour only repeats them.
"""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.table import Table

from wirelab.analysis.matrix import Matrix, MatrixBand, MatrixCell, MatrixRow
from wirelab.report.unbroken import Text
from wirelab.statistics import Outcome
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
    yield legend(matrix)
    if matrix.is_tall:
        yield from _tall(matrix, rows, width)
        return
    texts = {id(cell): _cell(cell) for row in rows for cell in row.cells}
    for band in matrix.bands:
        if len(matrix.bands) > 1:
            yield Text()
            yield _question(band)
        widths = [
            max([len(column.label), *(_width(texts[id(row.cells[number])]) for row in rows)])
            for number, column in zip(band.positions, band.columns, strict=True)
        ]
        for first, last in fitting(widths, width, LEAST_TITLE):
            yield Text()
            yield _table(matrix, rows, band.positions[first:last], texts)


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
                Text.assemble(rows[number].setting.title, (f"\n{rows[number].detects}", "dim"))
                for number in shown
            ),
        )
        yield heading
        for band in matrix.bands:
            if len(matrix.bands) > 1:
                yield _question(band)
            table = fixed_table(name, [widths[number] for number in shown])
            for position in band.positions:
                cells = (texts[id(rows[number].cells[position])] for number in shown)
                table.add_row(Text(f"  {matrix.columns[position].label}"), *cells)
            yield table


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
        table.add_column(matrix.columns[number].label, no_wrap=True)
    for row in rows:
        title = Text.assemble(row.setting.title, (f"\n{row.detects}", "dim"))
        table.add_row(title, *(texts[id(row.cells[number])] for number in numbers))
    return table


def _question(band: MatrixBand) -> Text:
    return Text(words.capital(band.question), style="bold")


def _cell(cell: MatrixCell) -> Text:
    """Render ratio and 95 % interval of one contender; for the baseline its figure."""
    said = cell.said
    if cell.summary is None:
        return Text(cell.words, style="dim")
    if said is None:
        return Text.assemble(cell.shown, (f"\n{cell.words}", "dim"))
    has_enough = cell.judged is not None and cell.judged.comparison.has_enough_blocks
    # As narrow as possible.
    below = said.interval.strip("[]").replace(", ", "–") if has_enough else said.words
    style = COLOURS[said.outcome] if said.outcome else "dim"
    return Text.assemble((f"{said.sign or ' '} {said.ratio}", style), (f"\n{below}", "dim"))


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
