"""Drive the load engine: one job, from its file to its result.

`Engine` drives a job with `control`, command by command; `run_engine` runs a job that needs no
commands.
"""

import os
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Self, TypeVar

from pydantic import ValidationError

from wirelab.engine.errors import (
    AbortedError,
    EngineDiedError,
    EngineError,
    EngineHungError,
    JobRejectedError,
    NoCapacityError,
    TargetUnreachableError,
)
from wirelab.engine.events import CapacityFound, SliceRow, Warm
from wirelab.engine.job import Job, Slice
from wirelab.engine.result import EngineResult
from wirelab.installation.programs import find_program
from wirelab.lab.credentials import redact_json
from wirelab.lab.errors import log_of
from wirelab.lab.processes.ending import how_ended
from wirelab.lab.processes.process import GuardedProcess, start_guarded
from wirelab.measure.conversation import WATCH_S, Conversation, Event, NoEvent

BAD_JOB = 2
UNREACHABLE = 3
LOG = "engine.log"
SILENCE_S = 10.0
"""How long the engine may be silent while it sends load to a target; it normally reports twice a
second."""
DEADLINE_S = 600.0

Row = TypeVar("Row", Warm, SliceRow, CapacityFound)
Watch = Callable[[], str | None]
"""Called ten times a second; returns the reason to abort the job, or None to continue."""
Listener = Callable[[Event], None]
"""Receives every event as the engine reports it, for a progress display."""


class Engine:
    """A running load engine. Use it as a context manager, so that the engine always ends.

    job.json, result.json and engine.log are written to the folder, samples to the job's `output`.
    All methods raise `EngineError` when the engine fails, and `AbortedError` when the watch
    returns a reason to abort.
    """

    def __init__(
        self,
        job: Job,
        folder: Path,
        *,
        watch: Watch | None = None,
        on_event: Listener | None = None,
        deadline_s: float = DEADLINE_S,
        network: Path | None = None,
    ) -> None:
        """Start the engine with a job. Raises `LabError` if the program cannot be started."""
        self._private: Path | None = None
        path = self._write(job, folder / "job.json")
        self._watch = watch or _never_abort
        self._on_event = on_event or _ignore_event
        self._deadline_s = deadline_s
        try:
            self._process = start_guarded(
                [find_program("wirelab-load"), path.absolute()],  # its name is no option
                role="engine",
                log_path=folder / LOG,
                cpus=job.cpus,
                piped=True,
                network=network,
            )
        except BaseException:
            self._forget()
            raise
        self._conversation = Conversation(self._process.stdin, self._process.stdout)

    def _write(self, job: Job, path: Path) -> Path:
        """Write the job; return the file for the engine: a private one if the job has a secret.

        Only the owner can read the private file, and it is deleted once the engine has read it.
        """
        text = job.as_json()
        if (shown := redact_json(text)) == text:
            path.write_text(text)
            return path
        path.write_text(shown)
        descriptor, name = tempfile.mkstemp(prefix="wirelab-job-", suffix=".json")
        with os.fdopen(descriptor, "w") as file:
            file.write(text)
        self._private = Path(name)
        return self._private

    def _forget(self) -> None:
        if self._private is not None:
            self._private.unlink(missing_ok=True)
            self._private = None

    @classmethod
    def start(
        cls,
        job: Job,
        folder: Path,
        *,
        watch: Watch | None = None,
        on_event: Listener | None = None,
        deadline_s: float = DEADLINE_S,
        network: Path | None = None,
    ) -> Self:
        """Start an engine on a job with `control` and wait until all connections are open.

        `deadline_s`: how long connecting may take, and later writing the result. Load may last
        any time, as long as the engine keeps reporting. `network`: the namespace that the engine
        runs in. Raises `JobRejectedError` or `TargetUnreachableError`, besides what all methods
        raise.
        """
        if not job.control:
            raise ValueError("a job without control takes no commands: run it with run_engine")
        engine = cls(
            job, folder, watch=watch, on_event=on_event, deadline_s=deadline_s, network=network
        )
        try:
            engine.await_event("connected", patient=True)
        except BaseException:
            engine.stop()
            raise
        return engine

    @property
    def pid(self) -> int:
        """The root of the engine's process tree."""
        return self._process.pid

    def warm_up(self, target: int, *, transactions: int = 0, seconds: float = 0.0) -> Warm:
        """Send unrecorded load to one target until both limits are reached; return the outcome."""
        self._conversation.send(
            {
                "command": "warm_up",
                "target": target,
                "transactions": transactions,
                "seconds": seconds,
            }
        )
        return _read(Warm, self.await_event("warm"))

    def slices(self, batch: Sequence[Slice], *, recorded: bool = True) -> list[SliceRow]:
        """Run slices, one after the other, and return their rows.

        If `recorded` is false, they are rehearsals: no total, histogram or sample contains them.
        """
        slices = [each.model_dump(mode="json", exclude_none=True) for each in batch]
        self._conversation.send({"command": "slices", "recorded": recorded, "slices": slices})
        rows = []
        while (event := self.await_event("slice", "idle"))["event"] == "slice":
            rows.append(_read(SliceRow, event))
        return rows

    def find_capacity(
        self, target: int, objective: str, *, seconds: float, trial_s: float | None, seed: int = 1
    ) -> CapacityFound:
        """Search up to `seconds` for the highest rate at which a target meets an objective.

        Raises `NoCapacityError` if it answers nothing correctly, besides what all methods raise.
        """
        command = {"command": "capacity", "target": target, "objective": objective}
        times = {"seconds": seconds, "trial_seconds": trial_s, "seed": seed}
        self._conversation.send({**command, **times})
        event = self.await_event("capacity", "no_capacity")
        if event["event"] == "no_capacity":
            raise NoCapacityError(event["reason"])
        return _read(CapacityFound, event)

    def finish(self) -> EngineResult:
        """Close the connections, let the engine write samples and result, and return the result."""
        self._conversation.send({"command": "finish"})
        return self.await_result()

    def await_result(self) -> EngineResult:
        """Wait until the engine has written its result, and return it."""
        event = self.await_event("result", patient=True)
        with suppress(TimeoutError):
            self._process.wait(SILENCE_S)
        return EngineResult.read(Path(event["path"]))

    def await_event(self, *names: str, patient: bool = False) -> Event:
        """Wait for the next event with one of these names; the listener receives all events.

        `patient`: the engine may be silent until its deadline, which counts from now.
        """
        began = last_event_at = time.monotonic()
        while True:
            event = self._conversation.next_event(WATCH_S)
            if (reason := self._watch()) is not None:
                raise AbortedError(reason)
            now = time.monotonic()
            if patient and now - began > self._deadline_s:
                raise self._hung(f"did not finish within {self._deadline_s:g} s")
            if event is NoEvent.NOT_YET:
                if not patient and now - last_event_at > SILENCE_S:
                    what = f"sent no event for {SILENCE_S:.0f} s with a target under load"
                    raise self._hung(what)
                continue
            if event is NoEvent.CLOSED:
                raise self._exit_error()
            last_event_at = now
            self._forget()
            self._on_event(event)
            if event["event"] in names:
                return event

    def stop(self) -> None:
        """End the engine with SIGTERM; it writes what it has measured so far."""
        self._forget()
        self._process.stop()
        self._conversation.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _hung(self, what: str) -> EngineHungError:
        return EngineHungError(f"the engine {what}", log=log_of(self._process))

    def _exit_error(self) -> EngineError:
        return _exit_error(self._process)


def run_engine(
    job: Job,
    folder: Path,
    *,
    on_event: Listener | None = None,
    watch: Watch | None = None,
    deadline_s: float = DEADLINE_S,
) -> EngineResult:
    """Run a job that needs no commands (with `stop` or `slices`) and return its result.

    `deadline_s`: how long connecting may take, and then everything up to the result. Writes the
    same files as `Engine`, and raises the same errors.
    """
    if job.control:
        raise ValueError("a job with control waits for commands: run it with Engine")
    with Engine(job, folder, watch=watch, on_event=on_event, deadline_s=deadline_s) as engine:
        engine.await_event("connected", patient=True)
        return engine.await_result()


def _read(kind: type[Row], event: Event) -> Row:
    try:
        return kind.model_validate({key: event[key] for key in event if key != "event"})
    except ValidationError as error:
        raise EngineError(f"the engine sent an unexpected message: {error}") from error


def _exit_error(process: GuardedProcess) -> EngineError:
    code = process.wait(SILENCE_S)
    log = log_of(process)
    if code == BAD_JOB:
        return JobRejectedError(f"the engine rejects the job:\n{log.tail}")
    if code == UNREACHABLE:
        return TargetUnreachableError(f"the engine cannot reach the contender: {log.tail}")
    ended = how_ended("the engine wrote no result and ended", code, log)
    return EngineDiedError.from_failure(ended)


def _never_abort() -> None:
    return None


def _ignore_event(_: Event) -> None:
    return None
