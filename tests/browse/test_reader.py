"""Reading bundles in a separate process: in the right order, even if the process fails."""

import signal
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from tests.support.left import until
from wirelab.analysis.synopsis import Synopsis
from wirelab.browse.cache import Cache
from wirelab.browse.fingerprint import fingerprint
from wirelab.browse.reader import BundleReader, Progress, ReadingJob
from wirelab.bundle import Bundle

from .library import another
from .serving import PATIENCE_S, browse


class ProgressLog:
    """The progress that a reader reported since it was last emptied; can wait for it."""

    def __init__(self) -> None:
        self.entries: list[Progress] = []
        self._more = threading.Condition()

    def __call__(self, progress: Progress) -> None:
        with self._more:
            self.entries.append(progress)
            self._more.notify_all()

    def wait_for(self, count: int) -> None:
        with self._more:
            assert self._more.wait_for(lambda: len(self.entries) >= count, PATIENCE_S)


def job_of(path: Path, *, with_report: bool = False) -> ReadingJob:
    return ReadingJob(str(path), fingerprint(path).key, path.name, with_report)


def child(of: psutil.Process | None = None) -> psutil.Process:
    """Return the process that reads for a server, which is this one unless given."""
    server = of or psutil.Process()
    return until(
        lambda: next(
            (it for it in server.children() if "wirelab.browse.analyst" in it.cmdline()), None
        ),
        PATIENCE_S,
    )


def test_a_failed_reading_does_not_affect_others(
    bundle: Bundle, cache: Cache, tmp_path: Path
) -> None:
    jobs = [job_of(another(bundle, tmp_path / name)) for name in ("a", "b")]
    log = ProgressLog()
    with BundleReader(cache, on_progress=log) as reader:
        reader.plan(jobs, paused=False)
        child().send_signal(signal.SIGKILL)
        log.wait_for(2)
        faults = [reader.fault(job.key, with_report=False) for job in jobs]

    assert "SIGKILL: " in faults[0][0]
    assert faults[1] == ()
    assert cache.reading(jobs[0].key) is None
    assert cache.reading(jobs[1].key) is not None


def test_reading_that_takes_too_long_is_cancelled_and_the_next_begins_again(
    bundle: Bundle, cache: Cache, tmp_path: Path
) -> None:
    jobs = [job_of(another(bundle, tmp_path / name)) for name in ("a", "b", "c")]
    log = ProgressLog()
    with BundleReader(cache, on_progress=log, limit_s=0.01) as reader:
        reader.plan(jobs, paused=False)
        log.wait_for(3)

        for job in jobs:
            assert "more than 0.01 seconds" in reader.fault(job.key, with_report=False)[0]


def test_closing_ends_the_process(bundle: Bundle, cache: Cache) -> None:
    with BundleReader(cache) as reader:
        reader.plan([job_of(bundle.path)], paused=False)
        process = child()

    assert not process.is_running()


def test_no_process_is_started_while_there_is_nothing_to_read(cache: Cache) -> None:
    before = psutil.Process().children()
    with BundleReader(cache) as reader:
        reader.plan([], paused=False)

        assert reader.progress == Progress()
        assert psutil.Process().children() == before


def test_the_process_ends_when_the_server_is_killed(
    bundle: Bundle, cache: Cache, tmp_path: Path
) -> None:
    another(bundle, tmp_path / "library" / "only")
    options = ("--port", "0")
    server = browse(tmp_path / "library", *options, cache=cache.folder, log=tmp_path / "log")
    process = child(psutil.Process(server.pid))
    server.kill()
    server.wait()

    process.wait(PATIENCE_S)


@dataclass(frozen=True)
class Shared:
    """A reader whose process has started, what it caches, and its progress."""

    reader: BundleReader
    cache: Cache
    log: ProgressLog

    def read(self, job: ReadingJob) -> None:
        """Read one bundle."""
        self.log.entries.clear()
        self.reader.plan([job], paused=False)
        self.log.wait_for(1)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shared]:
    """A reader for the tests from here on: those before count this process's children."""
    cache, log = Cache(tmp_path_factory.mktemp("cache")), ProgressLog()
    with BundleReader(cache, on_progress=log) as reader:
        yield Shared(reader, cache, log)


def test_a_bundle_is_read_into_the_cache(
    bundle: Bundle, shared: Shared, synopsis: Synopsis
) -> None:
    job = job_of(bundle.path)
    shared.read(job)

    reading = shared.cache.reading(job.key)
    assert reading is not None
    assert reading.synopsis == synopsis
    assert [(each.done, each.total) for each in shared.log.entries] == [(1, 1)]
    assert shared.cache.report(job.key) is None


def test_it_reads_at_the_lowest_priority(bundle: Bundle, shared: Shared) -> None:
    shared.read(job_of(bundle.path))

    assert child().nice() == 19


def test_requested_bundles_are_read_first(bundle: Bundle, shared: Shared, tmp_path: Path) -> None:
    jobs = [job_of(another(bundle, tmp_path / name)) for name in ("a", "b", "c")]
    reader, cache = shared.reader, shared.cache
    shared.log.entries.clear()
    reader.plan(jobs, paused=True)
    reader.want(jobs[2])
    shared.log.wait_for(1)
    assert cache.reading(jobs[2].key) is not None
    assert cache.reading(jobs[0].key) is None
    assert reader.progress.is_paused

    reader.plan(jobs[:2], paused=False)
    shared.log.wait_for(3)

    assert all(cache.reading(job.key) for job in jobs)


def test_a_report_is_made_when_it_is_requested(
    bundle: Bundle, shared: Shared, tmp_path: Path
) -> None:
    job = job_of(another(bundle, tmp_path / "bundle"), with_report=True)
    shared.log.entries.clear()
    shared.reader.want(job)
    shared.log.wait_for(1)

    page = shared.cache.report(job.key)
    assert page is not None
    assert '<a href="/">All results</a>' in page
    assert shared.cache.reading(job.key) is not None


def test_a_damaged_bundle_names_the_damaged_file(
    bundle: Bundle, shared: Shared, tmp_path: Path
) -> None:
    folder = another(bundle, tmp_path / "bundle", seal=False)
    block = next((folder / "blocks").iterdir()) / "block.json"
    block.unlink()
    block.write_text("{")
    job = job_of(folder)
    shared.read(job)

    reading = shared.cache.reading(job.key)
    assert reading is not None
    assert reading.synopsis is None
    assert "block.json" in reading.problems[0]
