"""A process of its own that reads bundles, so that pages stay quick and no bundle ends the server.

Started as `python -m wirelab.browse.analyst FOLDER CODE` with those of the cache, it takes a job a
line and answers each with a line, both JSON. It runs at the lowest priority, and ends at once when
whoever gave it jobs is gone.
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
from wirelab.problems import ProblemsError
from wirelab.report import render_html
from wirelab.untrusted import visible


def read(cache: Cache, path: Path, key: str, *, with_report: bool) -> list[str]:
    """Read a bundle and keep what that gives. Returns the problems, where it cannot be read."""
    try:
        analysis = analyse(Bundle.open(path))
        reading = Reading(synopsis_of(analysis))
    except Exception as fault:  # Bundles of others may hold what nobody has thought of.
        problems = _problems(fault)
        with suppress(OSError):
            cache.keep_reading(key, Reading(problems=tuple(problems)))
        return problems
    try:
        _keep(cache, key, reading, analysis if with_report else None)
    except Exception as fault:  # The same, or a disk that is full.
        return _problems(fault)
    return []


def _keep(cache: Cache, key: str, reading: Reading, analysis: Analysis | None) -> None:
    cache.keep_reading(key, reading)
    if analysis is not None:
        cache.keep_report(key, render_html(analysis, home="/"))


def _problems(fault: Exception) -> list[str]:
    if isinstance(fault, ProblemsError):
        return [str(problem) for problem in fault.problems]
    return [f"wirelab failed at it: {type(fault).__name__}: {visible(str(fault), 500)}"]


def main() -> None:
    """Carry out jobs until there are no more."""
    os.nice(19)
    cache = Cache(Path(sys.argv[1]), code=sys.argv[2])
    jobs: queue.Queue[str] = queue.Queue()
    threading.Thread(target=_receive, args=(jobs,), daemon=True).start()
    with os.fdopen(os.dup(1), "w") as answers:
        os.dup2(2, 1)  # What libraries print is no answer.
        while True:
            job = json.loads(jobs.get())
            problems = read(cache, Path(job["path"]), job["key"], with_report=job["with_report"])
            answers.write(json.dumps(problems) + "\n")
            answers.flush()


def _receive(jobs: "queue.Queue[str]") -> None:
    """Pass jobs on; the end of input is the end of the server, however it came."""
    for line in sys.stdin:
        jobs.put(line)
    os._exit(0)


if __name__ == "__main__":
    main()
