"""The contenders as processes: how they end, and what they do when they cannot start or serve."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.bank.clients import open_client
from tests.bank.standing import CONTENDERS, running
from tests.support.callers import RefusedError
from tests.support.clients import Client
from tests.support.connections import queue, requests_on_one_connection
from tests.support.ending import (
    KILLED,
    PATIENCE_S,
    assert_a_store_out_of_reach_is_an_error,
    assert_a_taken_port_is_recognised,
    exit_code,
    mislaid,
)
from tests.support.standing import Named, launch
from wirelab.domain import Reference
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
        client.ask("list_movements", records=10)

        assert contender.process.stop() != KILLED
    assert "Error" not in contender.log_path.read_text()


def test_a_port_in_use_is_an_error_that_the_lab_recognises(
    contender: RunningContender, store: Database, tmp_path: Path
) -> None:
    assert_a_taken_port_is_recognised(contender, store, tmp_path / "second")


def test_a_store_out_of_reach_is_an_error(name: str, tmp_path: Path) -> None:
    assert_a_store_out_of_reach_is_an_error(CONTENDERS[name], tmp_path / "log")


def test_a_store_of_an_unknown_kind_is_an_error(store: Database, tmp_path: Path) -> None:
    nestjs = CONTENDERS["rest-nestjs"]
    contender = launch(nestjs, store.url, tmp_path / "log", free_port(), kind="mongodb")

    assert exit_code(contender) not in {None, 0}
    assert "not mongodb" in contender.log_path.read_text()


def test_a_store_that_fails_is_a_server_error_without_details(
    client: Client, contender: RunningContender, store: Database
) -> None:
    with mislaid(store, "movement"), pytest.raises(RefusedError, match="internal") as refused:
        client.ask("read_movement", id=1)

    assert "relation" not in str(refused.value)
    assert 'relation "movement"' in contender.log_path.read_text()
    assert client.ask("read_movement", id=1)["id"] == 1


def test_who_gets_no_connection_to_the_store_waits_as_long_as_declared(
    contender_named: Named, store: Database
) -> None:
    running = contender_named("rest-nestjs")
    settings = running.contender.settings
    url = f"http://{running.address}/movements/1"
    queued = queue(url, store.url, "movement", int(settings["pool_size"]))

    assert queued.refused == [500, 500]
    assert settings["pool_wait_s"] == pytest.approx(queued.after_s, abs=3)
    assert set(queued.served) == {200}


def test_a_connection_serves_any_number_of_requests(contender_named: Named) -> None:
    address = contender_named("rest-nestjs").address

    assert requests_on_one_connection(address, "/ping", 300) == 300


def test_many_clients_at_once_all_get_their_own_answer(
    contender: RunningContender, reference: Reference
) -> None:
    clients, calls_each = 12, 10
    barrier = threading.Barrier(clients)

    def converse(number: int) -> None:
        with open_client(contender.contender, contender.address) as client:
            barrier.wait(PATIENCE_S)
            for turn in range(calls_each):
                key = 1 + number * calls_each + turn
                assert client.ask("read_movement", id=key)["id"] == key
                records: dict[str, object] = {"records": 1 + key % 7}
                answer = client.ask("list_movements_with_accounts", **records)
                assert answer == reference.call("list_movements_with_accounts", records)

    with ThreadPoolExecutor(clients) as pool:
        for done in [pool.submit(converse, number) for number in range(clients)]:
            done.result()
