"""A terminal breaks no number, and no quantity before its unit."""

import io

import pytest
from rich.console import Console, Group, RenderableType
from rich.table import Table

from wirelab.report.unbroken import Text
from wirelab.terminal.words import percent, whole

SENTENCE = f"It sustains {whole(2410)} to {whole(1234567)} a second at {percent(0.95)} of all"


def shown(renderable: RenderableType, width: int) -> list[str]:
    console = Console(width=width, file=io.StringIO(), color_system=None)
    console.print(renderable)
    assert isinstance(console.file, io.StringIO)
    return [line.rstrip(" ") for line in console.file.getvalue().splitlines()]


@pytest.mark.parametrize("width", range(10, 70, 3))
def test_lines_end_at_ordinary_spaces_only(width: int) -> None:
    lines = shown(Group(Text(SENTENCE)), width)

    assert max(map(len, lines)) <= width
    assert " ".join(lines) == SENTENCE
    assert "2\u202f410" in " ".join(lines)


def test_a_cell_of_a_narrow_table_keeps_its_numbers() -> None:
    table = Table(box=None, show_header=False)
    table.add_row(Text(SENTENCE), Text(SENTENCE, style="bold"))

    found = "\n".join(shown(table, 60))

    for number in (whole(2410), whole(1234567), percent(0.95)):
        assert found.count(number) == 2
