"""Stores are opened once, states prepared once, and every contender gets its own database."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.lab.conftest import count_games, exhaust_descriptors
from tests.support.left import until
from tests.support.wording import raises_worded
from wirelab.domain.model import Domain
from wirelab.lab.errors import StoreError
from wirelab.lab.processes.process import family
from wirelab.lab.stores.open_store import open_store
from wirelab.lab.stores.store import Database
from wirelab.lab.stores.store_manager import StoreManager, StoreState

HUNDRED = StoreState("postgresql", "hundred")
EMPTY = StoreState("postgresql", "empty")
CONTENDERS = ("rest-flask", "rest-flask-twin", "grpc-grpcio")


@pytest.fixture
def manager(games: Domain, own_cache: Path, tmp_path: Path) -> Iterator[StoreManager]:
    with StoreManager(games, data_seed=1, logs=tmp_path) as manager:
        yield manager


def insert(database: Database) -> None:
    with psycopg.connect(database.url, autocommit=True) as connection:
        connection.execute("INSERT INTO games VALUES ('new', '{}')")


def test_rows_that_one_contender_inserts_are_not_in_the_table_of_another(
    manager: StoreManager,
) -> None:
    manager.prepare(HUNDRED)
    databases = {
        name: restored.database for name, restored in manager.restore(HUNDRED, CONTENDERS).items()
    }
    assert tuple(databases) == CONTENDERS

    insert(databases["rest-flask"])

    assert [count_games(database) for database in databases.values()] == [101, 100, 100]
    again = manager.restore(HUNDRED, CONTENDERS)
    assert [restored.copied for restored in again.values()] == [True, False, False]
    assert {restored.database for restored in again.values()} == set(databases.values())


def test_stores_are_opened_and_states_prepared_once(manager: StoreManager) -> None:
    assert manager.opened == {}
    first = manager.prepare(HUNDRED)
    assert (first.records, manager.prepare(HUNDRED).seconds) == (100, 0.0)
    assert first.seconds > 0
    assert manager.open("postgresql") is manager.open("postgresql")
    assert list(manager.opened) == ["postgresql"]
    assert manager.dataset("hundred") is manager.dataset("hundred")


def test_contenders_that_only_read_share_a_database(manager: StoreManager) -> None:
    manager.prepare(HUNDRED)
    manager.prepare(EMPTY)

    shared = manager.restore_shared(HUNDRED)

    assert shared.copied
    assert not manager.restore_shared(HUNDRED).copied
    other = manager.restore_shared(EMPTY)
    assert other.database != shared.database
    assert not manager.restore_shared(HUNDRED).copied  # each state has its own
    (own,) = manager.restore(HUNDRED, ["rest-flask"]).values()
    assert own.database != shared.database


def test_databases_that_are_no_longer_needed_can_be_dropped(manager: StoreManager) -> None:
    manager.prepare(HUNDRED)
    manager.restore(HUNDRED, CONTENDERS)

    manager.drop(HUNDRED, CONTENDERS[:2])

    again = manager.restore(HUNDRED, CONTENDERS)
    assert [restored.copied for restored in again.values()] == [True, True, False]


def test_it_reports_whether_copies_fit(manager: StoreManager) -> None:
    manager.prepare(HUNDRED)

    assert manager.why_no_copies(HUNDRED, 3) == ""
    assert manager.why_no_copies(HUNDRED, 10**9).startswith(f"{10**9} copies")


def test_a_store_that_ends_is_noticed_and_restarted(manager: StoreManager) -> None:
    manager.prepare(HUNDRED)
    manager.restore(HUNDRED, CONTENDERS)
    assert manager.why_failed() == {}
    counted = manager.open("postgresql").counted
    assert isinstance(counted, int)

    os.kill(family(counted)[2], signal.SIGKILL)  # after the guard and the shell
    reasons = until(manager.why_failed)

    assert list(reasons) == ["postgresql"]
    assert "ended unexpectedly" in reasons["postgresql"].what
    restarted = manager.restart("postgresql")
    assert (restarted.store, restarted.prepared_again) == ("postgresql", ())
    assert restarted.seconds > 0
    assert manager.why_failed() == {}
    again = manager.restore(HUNDRED, CONTENDERS).values()
    assert [(restored.copied, count_games(restored.database)) for restored in again] == [
        (True, 100)
    ] * 3


def test_a_store_that_runs_but_does_not_work_is_restarted(games: Domain, tmp_path: Path) -> None:
    with StoreManager(games, data_seed=1, logs=tmp_path) as manager:
        exhaust_descriptors(manager.open("mongodb"))

        assert manager.why_failed() == {}  # it has not been checked
        with pytest.raises(StoreError, match="the document store"):
            manager.require_working()
        assert list(manager.why_failed()) == ["mongodb"]
        assert manager.restart("mongodb").store == "mongodb"
        assert manager.why_failed() == {}
        manager.require_working()


def test_a_server_of_the_user_is_used_by_its_url(
    games: Domain, own_cache: Path, tmp_path: Path
) -> None:
    with open_store("postgresql", log_path=tmp_path / "theirs.log") as theirs:
        addresses = {"postgresql": theirs.server_url}
        with StoreManager(games, data_seed=1, logs=tmp_path, addresses=addresses) as manager:
            manager.prepare(EMPTY)
            (restored,) = manager.restore(EMPTY, ["rest-flask"]).values()
            assert count_games(restored.database) == 0
            assert manager.why_failed() == {}

        with pytest.raises(psycopg.OperationalError, match="does not exist"):
            count_games(restored.database)


def test_a_store_that_cannot_be_opened_is_not_kept(
    games: Domain, own_cache: Path, tmp_path: Path
) -> None:
    addresses = {"postgresql": "postgresql://u:p@127.0.0.1:1/d"}
    with StoreManager(games, data_seed=1, logs=tmp_path, addresses=addresses) as manager:
        with raises_worded(StoreError):
            manager.prepare(EMPTY)

        assert manager.opened == {}
