"""A process of its own that reads bundles, so that pages stay quick and no bundle ends the server.

Started as `python -m wirelab.browse.analyst CACHE`, it takes a job a line and answers each with a
line, both JSON. It runs at the lowest priority, and ends when nobody can give it jobs any more.
"""

import json
import os
import sys
from pathlib import Path

from wirelab.analysis import analyse
from wirelab.analysis.synopsis import synopsis_of
from wirelab.browse.cache import Cache, Reading
from wirelab.bundle import Bundle
from wirelab.problems import ProblemsError
from wirelab.report import render_html
from wirelab.untrusted import visible


def read(cache: Cache, path: Path, key: str, *, with_report: bool) -> tuple[str, ...]:
    """Read a bundle and keep what that gives. Returns the problems, where it cannot be read."""
    try:
        analysis = analyse(Bundle.open(path))
        cache.keep_reading(key, Reading(synopsis_of(analysis)))
        if with_report:
            cache.keep_report(key, render_html(analysis, home="/"))
    except ProblemsError as wrong:
        problems = tuple(str(problem) for problem in wrong.problems)
    except Exception as fault:  # Bundles of others may hold what nobody has thought of.
        problems = (f"It cannot be read: {type(fault).__name__}: {visible(str(fault), 500)}",)
    else:
        return ()
    if not with_report:
        cache.keep_reading(key, Reading(problems=problems))
    return problems


def main() -> None:
    """Carry out jobs until there are no more."""
    os.nice(19)
    with os.fdopen(os.dup(1), "w") as answers:
        os.dup2(2, 1)  # What libraries print is no answer.
        cache = Cache(Path(sys.argv[1]))
        for line in sys.stdin:
            job = json.loads(line)
            problems = read(cache, Path(job["path"]), job["key"], with_report=job["with_report"])
            answers.write(json.dumps(problems) + "\n")
            answers.flush()


if __name__ == "__main__":
    main()
