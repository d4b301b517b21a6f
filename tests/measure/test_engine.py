"""The conversation with the engine, and every way in which it can go wrong."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.lab.conftest import is_alive
from wirelab.measure import engine
from wirelab.measure.engine import Event, run_engine
from wirelab.measure.errors import (
    AbortedError,
    EngineDiedError,
    EngineError,
    EngineHungError,
    JobRejectedError,
    TargetUnreachableError,
)
from wirelab.measure.job import Connections, Job

MakeJob = Callable[..., Job]
pytestmark = pytest.mark.usefixtures("fake_engine")


class Diary:
    """An observer and a listener that remembers what happened in which order."""

    def __init__(self) -> None:
        self.entries: list[str] = []
        self.pid = 0

    def started(self, pid: int) -> None:
        self.pid = pid
        self.entries.append("started")

    def before_window(self) -> None:
        self.entries.append("before_window")

    def after_window(self) -> None:
        self.entries.append("after_window")

    def on_event(self, event: Event) -> None:
        self.entries.append(str(event["event"]))


def run(job: Job, folder: Path, diary: Diary | None = None, deadline_s: float = 20.0) -> None:
    diary = diary or Diary()
    run_engine(job, folder, observer=diary, on_event=diary.on_event, deadline_s=deadline_s)


def test_the_window_lies_between_the_readings(make_job: MakeJob, tmp_path: Path) -> None:
    diary = Diary()

    result = run_engine(make_job(), tmp_path, observer=diary, on_event=diary.on_event)

    assert result.counts.succeeded == 10
    assert diary.entries == [
        "started",
        "connected",
        "warm",
        "before_window",
        "window_start",
        "progress",
        "progress",
        "window_end",
        "after_window",
        "result",
    ]
    assert not is_alive(diary.pid)
    assert {path.name for path in tmp_path.iterdir()} >= {"job.json", "result.json", "engine.log"}


def test_without_handshake_it_just_runs(make_job: MakeJob, tmp_path: Path) -> None:
    assert run_engine(make_job(handshake=False), tmp_path).throughput_per_s == 20


def test_all_problems_of_a_rejected_job_are_told(make_job: MakeJob, tmp_path: Path) -> None:
    with pytest.raises(JobRejectedError) as raised:
        run(make_job("reject"), tmp_path)

    assert "stop: without any condition" in str(raised.value)
    assert "target.transport: nonsense" in str(raised.value)


def test_an_unreachable_contender(make_job: MakeJob, tmp_path: Path) -> None:
    with pytest.raises(TargetUnreachableError, match=r"127\.0\.0\.1:1: connection refused"):
        run(make_job("unreachable"), tmp_path)


def test_an_engine_that_dies_in_the_window(make_job: MakeJob, tmp_path: Path) -> None:
    with pytest.raises(EngineDiedError) as raised:
        run(make_job("die"), tmp_path)

    assert "exit code 1 and without a result" in str(raised.value)
    assert "  | out of descriptors" in str(raised.value)


def test_an_engine_that_hangs_in_the_window(
    make_job: MakeJob, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "SILENCE_S", 0.5)
    job = make_job("hang_in_window", connections=Connections(request_timeout_ms=500))
    diary = Diary()

    with pytest.raises(EngineHungError, match="said nothing for 1 s inside the window"):
        run(job, tmp_path, diary)

    assert not is_alive(diary.pid)


def test_an_engine_that_never_gets_to_the_window(make_job: MakeJob, tmp_path: Path) -> None:
    diary = Diary()

    with pytest.raises(EngineHungError, match="not finished at its deadline"):
        run(make_job("hang_in_warm_up"), tmp_path, diary, deadline_s=0.5)

    assert not is_alive(diary.pid)


def test_a_run_is_broken_off_when_the_watch_says_so(make_job: MakeJob, tmp_path: Path) -> None:
    diary = Diary()
    began = time.monotonic()

    def watch() -> str | None:
        return "the contender has died" if time.monotonic() > began + 0.8 else None

    with pytest.raises(AbortedError, match="the contender has died"):
        run_engine(make_job("go_on"), tmp_path, observer=diary, watch=watch)

    assert not is_alive(diary.pid)


@pytest.mark.parametrize("behaviour", ["babble", "half_a_result"])
def test_nonsense_is_not_taken_for_a_result(
    behaviour: str, make_job: MakeJob, tmp_path: Path
) -> None:
    with pytest.raises(EngineError, match=r"not an event|cannot be read"):
        run(make_job(behaviour), tmp_path)
