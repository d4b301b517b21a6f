"""Metrics over the time of a run: seconds of windows, turns of sessions."""

from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from wirelab.analysis.figures.time_series import MOST_POINTS, Courses
from wirelab.analysis.values import RunValues
from wirelab.study import Cell

CELL = Cell("rest", "read", "postgresql", "native", "ten-users")


def seconds(
    run: str, count: int, *, attempt: int = 1, first: float = 100.0
) -> list[dict[str, Any]]:
    """Fabricate a window whose last second was cut short."""
    return [
        {
            "run_id": run,
            "attempt": attempt,
            "second": second,
            "transactions": first + second if second < count - 1 else 3,
            "service_p50_us": 1000.0 + second,
            "response_p99_us": 2000.0 + second,
        }
        for second in range(count)
    ]


def courses(rows: list[dict[str, Any]], *runs: str) -> Courses:
    window = {"run_id": runs, "permutation": 1, "recorded": True}  # which is one slice
    bundle: Any = SimpleNamespace(
        series=lambda: pd.DataFrame(rows),
        slices=lambda: pd.DataFrame(window),
        counting=lambda frame: frame[frame["attempt"] == 1] if "attempt" in frame else frame,
    )
    frame = pd.DataFrame({"run_id": runs})
    return Courses(bundle, RunValues({CELL: frame}, {}, (), "rest"))


def test_a_course_has_the_whole_seconds_of_every_run() -> None:
    found = courses([*seconds("b01", 4), *seconds("b02", 3, first=200.0)], "b01", "b02")

    assert found.of("throughput_per_s", CELL) == {
        0.5: [100.0, 200.0],
        1.5: [101.0, 201.0],
        2.5: [102.0],
    }
    assert found.of("latency_p50_us", CELL)[1.5] == [1001.0, 1001.0]
    assert found.of("latency_p99_us", CELL)[2.5] == [2002.0]


def test_a_second_without_an_answer_has_a_rate_but_no_time() -> None:
    rows = seconds("b01", 4)
    rows[1] |= {"transactions": 0, "service_p50_us": 0.0, "response_p99_us": 0.0}

    found = courses(rows, "b01")

    assert found.of("throughput_per_s", CELL)[1.5] == [0.0]
    assert list(found.of("latency_p50_us", CELL)) == [0.5, 2.5]


def test_only_the_attempt_that_counts_is_drawn_and_only_of_valid_runs() -> None:
    rows = [
        *seconds("b01", 3),
        *seconds("b01", 3, attempt=2, first=500.0),  # it broke off
        *seconds("b02", 3),
    ]

    assert courses(rows, "b01").of("throughput_per_s", CELL) == {0.5: [100.0], 1.5: [101.0]}


def test_a_window_of_less_than_a_second_has_no_course() -> None:
    assert courses(seconds("b01", 1), "b01").of("throughput_per_s", CELL) == {}
    assert courses([], "b01").of("throughput_per_s", CELL) == {}


def test_a_long_window_has_points_of_several_seconds() -> None:
    found = courses(seconds("b01", 151), "b01").of("throughput_per_s", CELL)

    assert len(found) == 50 <= MOST_POINTS
    assert next(iter(found)) == pytest.approx(1.5)
    assert next(iter(found.values())) == pytest.approx([101.0])
