"""A separate process that reads bundles, so that pages stay fast and no bundle ends the server.

Started as `python -m wirelab.browse.analyst FOLDER CODE` with those of the cache, it reads one job
per line and answers each with one line, both JSON. It runs at the lowest priority, and ends as soon
as the server has ended.
"""

import json
import os
import queue
import sys
import threading
from contextlib import suppress
from pathlib import Path

from wirelab.analysis import Analysis, analyse
from wirelab.analysis.synopsis import synopsis_of
from wirelab.browse.cache import Cache, Reading
from wirelab.bundle import Bundle
from wirelab.inputs.problems import ProblemsError
from wirelab.report import render_html
from wirelab.terminal.untrusted import visible


def read(cache: Cache, path: Path, key: str, *, with_report: bool) -> list[str]:
    """Read a bundle and cache the result. Returns the problems if it cannot be read."""
    try:
        analysis = analyse(Bundle.open(path))
        reading = Reading(synopsis_of(analysis))
    except Exception as fault:  # Bundles from other sources may contain anything.
        problems = _problems(fault)
        with suppress(OSError):
            cache.keep_reading(key, Reading(problems=tuple(problems)))
        return problems
    try:
        _keep(cache, key, reading, analysis if with_report else None)
    except Exception as fault:  # The same, or a full disk.
        return _problems(fault)
    return []


def _keep(cache: Cache, key: str, reading: Reading, analysis: Analysis | None) -> None:
    cache.keep_reading(key, reading)
    if analysis is not None:
        cache.keep_report(key, render_html(analysis, home="/"))


def _problems(fault: Exception) -> list[str]:
    if isinstance(fault, ProblemsError):
        return [str(problem) for problem in fault.problems]
    return [f"wirelab failed to read it: {type(fault).__name__}: {visible(str(fault), 500)}"]


def main() -> None:
    """Process jobs until the input ends."""
    os.nice(19)
    cache = Cache(Path(sys.argv[1]), code=sys.argv[2])
    jobs: queue.Queue[str] = queue.Queue()
    threading.Thread(target=_receive, args=(jobs,), daemon=True).start()
    with os.fdopen(os.dup(1), "w") as answers:
        os.dup2(2, 1)  # The output of libraries is not an answer.
        while True:
            job = json.loads(jobs.get())
            problems = read(cache, Path(job["path"]), job["key"], with_report=job["with_report"])
            answers.write(json.dumps(problems) + "\n")
            answers.flush()


def _receive(jobs: "queue.Queue[str]") -> None:
    """Pass jobs on; the input ends when the server ends, for any reason."""
    for line in sys.stdin:
        jobs.put(line)
    os._exit(0)


if __name__ == "__main__":
    main()
