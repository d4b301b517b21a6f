"""Standing up a contender by means of the laboratory."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from wirelab.lab.build import build
from wirelab.lab.contender import Contender
from wirelab.lab.environment import Native
from wirelab.lab.running import Ready, RunningContender, start
from wirelab.lab.store import Database


@contextmanager
def standing(
    contender: Contender, ready: Ready, store: Database, log: Path, port: int | None = None
) -> Iterator[RunningContender]:
    """Run a contender, on a free port if no other is given, for as long as the block lasts."""
    built = build(contender, log.with_suffix(".build"))
    running = start(built, Native(), database=store, ready=ready, log_path=log, port=port)
    try:
        yield running
    finally:
        running.stop()
