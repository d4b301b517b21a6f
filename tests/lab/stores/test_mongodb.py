"""The embedded document store, for real."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pytest
from pymongo import MongoClient
from pymongo.collection import Collection

from tests.lab.conftest import as_root
from tests.support.mongodb import started
from tests.support.wording import raises_worded
from wirelab.domain.dataset import Dataset
from wirelab.domain.model import Domain
from wirelab.domain.stores import MongodbSetup as Description
from wirelab.errors import MissingProgramError
from wirelab.lab.errors import StoreError
from wirelab.lab.network.ports import free_port
from wirelab.lab.processes.account import STORE
from wirelab.lab.stores import ferretdb
from wirelab.lab.stores.ferretdb import find_go
from wirelab.lab.stores.mongodb import MongodbStore, _with_database
from wirelab.lab.stores.open_store import open_store
from wirelab.lab.stores.store import Database


@pytest.fixture(scope="module")
def store(
    tmp_path_factory: pytest.TempPathFactory, games: Domain, none: Dataset, hundred: Dataset
) -> Iterator[MongodbStore]:
    with started(tmp_path_factory.mktemp("ferretdb") / "log") as server:
        description = Description(collections={"game": "games"}, indexes={"games": ("name",)})
        domain = replace(games, stores=games.stores.model_copy(update={"mongodb": description}))
        server.prepare(domain, "empty", none)
        server.prepare(domain, "hundred", hundred)
        yield server


Games = Collection[dict[str, object]]


@contextmanager
def games_in(database: Database) -> Iterator[Games]:
    with MongoClient[dict[str, object]](database.url) as client:
        yield client.get_default_database()["games"]


@as_root
def test_it_runs_as_a_separate_user(store: MongodbStore) -> None:
    assert isinstance(store.counted, int)
    guard = psutil.Process(store.counted)
    (server,) = (each for each in guard.children(recursive=True) if each.name().startswith("wire"))

    assert server.username() == STORE
    assert "NoNewPrivs:\t1" in Path(f"/proc/{server.pid}/status").read_text()


def count(database: Database) -> int:
    with games_in(database) as found:
        return found.count_documents({})


def indexes(database: Database) -> set[str]:
    with games_in(database) as found:
        return set(found.index_information())


def test_each_state_matches_the_domain(store: MongodbStore, hundred: Dataset) -> None:
    database = store.restore("empty", "a").database
    assert (count(database), indexes(database)) == (0, {"_id_"})

    database = store.restore("hundred", "a").database
    assert (count(database), indexes(database)) == (100, {"_id_", "name_1"})
    row = hundred.tables["game"][7]
    with games_in(database) as collection:
        found = collection.find_one({"_id": row["id"]})
    assert found is not None
    assert found["name"] == row["name"]
    assert "id" not in found


def test_the_store_reports_its_version_and_settings(store: MongodbStore) -> None:
    assert store.title.startswith("FerretDB 1.24")
    assert store.settings["synchronous"] == "off"


def test_the_error_for_a_missing_server_names_host_and_port(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("wirelab.lab.stores.mongodb.PATIENCE_MS", 200)
    port = free_port()

    with pytest.raises(StoreError, match=r"\n.*host and port"):
        open_store(f"mongodb://a:b@127.0.0.1:{port}/c", log_path=Path(os.devnull))


def test_wrong_credentials_name_the_url(store: MongodbStore) -> None:
    parts = urlsplit(store.server_url)
    url = f"mongodb://somebody:wrong@{parts.netloc}/theirs"

    with pytest.raises(StoreError, match="user or password"):
        open_store(url, log_path=Path(os.devnull))


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("mongodb://h:1/a", "mongodb://h:1/w"),
        ("mongodb://u:p@h/a", "mongodb://u:p@h/w?authSource=a"),
        ("mongodb://u:p@h/", "mongodb://u:p@h/w?authSource=admin"),
        ("mongodb://u:p@h,i/a?authSource=b", "mongodb://u:p@h,i/w?authSource=b"),
    ],
)
def test_the_login_database_is_that_of_the_url(url: str, expected: str) -> None:
    assert _with_database(url, "w") == expected


def test_the_error_without_go_names_the_remedy(
    own_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ferretdb, "OLDEST_GO", (99, 1))
    monkeypatch.setenv("UV_OFFLINE", "1")
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "uv"))

    with pytest.raises(MissingProgramError, match=r"Go 99\.1 or newer"):
        find_go(tmp_path / "log")


def test_an_unknown_store_is_refused() -> None:
    with raises_worded(StoreError):
        open_store("mysql", log_path=Path(os.devnull))
