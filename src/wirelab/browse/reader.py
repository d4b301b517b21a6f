"""The queue of bundles to read, one at a time: first those that a user waits for."""

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
"""Time limit in seconds for one bundle; the largest known ones take one or two minutes."""


@dataclass(frozen=True, slots=True)
class ReadingJob:
    """A bundle to read, and whether its report is wanted, too."""

    path: str
    key: str
    name: str
    with_report: bool = False


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of reading: `done` of `total` since the queue was last empty."""

    done: int = 0
    total: int = 0
    now: str = ""
    """The bundle being read."""
    seconds_left: float | None = None
    """None until a bundle has been read."""
    is_paused: bool = False
    """Whether bundles that no user waits for have to wait for the end of a study."""


class BundleReader:
    """Reads in the background. Call `close`, or use a `with` statement."""

    def __init__(
        self,
        cache: Cache,
        *,
        on_progress: Callable[[Progress], None] = lambda _: None,
        limit_s: float = LIMIT_S,
    ) -> None:
        self._cache = cache
        self._analyst = AnalystProcess(cache, limit_s)
        self._on_progress = on_progress
        self._change = threading.Condition()
        self._urgent: dict[tuple[str, bool], ReadingJob] = {}
        self._waiting: dict[tuple[str, bool], ReadingJob] = {}
        self._now: ReadingJob | None = None
        self._is_paused = self._is_closed = False
        self._done, self._spent_s = 0, 0.0
        self._faults: dict[tuple[str, bool], tuple[str, ...]] = {}
        self._thread = threading.Thread(target=self._work, name="reader", daemon=True)
        self._thread.start()

    def __enter__(self) -> "BundleReader":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Cancel the current job and end the process."""
        with self._change:
            self._is_closed = True
            self._change.notify_all()
        self._analyst.end()
        self._thread.join()

    def want(self, job: ReadingJob) -> None:
        """Read a bundle before all others, since a user waits for it."""
        with self._change:
            if self._now is None or _queue_key(self._now) != _queue_key(job):
                self._urgent.setdefault(_queue_key(job), job)
            self._change.notify_all()

    def plan(self, jobs: Iterable[ReadingJob], *, paused: bool) -> None:
        """Replace the plan: read these when there is time, in this order."""
        with self._change:
            under_way = self._now and _queue_key(self._now)
            self._waiting = {_queue_key(job): job for job in jobs if _queue_key(job) != under_way}
            self._is_paused = paused
            self._change.notify_all()

    def fault(self, key: str, *, with_report: bool) -> tuple[str, ...]:
        """Return why reading failed, if not because of the bundle's files; empty otherwise.

        A report may fail although reading succeeded.
        """
        with self._change:
            return self._faults.get((key, with_report), ())

    @property
    def progress(self) -> Progress:
        """The current progress."""
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
                problems = ("The result could not be cached.",)  # else it would be read again
            with self._change:
                self._now = None
                self._done += 1
                self._spent_s += time.monotonic() - began
                self._waiting.pop((job.key, False), None)  # A report includes the reading.
                if problems:
                    self._faults[_queue_key(job)] = problems
                progress = self._progress()
                if progress.done == progress.total:
                    self._done, self._spent_s = 0, 0.0
                is_closed = self._is_closed
            if not is_closed:
                self._on_progress(progress)

    def _next(self) -> ReadingJob | None:
        with self._change:
            while not self._is_closed:
                queue = self._urgent or ({} if self._is_paused else self._waiting)
                if queue:
                    key = next(iter(queue))
                    self._now = queue.pop(key)
                    self._waiting.pop(key, None)
                    return self._now
                self._change.wait()
        return None


class AnalystProcess:
    """The process that reads, started on demand, and again after it has ended."""

    def __init__(self, cache: Cache, limit_s: float) -> None:
        program = [sys.executable, "-P", "-m", "wirelab.browse.analyst"]
        self._command = [*program, str(cache.folder), cache.code]
        self._limit_s = limit_s
        self._process: subprocess.Popen[bytes] | None = None
        self._starting = threading.Lock()
        self._has_ended = False

    def read(self, job: ReadingJob) -> tuple[str, ...]:
        """Let the process read a bundle. Returns the problems if that fails."""
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
                process.wait()  # otherwise the ending process would get the next bundle
                return (f"Reading it took more than {self._limit_s:g} seconds and was stopped.",)
        except BrokenPipeError:
            pass
        if not answer:
            return (f"The process that read it ended{_how(process.wait())}.",)
        return tuple(json.loads(answer))

    def end(self) -> None:
        """End the process permanently."""
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


def _queue_key(job: ReadingJob) -> tuple[str, bool]:
    return job.key, job.with_report
