"""Standing up contenders by means of the laboratory."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import TypeVar

import pytest

from wirelab.errors import MissingProgramError
from wirelab.lab.contenders.build import build
from wirelab.lab.contenders.contender import Contender
from wirelab.lab.contenders.running import Ready, RunningContender, Starting, wait_for
from wirelab.lab.contenders.services import StartingServices
from wirelab.lab.environments.environment import LOOPBACK, Launch, Launched, Native
from wirelab.lab.errors import BuildError
from wirelab.lab.stores.store import Database

Standing = TypeVar("Standing")

PATIENCE_S = 120.0
"""For a start, on a machine that may be busy with something else."""


@contextmanager
def standing(
    contender: Contender, ready: Ready, database: Database, log: Path, port: int | None = None
) -> Iterator[RunningContender]:
    """Run a contender, on a free port if no other is given, for as long as the block lasts."""
    built = build(contender, log.with_suffix(".build"))
    start = StartingServices if contender.services else Starting
    running = wait_for(
        start(
            built,
            Native(),
            database=database,
            ready=ready,
            log_path=log,
            port=port,
            deadline_s=PATIENCE_S,
        )
    )
    try:
        yield running
    finally:
        running.stop()


def launch(
    contender: Contender, store_url: str, log: Path, port: int, *, kind: str = "postgresql"
) -> Launched:
    """Start a contender without waiting for it, or looking whether it can run at all."""
    built = build(contender, log.with_suffix(".build"))
    return Native().launch(built, Launch(LOOPBACK, port, kind, store_url, (), log))


@contextmanager
def started_once(
    stand: Callable[[str], AbstractContextManager[Standing]],
) -> Iterator[Callable[[str], Standing]]:
    """Return contenders by name, each started at first use; all end with the block.

    A test is skipped, with the reason, when its contender cannot run on this machine.
    """
    with ExitStack() as stack:
        started: dict[str, Standing] = {}

        def named(name: str) -> Standing:
            if name not in started:
                try:
                    started[name] = stack.enter_context(stand(name))
                except (BuildError, MissingProgramError) as error:
                    pytest.skip(f"no {name} here: {error}")
            return started[name]

        yield named
