"""The settings that contender.toml declares are in force."""

import pytest

from tests.library.shelf import Row
from tests.library.standing import CONTENDERS
from tests.support.connections import queue, requests_on_one_connection
from tests.support.standing import Named
from wirelab.lab.stores.store import Database

MOST = 300
"""Tomcat by itself serves a hundred requests on a connection."""


def test_who_gets_no_connection_to_the_store_waits_as_long_as_declared(
    contender_named: Named, store: Database, rows: dict[str, list[Row]]
) -> None:
    running = contender_named("rest-spring")
    settings = running.contender.settings
    author = rows["author"][0]["id"]
    queued = queue(
        f"http://{running.address}/authors/{author}",
        store.url,
        "author",
        int(settings["pool_size"]),
    )

    assert queued.refused == [500, 500]
    assert settings["pool_wait_s"] == pytest.approx(queued.after_s, abs=3)
    assert set(queued.served) == {200}


def test_every_contender_declares_the_same_pool() -> None:
    pools = {
        (contender.settings["pool_size"], contender.settings["pool_wait_s"])
        for contender in CONTENDERS.values()
    }

    assert len(pools) == 1


def test_a_connection_serves_any_number_of_requests(contender_named: Named) -> None:
    assert requests_on_one_connection(contender_named("rest-spring").address, "/ping", MOST) == MOST
