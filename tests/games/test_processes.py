"""The contenders as processes: how they end, and what they do when they cannot start or serve."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.games.catalogue import Game
from tests.games.clients import open_client
from tests.games.conftest import CONTENDERS
from tests.games.standing import Running, free_port, launch, running

QUICKLY_S = 1.0


@pytest.fixture(params=CONTENDERS)
def name(request: pytest.FixtureRequest) -> str:
    contender: str = request.param
    return contender


def test_it_ends_quickly_with_clients_connected(
    name: str, built: Path, postgresql_url: str, tmp_path: Path
) -> None:
    with running(name, built, postgresql_url, tmp_path / "log") as contender:
        with open_client(contender) as client:
            client.ping()
            seconds = contender.stop()

        assert seconds < QUICKLY_S
        assert "Traceback" not in contender.log.read_text()
    with running(name, built, postgresql_url, tmp_path / "again", contender.port) as again:
        assert again.process.poll() is None


def test_a_taken_port_is_an_error(
    name: str, built: Path, postgresql_url: str, tmp_path: Path
) -> None:
    with running(name, built, postgresql_url, tmp_path / "first") as first:
        second = launch(name, built, postgresql_url, tmp_path / "second", first.port)

        assert second.process.wait(15) != 0
        assert str(first.port) in second.log.read_text()


def test_a_store_out_of_reach_is_an_error(name: str, built: Path, tmp_path: Path) -> None:
    nowhere = f"postgresql://games@127.0.0.1:{free_port()}/postgres"
    contender = launch(name, built, nowhere, tmp_path / "log", free_port())

    assert contender.process.wait(15) != 0
    assert "onnection refused" in contender.log.read_text()


def test_many_clients_at_once_all_get_their_own_answer(
    contender: Running, games: list[Game]
) -> None:
    """No answer is lost or mixed up, and an idle connection is still good afterwards."""
    clients, calls_each = 12, 40
    barrier = threading.Barrier(clients)

    def converse(number: int) -> int:
        with open_client(contender) as client:
            barrier.wait()
            for turn in range(calls_each):
                row = games[(number + turn) % len(games)]
                assert client.read(row["id"])["name"] == row["name"]
            time.sleep(2.5)
            return len(client.list(30))

    with ThreadPoolExecutor(clients) as pool:
        assert list(pool.map(converse, range(clients))) == [len(games)] * clients
