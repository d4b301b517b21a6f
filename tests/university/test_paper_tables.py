"""The paper's tables about the data: what is printed of them is what is made here."""

import pytest

from benches.university import paper_tables as tables
from tests.university.contenders.standing import UNIVERSITY

PAGE = UNIVERSITY.folder.parents[1] / "studies" / "lingbm-2022" / "tables.md"


def rows(title: str) -> dict[str, list[str]]:
    """Return the rows of a table of the page, by their first cell."""
    section = PAGE.read_text(encoding="utf-8").partition(f"## {title}")[2].partition("\n## ")[0]
    lines = [line.strip("| ").split(" | ") for line in section.splitlines() if line[:1] == "|"]
    return {cells[0]: cells[1:] for cells in lines[2:]}


@pytest.mark.parametrize("scale", [1, 10])
def test_rows_and_objects_are_those_of_the_paper(scale: int) -> None:
    _, counted, objects = tables.made_here(scale)

    assert (counted, objects) == tables.TABLE_3[scale][1:]
    assert rows("Table 3")[str(scale)][:4] == [f"{counted:,}"] * 2 + [f"{objects:,}"] * 2


@pytest.mark.parametrize("scale", [1, 10])
def test_instances_are_those_of_the_paper(scale: int) -> None:
    counts = tables.instances_here(scale)
    column = list(tables.TABLE_4).index(scale)

    assert counts == tables.TABLE_4[scale]
    for template, count in zip(tables.TEMPLATES, counts, strict=True):
        assert rows("Table 4")[template][column] == f"{count:,} / {count:,}"


def test_leaves_lie_within_the_paper_s_bounds() -> None:
    for template, (answered, least, most) in tables.leaves_here(1).items():
        low, high = tables.bounds(template, 1)

        assert answered > 0
        assert low <= least <= most <= high, template
        assert rows("Table 5")[template][2] == f"{least:,} – {most:,}"


@pytest.mark.thorough(reason="all scale factors")
def test_the_committed_page_is_reproduced(capsys: pytest.CaptureFixture[str]) -> None:
    assert tables.main([]) == 0
    assert capsys.readouterr().out.strip() == PAGE.read_text(encoding="utf-8").strip()
