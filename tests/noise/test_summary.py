"""The tables of the noise trials, from results of now and of before."""

import json
from pathlib import Path
from typing import Any

import pytest

from benches.noise.summary import print_summary

ROW = {"setting": "control", "half_width": 0.05, "minutes": 4.5, "decided": 3, "questions": 3}


def rows(**more: Any) -> list[dict[str, Any]]:
    return [ROW | {"metric": metric} | more for metric in ("typical", "mean")]


def test_pairs_are_counted_beside_questions_where_the_results_have_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = {"quiet": rows(), "disturbed": rows(pairs={"decided": 11, "all": 30})}
    for condition, each in found.items():
        path = tmp_path / f"resolution-{condition}.json"
        path.write_text(json.dumps({"rows": each}))

    print_summary(tmp_path)

    lines = capsys.readouterr().out.splitlines()
    assert "| quiet | control | ±5.0% | ±5.0% | 3 of 3 | – | 4.5 |" in lines
    assert "| disturbed | control | ±5.0% | ±5.0% | 3 of 3 | 11 of 30 | 4.5 |" in lines
