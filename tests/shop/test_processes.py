"""The contenders as processes: what they do when they cannot start or serve."""

from pathlib import Path

import pytest

from tests.shop.clients import Client
from tests.shop.standing import CONTENDERS, OWN
from tests.support.callers import RefusedError
from tests.support.connections import queue, requests_on_one_connection
from tests.support.ending import (
    assert_a_store_out_of_reach_is_an_error,
    assert_a_taken_port_is_recognised,
    mislaid,
)
from tests.support.standing import Named
from wirelab.lab.contenders.running import RunningContender
from wirelab.lab.stores.store import Database

OVER_REST = [name for name in OWN if CONTENDERS[name].protocol == "rest"]
"""Each stack has one pool, for all its protocols."""


def test_a_port_in_use_is_an_error_that_the_lab_recognises(
    contender: RunningContender, store: Database, tmp_path: Path
) -> None:
    assert_a_taken_port_is_recognised(contender, store, tmp_path / "second")


@pytest.mark.parametrize("name", OWN)
def test_a_store_out_of_reach_is_an_error(name: str, tmp_path: Path) -> None:
    assert_a_store_out_of_reach_is_an_error(CONTENDERS[name], tmp_path / "log")


def test_a_store_that_fails_is_a_server_error_without_details(
    client: Client, contender: RunningContender, store: Database
) -> None:
    with mislaid(store, "reviews"), pytest.raises(RefusedError, match="internal") as refused:
        client.ask("read_review", id=1500)

    assert "relation" not in str(refused.value)
    assert 'relation "reviews"' in contender.log_path.read_text()
    assert client.ask("read_review", id=1500)["id"] == 1500


@pytest.mark.parametrize("name", OVER_REST)
def test_who_gets_no_connection_to_the_store_waits_as_long_as_declared(
    name: str, contender_named: Named, store: Database
) -> None:
    running = contender_named(name)
    settings = running.contender.settings
    url = f"http://{running.address}/reviews/1500"
    queued = queue(url, store.url, "reviews", int(settings["pool_size"]))

    assert queued.refused == [503, 503]
    assert settings["pool_wait_s"] == pytest.approx(queued.after_s, abs=3)
    assert set(queued.served) == {200}


@pytest.mark.parametrize("name", OVER_REST)
def test_a_connection_serves_any_number_of_requests(name: str, contender_named: Named) -> None:
    assert requests_on_one_connection(contender_named(name).address, "/ping", 300) == 300
