"""The class of every run's course, from its slices or samples to the analysis."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.support.bundles.models import models_of
from tests.support.bundles.small import write_small
from tests.support.bundles.synthetic import copy_of
from wirelab.analysis import Analysis, analyse
from wirelab.analysis.cautions.caution import Caution
from wirelab.analysis.cautions.settling import SettlingUnknown, find_unsettled
from wirelab.analysis.figures.settling import SLOTS, SettlingSummary, course, total
from wirelab.analysis.values import RunValues
from wirelab.bundle import SLICES, Bundle
from wirelab.bundle.frames import SAMPLES
from wirelab.planning.schedule import Run
from wirelab.statistics import Settling, classify_settling
from wirelab.study import load_study

Course = Callable[[np.ndarray], np.ndarray]

PERMUTATIONS = 40


def falls(share: np.ndarray) -> np.ndarray:
    return 2.0 - share


@pytest.fixture(scope="module")
def in_turns(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    """Runs that took turns."""
    models = models_of("rest-flask", "grpc-grpcio")
    folder = tmp_path_factory.mktemp("turns")
    return write_small(folder, blocks=2, permutations=PERMUTATIONS, models=models)


def course_of(
    bundle: Bundle, folder: Path, file: str, change: Callable[[pd.DataFrame, Run], pd.DataFrame]
) -> list[float]:
    """Return the course of the first run after a change of a file of its session."""
    spoiled = copy_of(bundle, folder / "bundle")
    block = spoiled.block_records()[0]
    run, path = block.runs[0].run, spoiled.path / block.run_folder(block.runs[0]) / file
    change(pd.read_parquet(path), run).to_parquet(path, index=False)
    values = RunValues.from_bundle(spoiled, load_study(spoiled.study_folder))
    return course(spoiled, values, run.cell, run.block)


def found_in(settled: Sequence[SettlingSummary]) -> list[Caution]:
    return list(find_unsettled(settled, has_budget=False, more_helps=True))


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (np.ones_like, Settling.FLAT),
        (lambda share: np.maximum(1.0, 3.0 - 5.0 * share), Settling.SETTLED_LATER),
        (lambda share: np.minimum(3.0, 1.0 + 5.0 * share), Settling.SETTLED_LATER),
        (falls, Settling.NO_STEADY_STATE),
    ],
)
def test_turns_are_classified_by_their_slices(
    in_turns: Bundle, tmp_path: Path, change: Course, expected: Settling
) -> None:
    medians = 1000.0 * change(np.linspace(0.0, 1.0, PERMUTATIONS))

    def with_medians(table: pd.DataFrame, run: Run) -> pd.DataFrame:
        table.loc[table["run_id"] == run.id, "median_us"] = medians
        return table

    found = course_of(in_turns, tmp_path, SLICES, with_medians)

    assert found == pytest.approx(medians.tolist())
    assert classify_settling(found).settling is expected


@pytest.mark.parametrize(
    ("change", "expected"),
    [(np.ones_like, Settling.FLAT), (falls, Settling.NO_STEADY_STATE)],
)
def test_a_window_is_classified_by_parts(
    apart: Bundle, tmp_path: Path, change: Course, expected: Settling
) -> None:
    def with_times(frame: pd.DataFrame, _: Run) -> pd.DataFrame:
        spans = (1_000_000 * change(np.linspace(0.0, 1.0, len(frame)))).astype(np.int64)
        ends = np.cumsum(spans)
        return frame.assign(end_ns=ends, start_ns=ends - spans)

    parts = course_of(apart, tmp_path, SAMPLES, with_times)

    assert len(parts) == SLOTS
    assert classify_settling(parts).settling is expected


def test_too_few_transactions_are_too_short_to_judge(apart: Bundle, tmp_path: Path) -> None:
    found = course_of(apart, tmp_path, SAMPLES, lambda frame, _: frame.head(60))

    assert classify_settling(found).settling is Settling.TOO_SHORT


def test_a_slice_without_an_answer_is_left_out_of_the_course(
    in_turns: Bundle, tmp_path: Path
) -> None:
    def without_one(table: pd.DataFrame, run: Run) -> pd.DataFrame:
        table.loc[table.index[table["run_id"] == run.id][3], "median_us"] = np.nan
        return table

    assert len(course_of(in_turns, tmp_path, SLICES, without_one)) == PERMUTATIONS - 1


def test_every_run_that_counts_is_in_one_class(analysis: Analysis) -> None:
    rows = sum(row.summary.runs for setting in analysis.settings for row in setting.rows)

    assert sum(total(analysis.procedure.settled).values()) == rows
    assert total(analysis.procedure.settled) == {"flat": rows}


def test_runs_too_short_to_judge_are_described_as_they_were_measured(
    in_turns: Bundle, apart: Bundle, tmp_path: Path
) -> None:
    short = copy_of(apart, tmp_path / "bundle")
    for file in short.path.rglob(SAMPLES):
        table = pd.read_parquet(file)
        table.groupby("target").head(199).to_parquet(file, index=False)
    (windows,) = found_in(analyse(short).procedure.settled)

    settled = [
        replace(each, runs={Settling.TOO_SHORT: 2}) for each in analyse(in_turns).procedure.settled
    ]
    (turns,) = found_in(settled)
    (mixed,) = found_in([*settled, replace(settled[0], by_slices=False)])

    courses = [it.course for it in (windows, turns, mixed) if isinstance(it, SettlingUnknown)]
    assert courses == ["window", "slices", "both"]
