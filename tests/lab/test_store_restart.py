"""A store that ends in the middle of a study is noticed, and can be had again."""

import errno
import os
import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import psycopg
import pytest
from pymongo import MongoClient

from tests.lab.conftest import count_games, exhaust_descriptors, is_alive
from tests.support.left import until
from tests.support.mongodb import started
from tests.support.wording import raises_worded
from wirelab.domain.dataset import Dataset
from wirelab.domain.model import Domain
from wirelab.lab.errors import StoreError
from wirelab.lab.network.ports import free_port
from wirelab.lab.processes.process import family
from wirelab.lab.stores.open_store import open_store
from wirelab.lab.stores.postgresql import PostgresqlStore
from wirelab.lab.stores.postgresql_server import start_postgresql
from wirelab.lab.stores.store import Store


@pytest.fixture
def store(tmp_path: Path, games: Domain, hundred: Dataset) -> Iterator[PostgresqlStore]:
    with start_postgresql(log_path=tmp_path / "log") as server:
        server.prepare(games, "hundred", hundred)
        yield server


def postmaster(store: Store) -> int:
    """The server itself: neither the guard nor the shell, nor a process of a connection."""
    assert isinstance(store.counted, int)
    _guard, shell, *_ = family(store.counted)
    (server,) = psutil.Process(shell).children()
    return int(server.pid)


def ends(store: Store) -> str:
    return str(until(store.why_ended))


def kill_server(store: PostgresqlStore) -> None:
    os.kill(postmaster(store), signal.SIGKILL)


def kill_a_connection(store: PostgresqlStore) -> None:
    with psycopg.connect(store.server_url) as connection:
        os.kill(connection.info.backend_pid, signal.SIGKILL)
        ends(store)


@pytest.mark.parametrize("kill", [kill_server, kill_a_connection])
def test_postgresql_recovers_its_states(
    store: PostgresqlStore, kill: Callable[[PostgresqlStore], None]
) -> None:
    before = store.restore("hundred", "a").database
    counted = store.counted
    assert store.why_ended() is None

    kill(store)

    assert "PostgreSQL ended unexpectedly" in ends(store)
    assert store.restart() == ()  # nothing had to be prepared again
    assert store.why_ended() is None
    restored = store.restore("hundred", "a")
    assert (restored.database, restored.copied, count_games(before)) == (before, True, 100)
    assert store.counted == counted
    assert not store.restore("hundred", "a").copied


def test_it_can_be_restarted_again_and_again(store: PostgresqlStore) -> None:
    for _ in range(3):
        kill_server(store)
        ends(store)
        store.restart()

    assert count_games(store.restore("hundred", "a").database) == 100


def test_postgresql_that_hangs_is_restarted(store: PostgresqlStore) -> None:
    with psycopg.connect(store.server_url) as connection:
        os.kill(connection.info.backend_pid, signal.SIGSTOP)
        os.kill(postmaster(store), signal.SIGSTOP)

        assert store.restart() == ()

    assert count_games(store.restore("hundred", "a").database) == 100


def test_states_are_prepared_again_if_the_data_are_lost(store: PostgresqlStore) -> None:
    before = store.restore("hundred", "a").database
    assert isinstance(store.counted, int)
    _guard, shell, *_ = family(store.counted)
    os.kill(shell, signal.SIGKILL)  # with it goes everything, the data folder included
    assert "exit code 137" in ends(store)

    assert store.restart() == ("hundred",)

    after = store.restore("hundred", "a").database
    assert (count_games(after), len(after.url)) == (100, len(before.url))


def unused_segments() -> set[str]:
    """Shared memory that no process has: what a killed server leaves."""
    head, *lines = Path("/proc/sysvipc/shm").read_text().splitlines()
    rows = [dict(zip(head.split(), line.split(), strict=True)) for line in lines]
    return {row["shmid"] for row in rows if row["nattch"] == "0"}


def test_a_server_that_was_killed_leaves_no_shared_memory(tmp_path: Path) -> None:
    with start_postgresql(log_path=tmp_path / "log") as server:
        assert server._server is not None
        assert server._server.data_folder is not None
        lock = server._server.data_folder / "data" / "postmaster.pid"
        _key, its_own = lock.read_text().splitlines()[6].split()
        kill_server(server)
        ends(server)
        until(lambda: its_own in unused_segments())  # its other processes notice a moment later

    assert its_own not in unused_segments()


@pytest.mark.parametrize("small_disk", [20], indirect=True)
def test_a_data_folder_that_does_not_fit_leaves_no_shared_memory(
    small_disk: Path, tmp_path: Path
) -> None:
    before = unused_segments()

    with raises_worded(StoreError):
        start_postgresql(log_path=tmp_path / "log")

    assert unused_segments() <= before
    assert list(small_disk.iterdir()) == []


def test_another_port_is_used_if_the_free_one_was_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        ports = iter([taken.getsockname()[1], free_port()])
        monkeypatch.setattr("wirelab.lab.stores.postgresql_server.free_port", lambda _: next(ports))
        with start_postgresql(log_path=tmp_path / "log") as server:
            assert server.why_ended() is None

    assert os.strerror(errno.EADDRINUSE) in (tmp_path / "log").read_text()


def test_a_stopped_server_is_noticed_and_no_longer_waited_for(store: PostgresqlStore) -> None:
    for pid in family(postmaster(store))[::-1]:
        os.kill(pid, signal.SIGSTOP)

    assert "PostgreSQL is suspended" in ends(store)
    with pytest.raises(StoreError, match=r"suspended|timeout"):
        store.restore("hundred", "a")
    assert store.restart() == ()
    assert count_games(store.restore("hundred", "a").database) == 100


def test_a_server_of_the_user_is_neither_watched_nor_restarted(store: PostgresqlStore) -> None:
    with open_store(store.server_url, log_path=Path(os.devnull)) as theirs:
        assert theirs.why_ended() is None
        with raises_worded(StoreError) as raised:
            theirs.restart()

    assert "wirelab:***@127.0.0.1" in str(raised.value)


def test_a_document_store_that_runs_but_cannot_write_is_noticed(tmp_path: Path) -> None:
    with started(tmp_path / "log") as store:
        store.require_working()
        exhaust_descriptors(store)

        assert store.why_ended() is None
        with pytest.raises(StoreError, match="document store"):
            store.require_working()


def test_the_document_store_starts_empty_again(
    tmp_path: Path, games: Domain, hundred: Dataset
) -> None:
    with started(tmp_path / "log") as store:
        store.prepare(games, "hundred", hundred)
        store.restore("hundred", "a")
        assert isinstance(store.counted, int)
        guard, server = family(store.counted)
        os.kill(server, signal.SIGKILL)

        assert "exit code 137" in ends(store)
        assert store.restart() == ()

        restored = store.restore("hundred", "a")
        assert restored.copied
        with MongoClient[dict[str, object]](restored.database.url) as client:
            assert client.get_default_database()["games"].count_documents({}) == 100
        assert not is_alive(guard)
