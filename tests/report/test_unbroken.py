"""A terminal breaks no number, and no quantity before its unit."""

import pytest
from rich.console import Group
from rich.table import Table

from tests.support.terminal import shown
from wirelab.report.unbroken import Text
from wirelab.terminal.words import percent, whole

SENTENCE = f"It sustains {whole(2410)} to {whole(1234567)} a second at {percent(0.95)} of all"


@pytest.mark.parametrize("width", range(10, 70, 3))
def test_lines_end_at_ordinary_spaces_only(width: int) -> None:
    lines = [line.rstrip(" ") for line in shown(Group(Text(SENTENCE)), width).splitlines()]

    assert max(map(len, lines)) <= width
    assert " ".join(lines) == SENTENCE
    assert "2\u202f410" in " ".join(lines)


def test_a_cell_of_a_narrow_table_keeps_its_numbers() -> None:
    table = Table(box=None, show_header=False)
    table.add_row(Text(SENTENCE), Text(SENTENCE, style="bold"))

    for number in (whole(2410), whole(1234567), percent(0.95)):
        assert shown(table, 60).count(number) == 2
