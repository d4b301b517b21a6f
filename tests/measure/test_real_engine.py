"""The real engine, driven, measured, killed and stopped."""

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pyarrow.parquet
import pytest
from wirelab.measure.counters import CounterRecorder, Counters

from tests.lab.conftest import is_alive
from tests.support.undisturbed import undisturbed
from wirelab.lab.cpu import plan_cpus
from wirelab.lab.ports import free_port, is_taken
from wirelab.lab.process import start_guarded
from wirelab.measure import engine
from wirelab.measure.engine import Event, run_engine
from wirelab.measure.errors import (
    AbortedError,
    EngineDiedError,
    EngineHungError,
    JobRejectedError,
    TargetUnreachableError,
)
from wirelab.measure.job import (
    Connections,
    Expect,
    Job,
    Pacer,
    Precision,
    Ramp,
    Replay,
    Request,
    Staircase,
    Stop,
    Wait,
    WarmUp,
)
from wirelab.measure.result import EngineResult, decode_histogram

MakeJob = Callable[..., Job]
POST = Request(method="POST", path="/100", body=b"r" * 10, expect=Expect(status=200))
LONG = Stop(seconds=60)


class Sender:
    """Sends a signal to the engine itself as soon as the window has begun."""

    def __init__(self, number: signal.Signals) -> None:
        self._number = number
        self.guard = 0

    def started(self, pid: int) -> None:
        self.guard = pid

    def before_window(self) -> None:
        pass

    def after_window(self) -> None:
        pass

    def on_event(self, event: Event) -> None:
        if event["event"] == "progress":
            (load,) = psutil.Process(self.guard).children()
            os.kill(load.pid, self._number)


def test_a_run_from_the_job_to_the_result(port: int, make_job: MakeJob, tmp_path: Path) -> None:
    plan = plan_cpus()
    job = make_job(
        "fetch",
        f"127.0.0.1:{port}",
        requests=[POST],
        warm_up=WarmUp(transactions=20),
        stop=Stop(transactions=500),
        cpus=plan.engine,
    )

    def measured() -> tuple[EngineResult, Counters]:
        with CounterRecorder({"contender": os.getpid()}, plan) as recorder:
            return run_engine(job, tmp_path, observer=recorder), recorder.counters

    def is_read_in_time(run: tuple[EngineResult, Counters]) -> bool:
        return run[1].window_s == pytest.approx(run[0].window.duration_s, abs=0.1)

    result, counters = run = undisturbed(measured, is_read_in_time)

    assert result.counts.succeeded == 500
    assert result.engine.cpus == plan.engine
    assert (result.engine.arrival, result.engine.stamped_share) == ("engine", None)
    assert result.bytes.window.payload_received == 500 * 100
    service = result.latency_us.service
    histogram = decode_histogram(result.histograms.service)
    assert histogram.get_total_count() == 500
    assert histogram.get_value_at_percentile(50) / 1000 == pytest.approx(service.p50, rel=0.01)
    assert pyarrow.parquet.read_table(tmp_path / "samples.parquet").num_rows == 500
    assert EngineResult.read(tmp_path / "result.json") == result
    assert is_read_in_time(run), counters.window_s
    # Our readings lie around the engine's own, so they can only be larger, by little.
    own_us = result.engine.cpu_user_us + result.engine.cpu_system_us
    assert own_us <= counters.roles["engine"].cpu_us + 10_000
    assert counters.roles["engine"].cpu_us < own_us + 50_000


def test_an_engine_that_has_ended_before_it_is_read_has_counted_itself(
    port: int, make_job: MakeJob, tmp_path: Path
) -> None:
    plan = plan_cpus()

    class Late(CounterRecorder):
        def after_window(self) -> None:
            until_gone(self._roots["engine"])
            super().after_window()

    with Late({"contender": os.getpid()}, plan) as recorder:
        job = make_job("fetch", f"127.0.0.1:{port}", requests=[POST], stop=Stop(transactions=500))
        result = run_engine(job, tmp_path, observer=recorder)
        assert recorder.counters.roles["engine"].memory_median_bytes > 0
        own_us = result.engine.cpu_user_us + result.engine.cpu_system_us
        recorder.engine_used(own_us)

    assert recorder.counters.roles["engine"].cpu_us == own_us > 0


def until_gone(guard: int) -> None:
    deadline = time.monotonic() + 10
    while psutil.Process(guard).children():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.parametrize(
    "schedule",
    [
        (Ramp(from_rate_per_s=100, to_rate_per_s=300, seconds=0.5), 100),
        (Staircase(from_rate_per_s=100, to_rate_per_s=300, steps=2, step_seconds=0.25), 100),
        (Replay(times_us=tuple(range(0, 200_000, 5_000))), 40),
    ],
)
@pytest.mark.parametrize("wait", ["precise", "sleep_then_spin"])
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
        handshake=False,
    )

    result = run_engine(job, tmp_path)

    counts = result.counts
    assert counts.transactions + counts.never_sent == pytest.approx(transactions, abs=1)
    assert counts.failed == 0
    assert result.engine.arrival == "kernel"


def test_a_run_that_stops_when_enough_is_known(
    port: int, make_job: MakeJob, tmp_path: Path
) -> None:
    job = make_job(
        "fetch",
        f"127.0.0.1:{port}",
        requests=[POST],
        stop=Stop(seconds=60, precision=Precision(of="p50", half_width=0.2)),
        handshake=False,
    )

    result = run_engine(job, tmp_path)

    assert result.precision is not None
    assert result.precision.reached
    assert result.precision.estimate is not None
    assert result.precision.estimate.half_width <= 0.2
    assert result.window.duration_s < 50


def test_a_job_only_the_engine_can_refuse(port: int, make_job: MakeJob, tmp_path: Path) -> None:
    job = make_job(address=f"127.0.0.1:{port}", connections=Connections(streams_per_connection=2))

    with pytest.raises(JobRejectedError, match=r"connections\.streams_per_connection"):
        run_engine(job, tmp_path)


def test_nobody_there(make_job: MakeJob, tmp_path: Path) -> None:
    port = free_port()

    with pytest.raises(TargetUnreachableError, match=f"127.0.0.1:{port}"):
        run_engine(make_job(address=f"127.0.0.1:{port}"), tmp_path)


def test_an_engine_that_is_killed(port: int, make_job: MakeJob, tmp_path: Path) -> None:
    job = make_job("fetch", f"127.0.0.1:{port}", requests=[POST], stop=LONG)
    killer = Sender(signal.SIGKILL)

    with pytest.raises(EngineDiedError, match="exit code 137"):
        run_engine(job, tmp_path, observer=killer, on_event=killer.on_event)


def test_an_engine_that_stands_still(
    port: int, make_job: MakeJob, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "SILENCE_S", 1.0)
    job = make_job(
        "fetch",
        f"127.0.0.1:{port}",
        requests=[POST],
        stop=LONG,
        connections=Connections(request_timeout_ms=500),
    )
    stopper = Sender(signal.SIGSTOP)

    with pytest.raises(EngineHungError, match="said nothing"):
        run_engine(job, tmp_path, observer=stopper, on_event=stopper.on_event)

    assert not is_alive(stopper.guard)


def test_a_contender_that_is_killed_in_the_window(make_job: MakeJob, tmp_path: Path) -> None:
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


def test_ctrl_c_leaves_no_engine_and_keeps_what_was_measured(
    port: int, make_job: MakeJob, tmp_path: Path
) -> None:
    job = make_job("fetch", f"127.0.0.1:{port}", requests=[POST], stop=LONG)
    guards: list[int] = []

    class Guards(Sender):
        def on_event(self, event: Event) -> None:
            guards.append(self.guard)
            if event["event"] == "progress":
                raise KeyboardInterrupt

    observer = Guards(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        run_engine(job, tmp_path, observer=observer, on_event=observer.on_event)

    assert not is_alive(guards[0])
    assert EngineResult.read(tmp_path / "result.json").interrupted
