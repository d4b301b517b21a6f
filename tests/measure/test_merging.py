"""Results of agents put together: exactly what one engine would say of all transactions."""

import json
import math
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hdrh.histogram import HdrHistogram

from tests.support.jobs import one_target
from wirelab.engine.histograms import decode_histogram
from wirelab.engine.job import AgentShare, Endpoint, Job
from wirelab.engine.result import EngineResult, MeasuredWindow
from wirelab.installation.programs import find_program
from wirelab.measure.driver import run_engine
from wirelab.measure.merging import merge_results

AGENTS = 8
TRANSACTIONS = 400


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Start a server that answers everything at once."""
    command = [str(find_program("wirelab-load")), "null", "http", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().decode().strip().split("://")[1].rstrip("/")
        finally:
            server.kill()


def job(address: str, folder: Path, agent: AgentShare | None) -> Job:
    """Return a job with two operations, of which each agent has its part."""
    return one_target(
        Endpoint(transport="http1", address=address),
        folder,
        agent=agent,
        connections={"count": AGENTS},
        pacer={"kind": "constant", "rate_per_s": 4000.0},
        requests=[{"path": "/a"}, {"path": "/b"}, {"path": "/c"}],
        transactions=[
            {"operation": name, "rounds": [[number]]} for number, name in enumerate("aab")
        ],
        stop={"transactions": TRANSACTIONS},
    )


def carried_out(
    address: str, folder: Path, agent: AgentShare | None
) -> tuple[EngineResult, pd.DataFrame]:
    """Run one engine; also return every single transaction."""
    folder.mkdir()
    result = run_engine(job(address, folder, agent), folder)
    return result, pd.read_parquet(folder / "samples.parquet")


@pytest.fixture(scope="module")
def agents(
    address: str, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Sequence[EngineResult], pd.DataFrame]:
    """Run eight agents, one after the other, and return what they have measured."""
    folder = tmp_path_factory.mktemp("agents")
    done = [
        carried_out(address, folder / str(number), AgentShare(number=number, of=AGENTS))
        for number in range(AGENTS)
    ]
    return [result for result, _ in done], pd.concat([samples for _, samples in done])


def recorded(values_ns: Sequence[int]) -> HdrHistogram:
    """Record values as another implementation of the histogram does."""
    histogram = HdrHistogram(1, 3_600_000_000_000, 3)
    for value in values_ns:
        histogram.record_value(max(0, value))
    return histogram


def counts(histogram: HdrHistogram) -> list[tuple[int, int]]:
    """Return all counts that are not zero, each with its place."""
    every = range(histogram.counts_len)
    return [(at, count) for at in every if (count := histogram.get_count_at_index(at))]


def response_ns(samples: pd.DataFrame) -> list[int]:
    """Return all response times."""
    times: list[int] = (samples["end_ns"] - samples["intended_ns"]).tolist()
    return times


def test_counts_are_those_of_one_engine_over_all_samples(
    agents: tuple[Sequence[EngineResult], pd.DataFrame], address: str, tmp_path: Path
) -> None:
    alone, own_samples = carried_out(address, tmp_path / "alone", None)
    own = counts(decode_histogram(alone.only.histograms.response))
    assert own == counts(recorded(response_ns(own_samples)))  # the engine and we count alike
    assert alone.only.to_merge is None

    results, samples = agents
    merged = merge_results(
        results, MeasuredWindow(started_unix_ns=5, ended_unix_ns=6, duration_s=0.1)
    )

    target = merged.only
    assert target.counts.transactions == TRANSACTIONS == len(samples)
    assert target.throughput_per_s == TRANSACTIONS / 0.1
    assert target.offered_rate_per_s == alone.only.offered_rate_per_s == 4000.0
    response = counts(decode_histogram(target.histograms.response))
    assert response == counts(recorded(response_ns(samples)))
    service = (samples["end_ns"] - samples["start_ns"]).tolist()
    assert counts(decode_histogram(target.histograms.service)) == counts(recorded(service))
    schedule = sorted(samples["intended_ns"].tolist())
    assert schedule == sorted(own_samples["intended_ns"].tolist())  # the same schedule together


def test_merged_figures_are_those_of_all_samples(
    agents: tuple[Sequence[EngineResult], pd.DataFrame],
) -> None:
    results, samples = agents
    merged = merge_results(
        results, MeasuredWindow(started_unix_ns=5, ended_unix_ns=6, duration_s=0.1)
    )
    times = np.array(response_ns(samples)) / 1e3
    lags = (samples["start_ns"] - samples["intended_ns"]).to_numpy() / 1e3
    latency = merged.only.latency_us
    for summary, values in ((latency.response, times), (latency.lag, lags)):
        assert summary.count == len(values)
        assert summary.mean == pytest.approx(values.mean())
        assert summary.sd == pytest.approx(values.std(ddof=1))
        assert (summary.min, summary.max) == pytest.approx((values.min(), values.max()))
        for share, found in ((0.5, summary.p50), (0.9, summary.p90), (0.99, summary.p99)):
            exact = np.sort(values)[math.ceil(share * len(values)) - 1]
            assert found == pytest.approx(exact, rel=1e-3)
    operations = {it.name: it for it in merged.only.operations}
    by_name = dict(samples["operation"].value_counts())
    assert {name: it.transactions for name, it in operations.items()} == by_name
    for name, operation in operations.items():
        own = samples[samples["operation"] == name]
        assert operation.response_us.mean == pytest.approx(np.mean(response_ns(own)) / 1e3)
    assert latency.connect is not None
    assert latency.connect.count == AGENTS
    assert merged.only.bytes.lifetime.connections == AGENTS
    assert EngineResult.model_validate_json(merged.model_dump_json()) == merged


def test_merging_one_result_changes_nothing(
    agents: tuple[Sequence[EngineResult], pd.DataFrame],
) -> None:
    first = agents[0][0].only
    merged = merge_results(agents[0][:1], first.window).only
    for summary, own in (
        (merged.latency_us.response, first.latency_us.response),
        (merged.latency_us.first_byte, first.latency_us.first_byte),
        (merged.latency_us.lag, first.latency_us.lag),
    ):
        assert json.loads(summary.model_dump_json()) == pytest.approx(
            json.loads(own.model_dump_json())
        )
    assert merged.counts == first.counts
    assert merged.engine.cpu_us_per_transaction == pytest.approx(
        first.engine.cpu_us_per_transaction, rel=0.01
    )


def test_results_of_whole_loads_are_not_merged(
    agents: tuple[Sequence[EngineResult], pd.DataFrame],
) -> None:
    result = agents[0][0]
    whole = result.model_copy(
        update={"targets": (result.only.model_copy(update={"to_merge": None}),)}
    )
    with pytest.raises(ValueError, match="has no agent"):
        merge_results([whole], result.only.window)
