"""Score tables in published.toml: mistakes are found where they are."""

from typing import Any

import pytest
from pydantic import ValidationError

from wirelab.study.score import ScoreTable

CONTEXT = {"printed": {"contender": {"A": "a", "B": "b"}}}


def table(points: dict[str, float], metric: str = "throughput_per_s") -> dict[str, Any]:
    criterion = {"title": "fast", "metric": metric, "where": {}, "points": points}
    group = {"title": "speed", "criteria": [criterion], "subtotal": {"A": 2, "B": 1}}
    return {"source": "Table 1", "title": "Points", "groups": [group], "total": {"A": 2, "B": 1}}


def test_a_right_table_is_read() -> None:
    read = ScoreTable.model_validate(table({"A": 2, "B": 1}), context=CONTEXT)

    assert read.groups[0].criteria[0].points == {"A": 2.0, "B": 1.0}


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (table({"A": 2, "C": 1}), "one of A, B"),
        (table({"A": 2}), "points for A, B in every line"),
        (table({"A": 2, "B": -1}), "greater than or equal to 0"),
        (table({"A": 2, "B": 1}, metric="throughput"), "throughput_per_s"),
    ],
)
def test_a_wrong_table_says_what_would_be_right(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        ScoreTable.model_validate(wrong, context=CONTEXT)
