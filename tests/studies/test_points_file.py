"""Tables of points in points.toml: mistakes are found where they are."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from tests.support.wording import raises_worded
from wirelab.inputs.problems import ProblemsError
from wirelab.study import load_extension_file, load_study

from .extensions import STUDIES, module_of

MODEL = module_of("sliwa-2021", "points", "model")
CONTEXT = {"printed": {"contender": {"A": "a", "B": "b"}}}


def table(points: dict[str, float], metric: str = "throughput_per_s") -> dict[str, Any]:
    criterion = {"title": "fast", "metric": metric, "where": {}, "points": points}
    group = {"title": "speed", "criteria": [criterion], "subtotal": {"A": 2, "B": 1}}
    return {"source": "Table 1", "title": "Points", "groups": [group], "total": {"A": 2, "B": 1}}


def test_a_valid_table_is_read() -> None:
    read = MODEL.ScoreTable.model_validate(table({"A": 2, "B": 1}), context=CONTEXT)

    assert read.groups[0].criteria[0].points == {"A": 2.0, "B": 1.0}


@pytest.mark.parametrize(
    "wrong",
    [
        table({"A": 2, "C": 1}),
        table({"A": 2}),
        table({"A": 2, "B": -1}),
        table({"A": 2, "B": 1}, metric="throughput"),
    ],
    ids=["unknown name", "missing name", "below 0", "unknown metric"],
)
def test_the_error_for_an_invalid_table_states_what_is_expected(wrong: dict[str, Any]) -> None:
    with raises_worded(ValidationError):
        MODEL.ScoreTable.model_validate(wrong, context=CONTEXT)


def test_mistakes_in_the_file_of_an_extension_are_found_together(tmp_path: Path) -> None:
    folder = shutil.copytree(STUDIES / "sliwa-2021", tmp_path / "sliwa-2021")
    file = folder / "points.toml"
    text = file.read_text()
    text = text.replace('load = "fifty-users"', 'load = "five-users"', 1)
    file.write_text(text.replace("REST = 13", "SOAP = 13"))

    with pytest.raises(ProblemsError) as caught:
        load_extension_file(load_study(folder), MODEL.PointsFile)

    places = {(problem.where, problem.key) for problem in caught.value.problems}
    assert places == {
        (str(file), "score.0.groups.0.criteria.0.where.load"),
        (str(file), "score.0.total"),
    }
