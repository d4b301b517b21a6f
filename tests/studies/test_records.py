"""Records in the paper's form, and the paper's tables made of them."""

import io
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from wirelab.analysis.extension import Measurements
from wirelab.analysis.extension_loading import load_extension
from wirelab.planning.schedule import Run, schedule
from wirelab.study import Study, load_study

from .extensions import STUDIES, module_of

REQUESTS = module_of("quina-mera-2025", "records", "requests")
SIZES = (1, 100, 1000, 10000, 100000)


@pytest.fixture(scope="module")
def study() -> Study:
    return load_study("quina-mera-2025")


@pytest.fixture(scope="module")
def runs(study: Study) -> list[tuple[Run, pd.DataFrame]]:
    """All runs of the design `paper`, in which a request takes what the paper printed."""
    plan = schedule(study, "paper", 1)
    return [(run, samples_of(study, run)) for run in plan.runs]


def samples_of(study: Study, run: Run) -> pd.DataFrame:
    figure = study.published.figure("latency_mean_us", run.cell)
    assert figure is not None
    sets = study.workloads[run.cell.workload].parameter_sets
    starts = range(0, 5 * sets * 1_000_000, 1_000_000)
    return pd.DataFrame(
        {
            "parameter_set": [place % sets for place in range(5 * sets)],
            "intended_ns": starts,
            "start_ns": starts,
            "end_ns": [start + round(1000 * figure.values["latency_mean_us"]) for start in starts],
            "error": "",
        }
    )


@pytest.fixture(scope="module")
def table(study: Study, runs: list[tuple[Run, pd.DataFrame]]) -> Any:
    return REQUESTS.records(study, runs)


def test_there_are_380_samples_an_iteration_and_1520_in_all(table: pd.DataFrame) -> None:
    assert list(table.columns) == [
        "sample", "architecture", "environment", "use_case", "repetition", "records", "time_ms",
        "iteration", "proxy",
    ]  # fmt: skip
    assert list(table["sample"]) == list(range(1, 1521))
    assert table.groupby("iteration").size().to_list() == [380] * 4
    assert table.groupby(["environment", "architecture"]).size().to_list() == [380] * 4


def test_a_record_has_the_format_of_the_paper(table: pd.DataFrame) -> None:
    cell = table.query(
        "architecture == 'GraphQL' and environment == 'Docker' and use_case == 'CU2'"
        " and records == 100000 and iteration == 1"
    )

    assert list(cell["repetition"]) == [1, 2, 3, 4, 5]
    assert list(cell["time_ms"]) == pytest.approx([289.60] * 5)


def test_a_use_case_has_every_size_as_often(table: pd.DataFrame) -> None:
    counts = table.groupby(["use_case", "records"]).size()

    assert counts["CU1"].to_dict() == dict.fromkeys(SIZES[:4], 80)
    assert counts["CU4"].to_dict() == dict.fromkeys(SIZES, 80)


def test_the_overall_means_are_those_of_the_samples(table: pd.DataFrame) -> None:
    summary = REQUESTS.overall(table).loc[("Docker", "REST")]

    assert summary["mean"] == pytest.approx(876.384, abs=0.001)
    assert summary["n"] == 380
    assert summary["ci_low"] < summary["mean"] < summary["ci_high"]
    assert summary["ci_high"] - summary["ci_low"] == pytest.approx(
        2 * 1.9662 * summary["sd"] / 380**0.5, rel=1e-4
    )


def test_failed_runs_and_twins_are_left_out(
    study: Study, runs: list[tuple[Run, pd.DataFrame]]
) -> None:
    (run, samples), *_ = (each for each in runs if not each[0].cell.twin)
    twin = next(each for each in runs if each[0].cell.twin)
    failed = samples.assign(error=["timeout", *[""] * (len(samples) - 1)])

    table = REQUESTS.records(study, [(run, failed), twin])

    assert len(table) == len(samples) - 1


def test_a_level_that_the_paper_does_not_name_keeps_its_own(study: Study) -> None:
    plan = schedule(study, "long", 1)
    run = next(
        run
        for run in plan.runs
        if (run.cell.contender, run.cell.workload) == ("grpc-nestjs", "control")
    )

    table = REQUESTS.records(study, [(run, samples_of_ten())])

    assert set(table["architecture"]) == {"grpc-nestjs"}
    assert set(table["use_case"]) == {"control"}
    assert table["records"].isna().all()


def samples_of_ten() -> pd.DataFrame:
    numbers = range(10)
    return pd.DataFrame(
        {
            "parameter_set": [0] * 10,
            "intended_ns": numbers,
            "start_ns": numbers,
            "end_ns": numbers,
            "error": "",
        }
    )


def test_no_runs_make_an_empty_table(study: Study) -> None:
    assert REQUESTS.records(study, []).empty


def test_one_size_alone_is_a_record_of_its_use_case(study: Study) -> None:
    plan = schedule(study, "long", 1)
    run = next(run for run in plan.runs if run.cell.workload == "cu2_1000")

    table = REQUESTS.records(study, [(run, samples_of_ten())])

    assert set(table["use_case"]) == {"CU2"}
    assert set(table["records"]) == {1000}


def measured(study: Study, runs: list[tuple[Run, pd.DataFrame]]) -> Measurements:
    """Return a bundle with these runs, as far as the extension asks for it."""
    samples = {run.id: each for run, each in runs}
    block = SimpleNamespace(runs=[SimpleNamespace(run=run, status="valid") for run, _ in runs])
    bundle: Any = SimpleNamespace(last_attempts=lambda: [block], samples=samples.__getitem__)
    unused: Any = None
    return Measurements(bundle, study, (), unused, unused, {})


def test_the_extension_adds_the_tables_and_a_file_with_every_record(
    study: Study, runs: list[tuple[Run, pd.DataFrame]], table: pd.DataFrame
) -> None:
    extension = load_extension(STUDIES / study.id, str(study.extension))

    added = extension.additions(measured(study, runs))

    ((section,), (file,)) = (added.sections, added.files)
    assert section.name == file.name.removesuffix(".csv") == "records"
    assert sum(tables.samples for tables in section.content) == len(table)
    written = pd.read_csv(io.StringIO(file.text()))
    assert list(written.columns) == list(table.columns)
    assert written["time_ms"].to_list() == pytest.approx(table["time_ms"].to_list())


def test_the_extension_adds_nothing_if_no_run_has_a_number_of_records(study: Study) -> None:
    control = next(run for run in schedule(study, "long", 1).runs if run.cell.workload == "control")
    extension = load_extension(STUDIES / study.id, str(study.extension))

    for runs in ([], [(control, samples_of_ten())]):
        added = extension.additions(measured(study, runs))
        assert (added.sections, added.files) == ((), ())
