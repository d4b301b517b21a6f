"""The class of every run's course, from its samples to the report."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from wirelab.analysis import Analysis
from wirelab.analysis.settling import SLOTS, course, total
from wirelab.bundle import Bundle
from wirelab.statistics import Settling, classify_settling

from .synthetic import copy_of

Course = Callable[[np.ndarray], np.ndarray]


@pytest.fixture
def spoiled(few: Bundle, tmp_path: Path) -> Bundle:
    return copy_of(few, tmp_path / "bundle")


def rewrite(bundle: Bundle, change: Course) -> str:
    """Let the first run of a bundle take another course over its window; return its id."""
    run = bundle.run_records()[0].folder_name
    path = bundle.samples_path(run)
    frame = pd.read_parquet(path)
    share = np.linspace(0.0, 1.0, len(frame))
    spans = (1_000_000 * change(share)).astype(np.int64)
    frame["end_ns"] = np.cumsum(spans)
    frame["start_ns"] = frame["end_ns"] - spans
    frame.to_parquet(path, index=False)
    return run


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (np.ones_like, Settling.FLAT),
        (lambda share: np.where(share < 0.2, 3.0, 1.0), Settling.WARM_UP),
        (lambda share: np.where(share < 0.2, 1.0, 3.0), Settling.SLOW_DOWN),
        (lambda share: 2.0 - share, Settling.NO_STEADY_STATE),
    ],
)
def test_a_short_window_is_classified_by_parts(
    spoiled: Bundle, change: Course, expected: Settling
) -> None:
    parts = course(spoiled, rewrite(spoiled, change))

    assert len(parts) == SLOTS
    assert classify_settling(parts).settling is expected


def test_too_few_transactions_are_too_short_to_judge(spoiled: Bundle) -> None:
    run = spoiled.run_records()[0].folder_name
    path = spoiled.samples_path(run)
    pd.read_parquet(path).head(60).to_parquet(path, index=False)

    assert classify_settling(course(spoiled, run)).settling is Settling.TOO_SHORT


def test_a_run_without_samples_has_no_course(spoiled: Bundle) -> None:
    run = spoiled.run_records()[0].folder_name
    spoiled.samples_path(run).unlink()

    assert course(spoiled, run) == []


def test_every_run_that_counts_is_in_one_class(analysis: Analysis, page: str) -> None:
    rows = sum(row.summary.runs for setting in analysis.settings for row in setting.rows)

    assert sum(total(analysis.settled).values()) == rows
    assert "Did the runs settle?" in page
