"""What every embedded store does with its states, for real."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
from pymongo import MongoClient
from pymongo.collection import Collection

from tests.lab.conftest import count_games, fill
from tests.support.mongodb import started
from wirelab.domain.dataset import Dataset
from wirelab.domain.model import Domain
from wirelab.lab.errors import StoreError
from wirelab.lab.stores.open_store import open_store
from wirelab.lab.stores.postgresql_server import start_postgresql
from wirelab.lab.stores.store import Database, Store

STARTING = {"postgresql": lambda log: start_postgresql(log_path=log), "mongodb": started}


@pytest.fixture(scope="module", params=STARTING)
def store(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    games: Domain,
    none: Dataset,
    hundred: Dataset,
) -> Iterator[Store]:
    with STARTING[request.param](tmp_path_factory.mktemp(request.param) / "log") as server:
        server.prepare(games, "empty", none)
        server.prepare(games, "hundred", hundred)
        yield server


@contextmanager
def collection(database: Database) -> Iterator[Collection[dict[str, object]]]:
    with MongoClient[dict[str, object]](database.url) as client:
        yield client.get_default_database()["games"]


def count(database: Database) -> int:
    if database.kind == "mongodb":
        with collection(database) as games:
            return games.count_documents({})
    return count_games(database)


def delete_all(database: Database) -> None:
    if database.kind == "mongodb":
        with collection(database) as games:
            games.delete_many({})
    else:
        with psycopg.connect(database.url, autocommit=True) as connection:
            connection.execute("DELETE FROM games")


def databases(store: Store) -> list[str]:
    if store.server_url.startswith("mongodb"):
        with MongoClient[dict[str, object]](store.server_url) as client:
            return client.list_database_names()
    with psycopg.connect(store.server_url) as connection:
        rows = connection.execute("SELECT datname FROM pg_database ORDER BY datname")
        return [str(name) for (name,) in rows]


def test_writes_are_undone(store: Store) -> None:
    database = store.restore("hundred", "a").database
    delete_all(database)

    restored = store.restore("hundred", "a")

    assert (restored.copied, restored.database, count(database)) == (True, database, 100)
    assert restored.seconds > 0


def test_nothing_is_done_when_nothing_was_written(store: Store) -> None:
    store.restore("empty", "a")
    assert count(store.restore("hundred", "a").database) == 100

    assert not store.restore("hundred", "a").copied
    assert store.restore("empty", "a").copied  # another state is always to be made


def test_each_contender_has_its_own_database(store: Store) -> None:
    first, second = (store.restore("hundred", name).database for name in "ab")
    assert first.url != second.url
    assert len(first.url) == len(second.url)  # or their contenders' stacks would lie differently

    delete_all(first)

    assert count(second) == 100
    assert not store.restore("hundred", "b").copied  # only the other one was written to
    assert store.restore("hundred", "a").copied
    assert store.why_no_copies("hundred", 8) == ""


def test_a_dropped_database_is_made_again(store: Store) -> None:
    name = urlsplit(store.restore("hundred", "c").database.url).path.removeprefix("/")
    for _ in range(2):
        store.drop("c")

    assert name not in databases(store)
    assert store.restore("hundred", "c").copied


def test_a_server_of_the_user_is_left_unchanged(
    store: Store, games: Domain, hundred: Dataset
) -> None:
    before = databases(store)

    with open_store(store.server_url, log_path=Path(os.devnull)) as other:
        other.prepare(games, "hundred", hundred)
        assert other.restore("hundred", "a").copied
        again = other.restore("hundred", "a").copied
        assert again == (other.kind == "mongodb")  # which does not say whether somebody wrote
        assert databases(store) != before

    assert databases(store) == before


@pytest.mark.parametrize("kind", STARTING)
def test_a_full_disk_names_the_folder_and_the_setting(
    kind: str, small_disk: Path, tmp_path: Path, games: Domain, hundred: Dataset
) -> None:
    with STARTING[kind](tmp_path / "log") as server:
        write: Callable[[], object] = partial(server.prepare, games, "hundred", hundred)
        if kind == "mongodb":  # which reserves space as it starts
            write()
            write = partial(server.restore, "hundred", "a")
        fill(small_disk)

        with pytest.raises(StoreError, match=f"free space .*{small_disk}.*TMPDIR"):
            write()
