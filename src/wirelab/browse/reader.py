"""Bundles that wait to be read, one at a time: first those that a person waits for."""

import json
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass

from wirelab.browse.cache import Cache

LIMIT_S = 900
"""Seconds that reading one bundle may take; the largest that are known take one or two minutes."""


@dataclass(frozen=True, slots=True)
class Job:
    """A bundle to read, and whether its report is wanted, too."""

    path: str
    key: str
    name: str
    with_report: bool = False


@dataclass(frozen=True, slots=True)
class Progress:
    """How far reading has come: `done` of `total` since there was last nothing to do."""

    done: int = 0
    total: int = 0
    now: str = ""
    """The bundle that is being read."""
    seconds_left: float | None = None
    """None as long as none has been read."""
    is_paused: bool = False
    """Whether all but what a person waits for has to wait for the end of a study."""


class Reader:
    """Reads in the background. `close` it, or use it in a `with` statement."""

    def __init__(
        self,
        cache: Cache,
        *,
        told: Callable[[Progress], None] = lambda _: None,
        limit_s: float = LIMIT_S,
    ) -> None:
        self._cache = cache
        self._analyst = AnalystProcess(cache, limit_s)
        self._told = told
        self._change = threading.Condition()
        self._urgent: dict[tuple[str, bool], Job] = {}
        self._waiting: dict[tuple[str, bool], Job] = {}
        self._now: Job | None = None
        self._is_paused = self._is_closed = False
        self._done, self._spent_s = 0, 0.0
        self._faults: dict[tuple[str, bool], tuple[str, ...]] = {}
        self._thread = threading.Thread(target=self._work, name="reader", daemon=True)
        self._thread.start()

    def __enter__(self) -> "Reader":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give up what is under way and end the process."""
        with self._change:
            self._is_closed = True
            self._change.notify_all()
        self._analyst.end()
        self._thread.join()

    def want(self, job: Job) -> None:
        """Read a bundle before all others: a person waits for it."""
        with self._change:
            if self._now is None or _place(self._now) != _place(job):
                self._urgent.setdefault(_place(job), job)
            self._change.notify_all()

    def plan(self, jobs: Iterable[Job], *, paused: bool) -> None:
        """Read these in time, in this order, in place of what was planned before."""
        with self._change:
            under_way = self._now and _place(self._now)
            self._waiting = {_place(job): job for job in jobs if _place(job) != under_way}
            self._is_paused = paused
            self._change.notify_all()

    def fault(self, key: str, *, with_report: bool) -> tuple[str, ...]:
        """Say why reading failed for another reason than the bundle's files; empty if it did not.

        A report may fail where the reading has not.
        """
        with self._change:
            return self._faults.get((key, with_report), ())

    @property
    def progress(self) -> Progress:
        """How far it has come."""
        with self._change:
            return self._progress()

    def _progress(self) -> Progress:
        left = len(self._urgent) + len(self._waiting.keys() - self._urgent.keys())
        left += self._now is not None
        return Progress(
            done=self._done,
            total=self._done + left,
            now=self._now.name if self._now else "",
            seconds_left=left * self._spent_s / self._done if self._done else None,
            is_paused=self._is_paused and bool(self._waiting) and self._now is None,
        )

    def _work(self) -> None:
        while (job := self._next()) is not None:
            began = time.monotonic()
            problems = self._analyst.read(job)
            if not problems and self._cache.reading(job.key) is None:
                problems = ("The result could not be cached.",)  # or it would be read for ever
            with self._change:
                self._now = None
                self._done += 1
                self._spent_s += time.monotonic() - began
                self._waiting.pop((job.key, False), None)  # A report brings the reading along.
                if problems:
                    self._faults[_place(job)] = problems
                progress = self._progress()
                if progress.done == progress.total:
                    self._done, self._spent_s = 0, 0.0
                is_closed = self._is_closed
            if not is_closed:
                self._told(progress)

    def _next(self) -> Job | None:
        with self._change:
            while not self._is_closed:
                queue = self._urgent or ({} if self._is_paused else self._waiting)
                if queue:
                    place = next(iter(queue))
                    self._now = queue.pop(place)
                    self._waiting.pop(place, None)
                    return self._now
                self._change.wait()
        return None


class AnalystProcess:
    """The process that reads, started when it is needed and again after it was lost."""

    def __init__(self, cache: Cache, limit_s: float) -> None:
        program = [sys.executable, "-m", "wirelab.browse.analyst"]
        self._command = [*program, str(cache.folder), cache.code]
        self._limit_s = limit_s
        self._process: subprocess.Popen[bytes] | None = None
        self._starting = threading.Lock()
        self._has_ended = False

    def read(self, job: Job) -> tuple[str, ...]:
        """Have a bundle read. Returns the problems, where that is not possible."""
        process = self._running()
        if process is None:
            return ("It was not read: the server was stopped.",)
        assert process.stdin is not None
        assert process.stdout is not None
        answer = b""
        try:
            process.stdin.write(json.dumps(asdict(job)).encode() + b"\n")
            process.stdin.flush()
            if select.select([process.stdout], [], [], self._limit_s)[0]:
                answer = process.stdout.readline()
            else:
                process.kill()
                process.wait()  # or the next bundle would be given to the process that ends
                return (f"Reading it took more than {self._limit_s:g} seconds and was stopped.",)
        except BrokenPipeError:
            pass
        if not answer:
            return (f"The process that read it ended{_how(process.wait())}.",)
        return tuple(json.loads(answer))

    def end(self) -> None:
        """End the process for good."""
        with self._starting:
            self._has_ended = True
            if self._process is not None:
                self._process.kill()
                self._process.wait()

    def _running(self) -> "subprocess.Popen[bytes] | None":
        with self._starting:
            if self._has_ended:
                return None
            if self._process is None or self._process.poll() is not None:
                self._process = subprocess.Popen(
                    self._command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,  # Ctrl-C is for the server, which ends this one.
                )
            return self._process


def _how(code: int) -> str:
    if code >= 0:
        return f" with code {code}"
    name = signal.Signals(-code).name
    why = ": there was probably too little memory" if name == "SIGKILL" else ""
    return f" by {name}{why}"


def _place(job: Job) -> tuple[str, bool]:
    return job.key, job.with_report
