"""The conversation with the engine, and every way in which it can go wrong."""

import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.lab.conftest import is_alive
from tests.support.jobs import MakeJob
from wirelab.engine.errors import (
    AbortedError,
    EngineDiedError,
    EngineError,
    EngineHungError,
    JobRejectedError,
)
from wirelab.engine.job import Slice, Stop
from wirelab.errors import LabError
from wirelab.measure import driver
from wirelab.measure.conversation import Event
from wirelab.measure.driver import Engine, run_engine

pytestmark = pytest.mark.usefixtures("fake_engine")
TURN = Slice(target=0, stop=Stop(transactions=10))


class EventLog:
    """A listener that remembers what happened in which order."""

    def __init__(self) -> None:
        self.entries: list[str] = []

    def on_event(self, event: Event) -> None:
        self.entries.append(str(event["event"]))


class Clock:
    """The clock of the code that waits for the engine, which can be moved forward."""

    def __init__(self) -> None:
        self.ahead_s = 0.0
        self.step_s = 0.0
        """How much further it is put forward each time that the watch is asked."""

    def monotonic(self) -> float:
        return time.monotonic() + self.ahead_s

    def go_on(self) -> None:
        self.ahead_s += self.step_s


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(driver, "time", clock)
    return clock


def test_commands_run_one_after_the_other(make_job: MakeJob, tmp_path: Path) -> None:
    diary = EventLog()

    with Engine.start(make_job(control=True), tmp_path, on_event=diary.on_event) as driven:
        warm = driven.warm_up(0, transactions=20)
        (rehearsal,) = driven.slices([TURN], recorded=False)
        rows = driven.slices([TURN, TURN])
        result = driven.finish()
        pid = driven.pid

    load = ["progress", "progress"]
    turns = [*load, "slice", "idle", *load, "slice", "slice", "idle"]
    assert diary.entries == ["connected", *load, "warm", *turns, "result"]
    assert (warm.transactions, warm.p99_us) == (20, 300.0)
    assert not rehearsal.recorded
    assert [(row.number, row.target, row.recorded) for row in rows] == [(1, 0, True), (2, 0, True)]
    assert result.only.counts.succeeded == 10
    assert not is_alive(pid)
    assert {path.name for path in tmp_path.iterdir()} >= {"job.json", "result.json", "engine.log"}


def test_a_plain_job_just_runs(make_job: MakeJob, tmp_path: Path) -> None:
    diary = EventLog()

    result = run_engine(make_job(), tmp_path, on_event=diary.on_event)

    assert result.target("contender").throughput_per_s == 20
    assert diary.entries == ["connected", "progress", "progress", "result"]


def test_a_job_with_commands_is_not_run_without_them(make_job: MakeJob, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="waits for commands"):
        run_engine(make_job(control=True), tmp_path)
    with pytest.raises(ValueError, match="takes no commands"):
        Engine.start(make_job(), tmp_path)


def test_all_problems_of_a_rejected_job_are_reported(make_job: MakeJob, tmp_path: Path) -> None:
    with pytest.raises(JobRejectedError, match=r"(?s)stop: .*targets\[0\]\.transport: "):
        run_engine(make_job("reject"), tmp_path)


def test_an_engine_that_exits_under_load(make_job: MakeJob, tmp_path: Path) -> None:
    with pytest.raises(EngineDiedError, match=r"(?s)exit code 1.*  \| out of "):
        run_engine(make_job("die"), tmp_path)


WARM_UP = pytest.param(lambda driven: driven.warm_up(0, transactions=1), id="warm_up")
SLICES = pytest.param(lambda driven: driven.slices([TURN]), id="slices")


@pytest.mark.parametrize("command", [WARM_UP, SLICES])
def test_an_engine_that_hangs_at_a_command(
    make_job: MakeJob, tmp_path: Path, clock: Clock, command: Callable[[Engine], object]
) -> None:
    job = make_job("hang", control=True)

    with Engine.start(job, tmp_path, watch=clock.go_on) as driven:
        clock.step_s = 3.0
        with pytest.raises(EngineHungError, match="for 10 s"):
            command(driven)
        pid = driven.pid

    assert not is_alive(pid)


@pytest.mark.parametrize("command", [WARM_UP, SLICES])
def test_an_engine_that_exits_at_a_command(
    make_job: MakeJob, tmp_path: Path, command: Callable[[Engine], object]
) -> None:
    driven = Engine.start(make_job("die", control=True), tmp_path)

    with driven, pytest.raises(EngineDiedError, match="out of descriptors"):
        command(driven)


def test_an_engine_that_never_connects(make_job: MakeJob, tmp_path: Path, clock: Clock) -> None:
    clock.step_s = 250.0

    with pytest.raises(EngineHungError, match="within 600 s"):
        Engine.start(make_job("never_connect", control=True), tmp_path, watch=clock.go_on)


def test_an_engine_that_never_writes_its_result(
    make_job: MakeJob, tmp_path: Path, clock: Clock
) -> None:
    job = make_job("never_finish", control=True)

    with Engine.start(job, tmp_path, watch=clock.go_on) as driven:
        clock.step_s = 250.0
        with pytest.raises(EngineHungError, match="within 600 s"):
            driven.finish()
        pid = driven.pid

    assert not is_alive(pid)


def test_measuring_may_last_longer_than_the_deadline(
    make_job: MakeJob, tmp_path: Path, clock: Clock
) -> None:
    with Engine.start(make_job(control=True), tmp_path) as driven:
        for _ in range(3):
            driven.slices([TURN])
            clock.ahead_s += 1000.0
        assert driven.finish().only.counts.failed == 0


def test_a_job_is_aborted_when_the_watch_returns_a_reason(
    make_job: MakeJob, tmp_path: Path
) -> None:
    diary = EventLog()

    def watch() -> str | None:
        return "it has died" if "progress" in diary.entries else None

    job = make_job("go_on", control=True)
    with Engine.start(job, tmp_path, watch=watch, on_event=diary.on_event) as driven:
        with pytest.raises(AbortedError, match="it has died"):
            driven.slices([TURN])
        pid = driven.pid

    assert not is_alive(pid)


@pytest.mark.parametrize("behaviour", ["babble", "half_a_result"])
def test_an_invalid_result_is_refused(behaviour: str, make_job: MakeJob, tmp_path: Path) -> None:
    with pytest.raises(EngineError, match=r"event|cannot read"):
        run_engine(make_job(behaviour), tmp_path)


def test_an_incomplete_row_is_refused(
    make_job: MakeJob, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Engine.start(make_job(control=True), tmp_path) as driven:
        event = {"event": "slice", "number": 0}
        monkeypatch.setattr(driven, "await_event", lambda *_: event)
        with pytest.raises(EngineError, match="an unexpected message"):
            driven.slices([TURN])


def test_a_secret_is_in_no_file_that_stays(
    make_job: MakeJob, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver, "redact_json", lambda text: text.replace("s3cret", "***"))
    job = make_job(headers=[("authorization", "s3cret")])

    run_engine(job, tmp_path)

    written = json.loads((tmp_path / "job.json").read_text())
    assert written["targets"][0]["headers"] == [["authorization", "***"]]


def test_a_secret_stays_in_no_file_if_the_engine_cannot_be_started(
    make_job: MakeJob, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise LabError("no engine")

    monkeypatch.setattr(driver, "redact_json", lambda text: text.replace("s3cret", "***"))
    monkeypatch.setattr(driver, "start_guarded", fail)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(LabError, match="no engine"):
        run_engine(make_job(headers=[("authorization", "s3cret")]), tmp_path)

    assert all("s3cret" not in file.read_text() for file in tmp_path.iterdir())
