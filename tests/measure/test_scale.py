"""The engine's promises of size, on two CPUs: 10,000 connections, and 10 million samples."""

import json
import subprocess
import time
from pathlib import Path
from statistics import median
from typing import Any

import psutil
import pyarrow.parquet
import pytest

from tests.support.jobs import one_target
from wirelab.engine.job import Closed, Connections, Expect, Job, JobWarmUp, Request, Stop
from wirelab.installation.programs import find_program
from wirelab.lab.processes.cpu import plan_cpus
from wirelab.measure.ceiling import BYTES, NullServer, null_server

pytestmark = pytest.mark.thorough(reason="three minutes of load at the limit of the machine")

MB = 1_000_000
CONNECTIONS = 10_000
CONNECTIONS_MB = 30
SERVER_MB = 500
WORKERS = 64
WORKER_MB = 3
WORKERS_S = 3
SAMPLES = 10_000_000
SAMPLES_MB = 64


def job(server: NullServer, folder: Path, clients: int, stop: Stop, *, samples: bool) -> Job:
    return one_target(
        server.address,
        folder,
        connections=Connections(count=clients),
        pacer=Closed(clients=clients),
        warm_up=JobWarmUp(transactions=2 * clients),
        stop=stop,
        requests=[Request(expect=Expect(body_length=BYTES))],
        cpus=plan_cpus().engine,
        samples=samples,
    )


def run(job: Job, folder: Path) -> dict[str, Any]:
    """Run the engine by itself and return the result of the only target.

    The most memory it had is what it says of itself: what its parent would be told holds the
    parent's own, from between fork and exec.
    """
    job.write(folder / "job.json")
    program = find_program("wirelab-load")
    subprocess.run([program, folder / "job.json"], stdout=subprocess.DEVNULL, check=True)
    result: dict[str, Any] = json.loads((folder / "result.json").read_text())
    (target,) = result["targets"]
    target["engine"] |= result["engine"]
    return dict(target)


def test_ten_thousand_connections(tmp_path: Path) -> None:
    with null_server("http", plan_cpus().system, tmp_path) as server:
        stop = Stop(seconds=5)
        result = run(job(server, tmp_path, CONNECTIONS, stop, samples=True), tmp_path)
        server_bytes = psutil.Process(server.pid).memory_info().rss

    engine_bytes = result["engine"]["memory_peak_bytes"]
    print(
        f"{CONNECTIONS} connections: {result['throughput_per_s']:.0f}/s, engine"
        f" {engine_bytes / MB:.0f} MB, server {server_bytes / MB:.0f} MB,"
        f" {result['engine']['cpu_us_per_transaction']:.2f} µs a transaction"
    )
    assert result["counts"]["failed"] == 0
    assert result["counts"]["transactions"] > 10 * CONNECTIONS
    assert result["bytes"]["lifetime"]["connections"] == CONNECTIONS
    assert result["little_closure"] == pytest.approx(1.0, abs=0.03)
    assert engine_bytes <= CONNECTIONS_MB * MB
    assert server_bytes <= SERVER_MB * MB


def test_sixty_four_workers(tmp_path: Path) -> None:
    """What each worker costs in memory and in merging; they share the CPUs that there are."""
    ended = {}
    with null_server("http", plan_cpus().system, tmp_path) as server:
        cpus = plan_cpus().engine
        for workers in (1, WORKERS):
            started = time.monotonic()
            each = job(server, tmp_path, 10 * WORKERS, Stop(seconds=5), samples=True)
            few = each.model_copy(update={"cpus": (cpus * workers)[:workers]})
            result = run(few, tmp_path)
            beside_s = time.monotonic() - started - result["window"]["duration_s"]
            ended[workers] = result["engine"]["memory_peak_bytes"], beside_s
            assert result["counts"]["failed"] == 0

    (one_bytes, one_s), (all_bytes, all_s) = ended[1], ended[WORKERS]
    each_bytes = (all_bytes - one_bytes) / (WORKERS - 1)
    print(f"each worker {each_bytes / MB:.2f} MB; opening and merging {one_s:.2f}, {all_s:.2f} s")
    assert each_bytes <= WORKER_MB * MB
    assert all_s <= one_s + WORKERS_S


def test_ten_million_samples_in_little_memory(tmp_path: Path) -> None:
    with null_server("http", plan_cpus().system, tmp_path) as server:
        stop = Stop(transactions=SAMPLES)
        result = run(job(server, tmp_path, 64, stop, samples=True), tmp_path)

    engine_bytes = result["engine"]["memory_peak_bytes"]
    samples = pyarrow.parquet.ParquetFile(tmp_path / "samples.parquet").metadata
    size = (tmp_path / "samples.parquet").stat().st_size
    print(
        f"{SAMPLES} samples: engine {engine_bytes / MB:.1f} MB, file {size / MB:.0f} MB,"
        f" {result['window']['duration_s']:.1f} s"
    )
    assert result["counts"]["succeeded"] == SAMPLES
    assert samples.num_rows == SAMPLES
    assert engine_bytes <= SAMPLES_MB * MB


def test_samples_do_not_slow_the_loop_down(tmp_path: Path) -> None:
    ratios: dict[str, list[float]] = {"cpu": [], "p99": []}
    with null_server("http", plan_cpus().system, tmp_path) as server:
        for number in range(6):
            measured = {}
            for samples in (True, False) if number % 2 else (False, True):
                stop = Stop(seconds=1.5)
                measured[samples] = run(job(server, tmp_path, 64, stop, samples=samples), tmp_path)
            with_samples, without = measured[True], measured[False]
            ratios["cpu"].append(
                with_samples["engine"]["cpu_us_per_transaction"]
                / without["engine"]["cpu_us_per_transaction"]
            )
            ratios["p99"].append(
                with_samples["latency_us"]["service"]["p99"]
                / without["latency_us"]["service"]["p99"]
            )

    print({name: [round(each, 3) for each in values] for name, values in ratios.items()})
    assert median(ratios["cpu"]) < 1.08
    assert median(ratios["p99"]) < 1.25
