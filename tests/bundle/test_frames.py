"""A bundle in a notebook: data frames with units in their names."""

import itertools
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import wirelab
from tests.support.bundles.circumstances import Circumstances
from tests.support.bundles.synthetic import copy_of, write_bundle
from tests.support.requests import problems_of
from tests.support.wording import raises_worded
from wirelab.bundle import Bundle
from wirelab.inputs.problems import ProblemsError

PERMUTATIONS = 10


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    path = tmp_path_factory.mktemp("frames") / "bundle"
    return write_bundle(
        path,
        blocks=2,
        requests=300,
        permutations=PERMUTATIONS,
        workloads=("fetch_one",),
        invalid=1,
    )


@pytest.fixture
def spoiled(bundle: Bundle, tmp_path: Path) -> Bundle:
    """A copy for a test to spoil."""
    return copy_of(bundle, tmp_path / "bundle")


def test_a_notebook_opens_a_bundle_by_its_path(bundle: Bundle) -> None:
    assert wirelab.open_bundle(str(bundle.path)).info == bundle.info


def test_metrics_have_one_row_for_each_run_with_its_cell_and_scalars(bundle: Bundle) -> None:
    frame = bundle.metrics()

    assert len(frame) == 12
    assert frame["twin"].sum() == 2
    assert set(frame["status"]) == {"valid", "invalid"}
    ordered = ["min", "p50", "p90", "p95", "p99", "p999", "max"]
    for lower, upper in itertools.pairwise(ordered):
        assert (frame[f"latency_{lower}_us"] <= frame[f"latency_{upper}_us"]).all()
    for column in (
        *("latency_mean_us", "latency_sd_us", "lag_p99_us", "throughput_per_s", "permutations"),
        *(f"{role}_cpu_us_per_transaction" for role in ("contender", "store", "engine")),
        *("contender_memory_peak_bytes", "payload_received_bytes_per_transaction", "restore_s"),
        *("engine_busy_share", "steal_share", "median_stolen_share", "idle_cpu_share"),
    ):
        assert frame[column].notna().all(), column


def test_a_runs_scalars_agree_with_its_samples(bundle: Bundle) -> None:
    row = bundle.metrics().iloc[0]
    samples = bundle.samples(row["run_id"])

    assert row["latency_p50_us"] == pytest.approx(samples["response_us"].median(), rel=2e-3)
    assert "latency_typical_us" not in row  # a report's typical time combines slices
    assert len(samples) == row["transactions"] == 300
    assert samples["response_us"].mean() == pytest.approx(row["latency_mean_us"], rel=1e-4)
    assert samples["service_us"].max() == pytest.approx(row["service_max_us"], rel=1e-3)


def test_slices_have_one_row_for_each_turn_with_its_cell(bundle: Bundle) -> None:
    frame = bundle.slices()

    assert len(frame) == 12 * PERMUTATIONS
    assert frame["recorded"].all()
    for _, permutation in frame.groupby(["block_id", "permutation"]):
        assert sorted(permutation["position"]) == [1, 2, 3, 4, 5, 6]
        assert permutation["run_id"].nunique() == 6
    assert {"contender", "workload", "twin", "attempt", "session"} <= set(frame.columns)


def test_a_slices_scalars_agree_with_its_samples(bundle: Bundle) -> None:
    for _, row in bundle.slices().groupby("run_id").head(1).iterrows():
        samples = bundle.samples(row["run_id"])
        mine = samples[samples["slice"] == row["number"]]

        assert len(mine) == row["transactions"]
        assert mine["response_us"].mean() == pytest.approx(row["mean_us"], rel=1e-4)
        assert np.sort(mine["response_us"])[len(mine) // 2 - 1] == pytest.approx(
            row["median_us"], rel=1e-4
        )
        assert mine["end_ns"].max() <= row["ended_ns"] + 1


def test_a_run_of_two_sessions_has_its_slices_in_both(tmp_path: Path) -> None:
    others = ("soap-lxml", "graphql-graphene", "websocket-flask-sock")
    happens = Circumstances(groups=(("grpc-grpcio",), others))
    bundle = write_bundle(
        tmp_path / "bundle", blocks=1, requests=50, workloads=("fetch_one",), happens=happens
    )

    sessions = bundle.slices().groupby("contender")["session"].unique().map(set).to_dict()
    assert sessions == {"rest-flask": {1, 2}, "grpc-grpcio": {1}, **{name: {2} for name in others}}
    assert len(bundle.metrics()) == 3 + 5


def test_series_and_wire_are_frames_too(bundle: Bundle) -> None:
    assert bundle.series().empty  # of slices: they are the series
    assert set(bundle.wire()["transactions"]) == {1, 2, 10, 100}


def test_a_separate_window_has_a_series_of_seconds(tmp_path: Path) -> None:
    bundle = write_bundle(
        tmp_path / "bundle",
        blocks=1,
        requests=300,
        workloads=("fetch_one",),
        stores=("mongodb",),
        design="paper",
    )
    series, metrics = bundle.series(), bundle.metrics()

    assert series["transactions"].sum() == len(metrics) * 300
    assert {"run_id", "contender", "second", "service_p99_us"} <= set(series.columns)
    assert set(metrics["permutations"]) == {0}
    assert sorted(metrics["session"]) == list(range(1, len(metrics) + 1))


def test_an_empty_bundle_gives_empty_frames(tmp_path: Path) -> None:
    (tmp_path / "blocks").mkdir()
    bundle = Bundle(tmp_path)

    for frame in (bundle.runs(), bundle.metrics(), bundle.slices(), bundle.series()):
        assert isinstance(frame, pd.DataFrame)
        assert frame.empty


def test_samples_of_an_unknown_run_name_the_known_runs(bundle: Bundle) -> None:
    with pytest.raises(ProblemsError, match=r"see runs\(\)"):
        bundle.samples("b99-nobody")


def test_a_broken_result_of_a_run_that_counts_is_named(spoiled: Bundle) -> None:
    (torn,) = (
        block
        for block in spoiled.block_records()
        if any(run.status == "invalid" for run in block.runs)
    )
    path = spoiled.path / torn.run_folder(torn.runs[0]) / "result.json"
    result = json.loads(path.read_text())
    (lost,) = (run.run.id for run in torn.runs if run.status == "invalid")

    # What does not count may be missing …
    result["targets"] = [each for each in result["targets"] if each["name"] != lost]
    path.write_text(json.dumps(result))
    assert len(spoiled.metrics()) == 11

    # … and what counts may not be broken.
    del result["targets"][0]["counts"]["failed"]
    path.write_text(json.dumps(result))
    with raises_worded(ProblemsError):
        spoiled.metrics()


def first_slices(bundle: Bundle) -> Path:
    block = bundle.block_records()[0]
    return bundle.path / block.run_folder(block.runs[0]) / "slices.parquet"


def test_truncated_slices_are_named(spoiled: Bundle) -> None:
    first_slices(spoiled).write_bytes(b"PAR1 torn")

    with raises_worded(ProblemsError):
        spoiled.slices()


def test_slices_without_their_columns_are_named(spoiled: Bundle) -> None:
    path = first_slices(spoiled)
    pd.read_parquet(path).drop(columns=["run_id", "median_us"]).to_parquet(path)

    assert [problem.key for problem in problems_of(spoiled.slices)] == ["run_id", "median_us"]
