"""A bundle in a notebook: data frames with units in their names."""

import itertools
import json
from pathlib import Path

import pandas as pd
import pytest

import wirelab
from tests.report.synthetic import write_bundle
from wirelab.bundle import Bundle
from wirelab.problems import ProblemsError


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    path = tmp_path_factory.mktemp("frames") / "bundle"
    return write_bundle(path, blocks=2, requests=300, workloads=("fetch_one",), invalid=1)


def test_a_notebook_opens_a_bundle_by_its_path(bundle: Bundle) -> None:
    assert wirelab.open_bundle(str(bundle.path)).info == bundle.info


def test_metrics_hold_one_row_a_run_with_its_cell_and_scalars(bundle: Bundle) -> None:
    frame = bundle.metrics()

    assert len(frame) == 12
    assert frame["twin"].sum() == 2
    assert set(frame["status"]) == {"valid", "invalid"}
    ordered = ["min", "p50", "p90", "p95", "p99", "p999", "max"]
    for lower, upper in itertools.pairwise(ordered):
        assert (frame[f"latency_{lower}_us"] <= frame[f"latency_{upper}_us"]).all()
    for column in (
        "latency_mean_us",
        "latency_sd_us",
        "throughput_per_s",
        "contender_cpu_us_per_transaction",
        "store_cpu_us_per_transaction",
        "engine_cpu_us_per_transaction",
        "contender_memory_peak_bytes",
        "payload_received_bytes_per_transaction",
        "engine_busy_share",
        "steal_share",
        "lag_p99_us",
    ):
        assert frame[column].notna().all(), column


def test_a_runs_scalars_agree_with_its_samples(bundle: Bundle) -> None:
    row = bundle.metrics().iloc[0]
    samples = bundle.samples(row["run_id"])

    assert len(samples) == row["transactions"] == 300
    assert samples["response_us"].mean() == pytest.approx(row["latency_mean_us"], rel=1e-4)
    assert samples["service_us"].max() == pytest.approx(row["service_max_us"], rel=1e-3)


def test_series_and_wire_are_frames_too(bundle: Bundle) -> None:
    series, wire = bundle.series(), bundle.wire()

    assert series["transactions"].sum() == 12 * 300
    assert {"run_id", "contender", "second", "service_p99_us"} <= set(series.columns)
    assert set(wire["transactions"]) == {1, 2, 10, 100}


def test_an_empty_bundle_gives_empty_frames(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()

    for frame in (Bundle(tmp_path).runs(), Bundle(tmp_path).metrics(), Bundle(tmp_path).series()):
        assert isinstance(frame, pd.DataFrame)
        assert frame.empty


def test_a_broken_result_of_a_run_that_counts_is_named(tmp_path: Path) -> None:
    bundle = write_bundle(
        tmp_path / "bundle", blocks=1, requests=50, workloads=("fetch_one",), invalid=1
    )
    runs = {record.status: record.folder_name for record in bundle.run_records()}
    (bundle.path / "runs" / runs["invalid"] / "result.json").write_text("torn {")

    assert len(bundle.metrics()) == 5

    path = bundle.path / "runs" / runs["valid"] / "result.json"
    result = json.loads(path.read_text())
    del result["counts"]["failed"]
    path.write_text(json.dumps(result))
    with pytest.raises(ProblemsError, match=r"result\.json: counts\.failed missing"):
        bundle.metrics()
