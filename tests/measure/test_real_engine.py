"""The real engine, driven, measured, killed and stopped."""

import os
import signal
import socket
import sys
import time
from itertools import pairwise
from pathlib import Path

import psutil
import pyarrow.parquet
import pytest

from tests.lab.conftest import is_alive
from tests.support.jobs import MakeJob
from wirelab.engine.errors import (
    AbortedError,
    EngineDiedError,
    EngineError,
    EngineHungError,
    JobRejectedError,
    TargetUnreachableError,
)
from wirelab.engine.histograms import decode_histogram
from wirelab.engine.job import (
    Connections,
    Expect,
    Job,
    JobWarmUp,
    Pacer,
    Precision,
    Replay,
    Request,
    Role,
    Slice,
    Stage,
    Stages,
    Stop,
)
from wirelab.engine.result import EngineResult
from wirelab.lab.network.ports import free_port, is_taken
from wirelab.lab.processes.cpu import plan_cpus
from wirelab.lab.processes.process import start_guarded
from wirelab.measure import driver
from wirelab.measure.conversation import Event
from wirelab.measure.driver import Engine, run_engine
from wirelab.study.loads import Wait

POST = Request(method="POST", path="/100", body=b"r" * 10, expect=Expect(status=200))
LONG = Stop(seconds=60)


def test_a_run_from_the_job_to_the_result(port: int, make_job: MakeJob, tmp_path: Path) -> None:
    cpus = plan_cpus().engine
    job = make_job(
        "fetch",
        f"127.0.0.1:{port}",
        requests=[POST],
        warm_up=JobWarmUp(transactions=20),
        stop=Stop(transactions=500),
        cpus=cpus,
        roles={"contender": Role(pid=os.getpid())},
    )

    result = run_engine(job, tmp_path)

    measured, (row,) = result.only, result.slices
    assert (measured.counts.succeeded, row.transactions) == (500, 500)
    assert result.engine.cpus == cpus
    assert (measured.engine.arrival, measured.engine.stamped_share) == ("engine", None)
    assert measured.bytes.window.payload_received == 500 * 100
    service = measured.latency_us.service
    histogram = decode_histogram(measured.histograms.service)
    assert histogram.get_total_count() == 500
    assert histogram.get_value_at_percentile(50) / 1000 == pytest.approx(service.p50, rel=0.01)
    assert pyarrow.parquet.read_table(tmp_path / "samples.parquet").num_rows == 500
    assert EngineResult.read(tmp_path / "result.json") == result
    # This process is the server: what it used is in the row, and no more than there were CPUs.
    used_us = row.cpu_us["contender"]
    assert used_us is not None
    whole_us = (row.guard_ns + row.ended_ns - row.started_ns + row.drain_ns) / 1e3
    assert 0 < used_us < 1.5 * whole_us * (os.cpu_count() or 1)
    assert 0 < row.engine_cpu_us <= result.engine.cpu_user_us + result.engine.cpu_system_us + 1


def two_servers(job: Job) -> Job:
    """Let a job have its target twice, and be driven."""
    (target,) = job.targets
    twin = target.model_copy(update={"name": "twin"})
    return job.model_copy(update={"targets": (target, twin), "stop": None, "control": True})


def test_two_targets_take_turns(port: int, make_job: MakeJob, tmp_path: Path) -> None:
    job = two_servers(make_job("fetch", f"127.0.0.1:{port}", requests=[POST]))
    turn = {"stop": Stop(transactions=20), "guard_us": 2_000}

    with Engine.start(job, tmp_path) as driven:
        warm = [driven.warm_up(target, transactions=5) for target in (0, 1)]
        rehearsed = driven.slices([Slice(target=0, **turn)], recorded=False)
        rows = driven.slices([Slice(target=target, **turn) for target in (1, 0, 0)])
        result = driven.finish()

    assert [each.target for each in warm] == [0, 1]
    assert all(each.transactions >= 5 and each.failed == 0 for each in warm)
    assert [(row.number, row.target, row.recorded) for row in (*rehearsed, *rows)] == [
        (0, 0, False),
        (1, 1, True),
        (2, 0, True),
        (3, 0, True),
    ]
    assert {row.transactions for row in rows} == {20}
    assert all(row.guard_ns >= 2_000_000 and row.share_recorded < 1 for row in rows)
    assert all(one.ended_ns < other.started_ns for one, other in pairwise(rows))
    assert result.slices == (*rehearsed, *rows)
    assert result.target("contender").counts.succeeded == 40
    assert result.target("twin").counts.succeeded == 20


def stages(*rates_and_seconds: tuple[float, float, float]) -> Stages:
    return Stages(
        stages=tuple(
            Stage(from_rate_per_s=first, to_rate_per_s=last, seconds=seconds)
            for first, last, seconds in rates_and_seconds
        )
    )


@pytest.mark.parametrize(
    "schedule",
    [
        (stages((100, 300, 0.5), (300, 300, 1)), 100),
        (stages((100, 100, 0.25), (300, 300, 1)), 100),
        (Replay(times_us=tuple(range(0, 200_000, 5_000))), 40),
    ],
)
@pytest.mark.parametrize("wait", ["precise", "spin"])
def test_every_schedule_that_a_job_can_name(
    port: int, make_job: MakeJob, tmp_path: Path, schedule: tuple[Pacer, int], wait: Wait
) -> None:
    pacer, transactions = schedule
    job = make_job(
        "fetch",
        f"127.0.0.1:{port}",
        requests=[POST],
        connections=Connections(count=4),
        pacer=pacer,
        wait=wait,
        stop=Stop() if isinstance(pacer, Replay) else Stop(seconds=0.5),
    )

    measured = run_engine(job, tmp_path).only

    counts = measured.counts
    assert counts.transactions + counts.never_sent == pytest.approx(transactions, abs=1)
    assert counts.failed == 0
    assert measured.engine.arrival == "kernel"


def test_a_run_that_stops_when_enough_is_known(
    port: int, make_job: MakeJob, tmp_path: Path
) -> None:
    job = make_job(
        "fetch",
        f"127.0.0.1:{port}",
        requests=[POST],
        stop=Stop(seconds=60, precision=Precision(of="p50", half_width=0.2)),
    )

    measured = run_engine(job, tmp_path).only

    assert measured.precision is not None
    assert measured.precision.reached
    assert measured.precision.estimate is not None
    assert measured.precision.estimate.half_width <= 0.2


def test_a_job_only_the_engine_can_refuse(port: int, make_job: MakeJob, tmp_path: Path) -> None:
    job = make_job(address=f"127.0.0.1:{port}", connections=Connections(streams_per_connection=2))

    with pytest.raises(JobRejectedError, match="streams_per_connection"):
        run_engine(job, tmp_path)


def test_an_unreachable_server(make_job: MakeJob, tmp_path: Path) -> None:
    port = free_port()

    with pytest.raises(TargetUnreachableError, match=f"127.0.0.1:{port}"):
        run_engine(make_job(address=f"127.0.0.1:{port}"), tmp_path)


class Sender:
    """Sends a signal to the engine itself as soon as it puts load on a target."""

    def __init__(self, number: signal.Signals) -> None:
        self._number = number

    def watch(self, driven: Engine) -> None:
        """Take note of the process that the engine descends from."""
        self._guard = driven.pid

    def on_event(self, event: Event) -> None:
        if event["event"] == "progress":
            (load,) = psutil.Process(self._guard).children()
            os.kill(load.pid, self._number)


@pytest.fixture
def long_job(port: int, make_job: MakeJob) -> Job:
    """Make a job that is driven by commands, for a server that answers."""
    return make_job("fetch", f"127.0.0.1:{port}", requests=[POST], control=True)


@pytest.mark.parametrize(
    ("number", "error"), [(signal.SIGKILL, EngineDiedError), (signal.SIGSTOP, EngineHungError)]
)
def test_an_engine_that_is_killed_or_suspended(
    long_job: Job,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    number: signal.Signals,
    error: type[EngineError],
) -> None:
    monkeypatch.setattr(driver, "SILENCE_S", 1.5)
    sender = Sender(number)

    with Engine.start(long_job, tmp_path, on_event=sender.on_event) as driven:
        sender.watch(driven)
        with pytest.raises(error):
            driven.slices([Slice(target=0, stop=LONG)])
        pid = driven.pid

    assert not is_alive(pid)


def test_a_suspended_contender_fails_its_slice_and_no_other(
    port: int, make_job: MakeJob, tmp_path: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        patient = Connections(request_timeout_ms=300, connect_timeout_ms=300)
        job = two_servers(
            make_job("fetch", f"127.0.0.1:{port}", requests=[POST], connections=patient)
        )
        good, stuck = job.targets
        stuck = stuck.model_copy(update={"address": address})
        job = job.model_copy(update={"targets": (good, stuck)})
        # The good one ends by count: on a busy machine 50 ms may pass before it has begun.
        stops = {0: Stop(transactions=5), 1: Stop(seconds=0.05)}
        with Engine.start(job, tmp_path) as driven:
            before, never, after = driven.slices(
                [Slice(target=target, stop=stops[target]) for target in (0, 1, 0)]
            )
            guarded, again = driven.slices(
                [Slice(target=target, guard_us=5_000, stop=stops[target]) for target in (1, 0)]
            )
            driven.finish()

    assert (never.transactions, never.errors) == (1, {"timeout": 1})
    assert never.drain_ns > 0
    # The request of the guard took its place: nothing at all was recorded.
    assert (guarded.transactions, guarded.failed) == (0, 0)
    for row in (before, after, again):
        assert (row.transactions, row.failed) == (5, 0)


def test_a_contender_that_is_killed_under_load(make_job: MakeJob, tmp_path: Path) -> None:
    port = free_port()
    serve = [sys.executable, "-m", "http.server", "--bind", "127.0.0.1", str(port)]
    contender = start_guarded(serve, role="contender", log_path=tmp_path / "log", cwd=tmp_path)
    while not is_taken(port):
        time.sleep(0.01)

    def kill(event: Event) -> None:
        if event["event"] == "progress":
            contender.signal(signal.SIGKILL)

    with pytest.raises(AbortedError, match="ended with 137"):
        run_engine(
            make_job("fetch", f"127.0.0.1:{port}", stop=LONG),
            tmp_path,
            on_event=kill,
            watch=lambda: f"ended with {code}" if (code := contender.poll()) else None,
        )

    assert EngineResult.read(tmp_path / "result.json").interrupted


def test_ctrl_c_leaves_no_engine_and_keeps_what_was_measured(long_job: Job, tmp_path: Path) -> None:
    def interrupt(event: Event) -> None:
        if event["event"] == "progress":
            raise KeyboardInterrupt

    with Engine.start(long_job, tmp_path, on_event=interrupt) as driven:
        with pytest.raises(KeyboardInterrupt):
            driven.slices([Slice(target=0, stop=LONG)])
        pid = driven.pid

    assert not is_alive(pid)
    assert EngineResult.read(tmp_path / "result.json").interrupted
