"""Driving the load engine: one job, from its file to its result."""

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty, Queue
from typing import IO, Any, Protocol

from wirelab.lab.errors import with_log
from wirelab.lab.process import GuardedProcess, start_guarded
from wirelab.lab.programs import find_program
from wirelab.measure.errors import (
    AbortedError,
    EngineDiedError,
    EngineError,
    EngineHungError,
    JobRejectedError,
    TargetUnreachableError,
)
from wirelab.measure.job import Job
from wirelab.measure.result import EngineResult

Event = Mapping[str, Any]

BAD_JOB = 2
UNREACHABLE = 3
LOG = "engine.log"
WATCH_S = 0.1
"""How often is asked whether the run still makes sense."""
SILENCE_S = 10.0
"""How long the engine may say nothing inside the window, where it reports twice a second; to this
comes the time a request may take."""
DEADLINE_S = 600.0


class Observer(Protocol):
    """Who wants to be there when the window begins and ends, such as the counters."""

    def started(self, pid: int) -> None:
        """Note the process that all of the engine descends from."""

    def before_window(self) -> None:
        """Note the start of the window: it comes when this returns; now everything is still."""

    def after_window(self) -> None:
        """Note the end of the window: it has just come, and everything is still."""


def run_engine(
    job: Job,
    folder: Path,
    *,
    observer: Observer | None = None,
    on_event: Callable[[Event], None] | None = None,
    watch: Callable[[], str | None] | None = None,
    deadline_s: float = DEADLINE_S,
) -> EngineResult:
    """Run one job to its end and return its result.

    job.json, result.json and engine.log come to lie in `folder`, samples where the job's `output`
    says. `observer` needs the job's `handshake` to be there before the window. `on_event` gets
    every event as the engine reports it, for a progress display. `watch` is asked ten times a
    second and returns why the run must be broken off, most often None. Raises `EngineError` or
    `AbortedError`; whatever happens, no engine is left running.
    """
    path = folder / "job.json"
    job.write(path)
    with _engine(path, job, folder / LOG) as process:
        if observer is not None:
            observer.started(process.pid)
        conversation = _Conversation(process, job, time.monotonic() + deadline_s)
        result_path = None
        for event in conversation.events(watch or _nothing):
            if on_event is not None:
                on_event(event)
            match event.get("event"):
                case "warm" if job.handshake:
                    if observer is not None:
                        observer.before_window()
                    conversation.go()
                case "window_end" if observer is not None:
                    observer.after_window()
                case "result":
                    result_path = Path(event["path"])
        if result_path is None:
            raise _why_without_result(process)
        return EngineResult.read(result_path)


class _Conversation:
    """What the engine says, line by line, and the one thing that is said to it."""

    def __init__(self, process: GuardedProcess, job: Job, deadline: float) -> None:
        self._process = process
        self._deadline = deadline
        self._patience_s = SILENCE_S + job.connections.request_timeout_ms / 1000
        self._lines: Queue[bytes] = Queue()
        reader = threading.Thread(target=self._read, args=(process.stdout,), daemon=True)
        reader.start()

    def go(self) -> None:
        """Let the window begin."""
        with suppress(BrokenPipeError):  # it has died, which shows when it is listened to again
            self._process.stdin.write(b"go\n")
            self._process.stdin.flush()

    def events(self, watch: Callable[[], str | None]) -> Iterator[Event]:
        """Give every event as it comes, until the engine has nothing more to say."""
        in_window = False
        last_word = time.monotonic()
        while True:
            try:
                line = self._lines.get(timeout=WATCH_S)
            except Empty:
                self._check(watch(), last_word if in_window else None)
                continue
            if not line:
                return
            event = _parse(line)
            last_word = time.monotonic()
            in_window = event["event"] in {"window_start", "progress", "window_end"}
            yield event
            self._check(watch(), None)

    def _check(self, reason: str | None, last_word: float | None) -> None:
        now = time.monotonic()
        if reason is not None:
            raise AbortedError(reason)
        if last_word is not None and now - last_word > self._patience_s:
            raise self._hung(f"said nothing for {self._patience_s:.0f} s inside the window")
        if now > self._deadline:
            raise self._hung("was not finished at its deadline")

    def _hung(self, what: str) -> EngineHungError:
        process = self._process
        return EngineHungError(with_log(f"the engine {what}", process.log_path, process.log_tail()))

    def _read(self, output: IO[bytes]) -> None:
        with suppress(ValueError, OSError):  # closed by us, because the run is over
            for line in output:
                self._lines.put(line)
        self._lines.put(b"")


@contextmanager
def _engine(job_path: Path, job: Job, log_path: Path) -> Iterator[GuardedProcess]:
    process = start_guarded(
        [find_program("wirelab-load"), job_path],
        role="engine",
        log_path=log_path,
        cpus=job.cpus,
        piped=True,
    )
    try:
        yield process
        with suppress(TimeoutError):
            process.wait(SILENCE_S)
    finally:
        process.stop()  # by SIGTERM: it writes what it has measured so far
        for pipe in (process.stdin, process.stdout):
            with suppress(OSError):  # what was still to be said has no reader any more
                pipe.close()


def _parse(line: bytes) -> Event:
    try:
        event = json.loads(line)
    except ValueError:
        event = None
    if not isinstance(event, dict) or "event" not in event:
        raise EngineError(f"the engine said something that is not an event: {line!r}")
    return event


def _why_without_result(process: GuardedProcess) -> EngineError:
    code = process.wait(SILENCE_S)
    tail = process.log_tail()
    if code == BAD_JOB:
        return JobRejectedError(f"the engine rejects the job:\n{tail}")
    if code == UNREACHABLE:
        return TargetUnreachableError(f"the engine cannot reach the contender: {tail}")
    what = f"the engine ended with exit code {code} and without a result"
    return EngineDiedError(with_log(what, process.log_path, tail))


def _nothing() -> None:
    return None
