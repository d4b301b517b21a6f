"""The contenders as processes: how they end, and what they do when they cannot start or serve."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.games.catalogue import Game
from tests.games.clients import open_client
from tests.games.standing import CONTENDERS, running
from tests.support.callers import RefusedError
from tests.support.clients import Client
from tests.support.ending import (
    KILLED,
    PATIENCE_S,
    assert_a_store_out_of_reach_is_an_error,
    assert_a_taken_port_is_recognised,
    exit_code,
    mislaid,
)
from tests.support.standing import launch
from wirelab.lab.contenders.running import RunningContender
from wirelab.lab.network.ports import free_port
from wirelab.lab.stores.store import Database


@pytest.fixture(params=list(CONTENDERS))
def name(request: pytest.FixtureRequest) -> str:
    contender: str = request.param
    return contender


def test_the_server_ends_although_clients_are_connected(
    name: str, store: Database, tmp_path: Path
) -> None:
    with (
        running(name, store, tmp_path / "log") as contender,
        open_client(contender.contender, contender.address) as client,
    ):
        client.ask("ping")

        assert contender.process.stop() != KILLED
    assert "Traceback" not in contender.log_path.read_text()


@pytest.mark.parametrize("contender", ["rest-flask", "grpc-grpcio"], indirect=True)
def test_a_port_in_use_is_an_error_that_the_lab_recognises(
    contender: RunningContender, store: Database, tmp_path: Path
) -> None:
    assert_a_taken_port_is_recognised(contender, store, tmp_path / "second")


def test_a_store_out_of_reach_is_an_error(name: str, tmp_path: Path) -> None:
    assert_a_store_out_of_reach_is_an_error(CONTENDERS[name], tmp_path / "log")


def test_a_store_of_an_unknown_kind_is_an_error(tmp_path: Path) -> None:
    contender = launch(
        CONTENDERS["grpc-grpcio"], "redis://127.0.0.1/0", tmp_path / "log", free_port()
    )

    assert exit_code(contender) not in {None, 0}
    assert "WIRELAB_STORE_URL" in contender.log_tail()


def test_a_store_that_fails_is_a_server_error_without_details(
    client: Client, store: Database, games: list[Game]
) -> None:
    client.ask("read", id=games[0]["id"])
    with mislaid(store, "games"), pytest.raises(RefusedError, match="internal") as refused:
        client.ask("read", id=games[0]["id"])

    assert "relation" not in str(refused.value)
    assert client.ask("read", id=games[0]["id"])["name"] == games[0]["name"]


def test_many_clients_at_once_all_get_their_own_answer(
    contender: RunningContender, games: list[Game]
) -> None:
    """No answer is lost or mixed up, and an idle connection is still good afterwards."""
    clients, calls_each = 12, 40
    barrier = threading.Barrier(clients)

    def converse(number: int) -> int:
        with open_client(contender.contender, contender.address) as client:
            barrier.wait(PATIENCE_S)
            for turn in range(calls_each):
                row = games[(number + turn) % len(games)]
                assert client.ask("read", id=row["id"])["name"] == row["name"]
            time.sleep(2.5)
            return len(client.ask("list", limit=30))

    with ThreadPoolExecutor(clients) as pool:
        assert list(pool.map(converse, range(clients))) == [len(games)] * clients
