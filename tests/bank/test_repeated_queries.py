"""Who asks again gets the same bytes: under load each answer is held against a hash of them."""

from contextlib import AbstractContextManager

import pytest

from tests.bank.standing import BANK
from tests.support.clients import Client
from wirelab import protocol
from wirelab.lab.contenders.running import RunningContender
from wirelab.protocol.clients.base import Client as Connection
from wirelab.protocol.clients.client import connect

RECORDS = 1000
LISTS = [name for name in BANK.operations if name.startswith("list_")]


def connected(contender: RunningContender) -> AbstractContextManager[Connection]:
    path = contender.contender.path
    codec = protocol.get(contender.contender.protocol).bind(BANK, path)
    return connect(codec.transport, contender.address, path)


def bytes_of(contender: RunningContender, operation: str, times: int) -> list[bytes]:
    """Send the query several times on one connection."""
    codec = protocol.get(contender.contender.protocol).bind(BANK, contender.contender.path)
    request = codec.encode(BANK.operations[operation], {"records": RECORDS})
    with connected(contender) as connection:
        return [connection.send(request).body for _ in range(times)]


@pytest.mark.parametrize("operation", LISTS)
def test_a_query_is_answered_by_the_same_bytes_on_every_connection(
    operation: str, contender: RunningContender
) -> None:
    first, *others = bytes_of(contender, operation, 3) + bytes_of(contender, operation, 2)

    assert len(first) > 50 * RECORDS
    assert others == [first] * 4


@pytest.mark.parametrize("operation", LISTS)
def test_movements_inserted_meanwhile_are_not_in_the_answer(
    operation: str, client: Client, contender: RunningContender
) -> None:
    (before,) = bytes_of(contender, operation, 1)
    movement = {
        "account_id": 1,
        "booked_on": "2024-02-29",
        "kind": "fee",
        "amount_cents": -1,
        "reference": "F1",
        "description": "inserted between",
    }

    once = client.ask("insert_movements", movements=[movement] * 3)
    again = client.ask("insert_movements", movements=[movement] * 3)

    assert len({*once, *again}) == 6  # a repeated insertion inserts again
    assert bytes_of(contender, operation, 1) == [before]
    assert client.ask("read_movement", id=again[-1])["description"] == "inserted between"
