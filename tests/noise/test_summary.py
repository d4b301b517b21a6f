"""The tables of the noise trials, from results of now and of before; how captures are measured."""

import json
from pathlib import Path
from typing import Any

import pytest

from benches.noise.captures import ITEMS, WAYS, cpu_us_of, serving_pages
from benches.noise.page_server import page
from benches.noise.summary import print_summary

ROW = {"setting": "control", "half_width": 0.05, "minutes": 4.5, "decided": 3, "questions": 3}


NOISE = Path(__file__).parents[2] / "benches" / "noise"


def rows(**more: Any) -> list[dict[str, Any]]:
    return [ROW | {"metric": metric} | more for metric in ("typical", "mean")]


DISTURBED = "| disturbed | control | ±5.0 % | ±5.0 % | 3 of 3 | 11 of 30 | 4.5 |"


def test_pairs_are_counted_beside_questions_where_the_results_have_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = {"quiet": rows(), "disturbed": rows(pairs={"decided": 11, "all": 30})}
    for condition, each in found.items():
        path = tmp_path / f"resolution-{condition}.json"
        path.write_text(json.dumps({"rows": each}))

    print_summary(tmp_path)

    lines = capsys.readouterr().out.splitlines()
    assert "| quiet | control | ±5.0 % | ±5.0 % | 3 of 3 | – | 4.5 |" in lines
    assert DISTURBED in lines


def test_the_readme_has_the_tables_of_the_committed_results(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_summary(NOISE / "results")

    expected = capsys.readouterr().out.split("\n\n")
    readme = (NOISE / "README.md").read_text(encoding="utf-8")
    assert len(expected) > 8
    assert [table for table in expected if table not in readme] == []


def test_what_captures_cost_is_stated_by_length_of_the_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = [
        {
            "clients": 64,
            "bytes": size,
            "round": number,
            "without_us": 8.0,
            "header_us": 10.0,
            "json_us": 8.0 + size / 100,
        }
        for size in (100, 1000)
        for number in range(8)
    ]
    (tmp_path / "captures-quiet.json").write_text(json.dumps({"rows": found}))

    print_summary(tmp_path)

    cells = [
        [cell.strip() for cell in line.split("|")][3:-1]
        for line in capsys.readouterr().out.splitlines()[2:4]
    ]
    without, header = "8.0 µs", "10.0 µs"
    over, short, long = (f"{each} [{each}, {each}]" for each in ("1.250", "1.125", "2.250"))
    assert cells == [
        ["100 bytes", "8", without, header, "9.0 µs", over, short],
        ["1,000 bytes", "8", without, header, "18.0 µs", over, long],
    ]


@pytest.mark.parametrize("items", ITEMS)
def test_a_page_ends_with_the_cursor_of_the_next_one(items: int) -> None:
    body = page(items)

    assert json.loads(body)["next"] == 17
    assert 60 * items < len(body) < 100 * items + 40


def test_each_way_of_captures_can_be_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benches.noise.captures.SECONDS", 0.2)
    monkeypatch.setattr("benches.noise.captures.WARM_UP_S", 0.05)
    with serving_pages(1) as address:
        costs_us = [cpu_us_of(address, way, 2) for way in WAYS.values()]

    assert all(cost_us > 0 for cost_us in costs_us)
