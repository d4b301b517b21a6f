"""How contenders end, and what they do when they cannot start or serve."""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from tests.support.standing import launch
from wirelab.lab.contenders.contender import Contender
from wirelab.lab.contenders.running import PORT_TAKEN, RunningContender
from wirelab.lab.environments.environment import Launched
from wirelab.lab.network.ports import free_port
from wirelab.lab.stores.store import Database

KILLED = 128 + signal.SIGKILL
"""What the guard reports of a program that did not end within the grace it has."""
PATIENCE_S = 60.0


def exit_code(process: Launched) -> int | None:
    """Wait for a process to end by itself; None if it does not."""
    deadline = time.monotonic() + PATIENCE_S
    while process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    return process.poll()


def assert_a_taken_port_is_recognised(
    running: RunningContender, store: Database, log: Path
) -> None:
    second = launch(running.contender, store.url, log, running.port)

    assert exit_code(second) not in {None, 0}
    assert PORT_TAKEN.search(second.log_tail())


def assert_a_store_out_of_reach_is_an_error(contender: Contender, log: Path) -> None:
    unreachable = f"postgresql://user@127.0.0.1:{free_port()}/postgres"
    started = launch(contender, unreachable, log, free_port())

    assert exit_code(started) not in {None, 0}
    assert "refused" in log.read_text().lower().replace("econn", "")


@contextmanager
def mislaid(store: Database, table: str) -> Iterator[None]:
    """Have a table under another name in the block: each statement that names it fails."""
    with psycopg.connect(store.url, autocommit=True) as connection:
        connection.execute(f"ALTER TABLE {table} RENAME TO mislaid_{table}".encode())
        try:
            yield
        finally:
            connection.execute(f"ALTER TABLE mislaid_{table} RENAME TO {table}".encode())
