"""WebSocket: many messages on one connection, and messages that make no sense."""

import json
from collections.abc import Callable, Iterator

import pytest
from websockets.exceptions import ConnectionClosedError
from websockets.sync.client import ClientConnection, connect

from tests.games.catalogue import Game
from wirelab.lab.contenders.running import RunningContender


@pytest.fixture
def connection(
    contender_named: Callable[[str], RunningContender], games: list[Game]
) -> Iterator[ClientConnection]:
    address = contender_named("websocket-flask-sock").address
    with connect(f"ws://{address}/ws", proxy=None, max_size=None) as opened:
        yield opened


def test_answers_come_in_the_order_of_the_requests(connection: ClientConnection) -> None:
    ids = [f"game-{number:06d}" for number in (3, 1, 2)]
    for game_id in ids:
        connection.send(json.dumps({"op": "read", "id": game_id}))

    answers = [json.loads(connection.recv(timeout=10)) for _ in ids]

    assert [answer["game"]["id"] for answer in answers] == ids


@pytest.mark.parametrize(
    "message",
    [
        "{",
        "",
        "[]",
        "{}",
        "[" * 100_000,
        '{"op": "dance"}',
        '{"op": ["read"]}',
        '{"op": "read"}',
        '{"op": "read", "id": 5}',
        '{"op": "read", "id": "\\u0000"}',
        '{"op": "list", "limit": "10"}',
        '{"op": "list", "limit": true}',
        '{"op": "create", "game": {"name": "half a pair \\ud800"}}',
        b"\xff\xfe\x00",
    ],
)
def test_a_wrong_message_is_invalid_and_the_next_is_answered(
    connection: ClientConnection, message: str | bytes
) -> None:
    connection.send(message)
    refused = json.loads(connection.recv(timeout=10))
    connection.send('{"op": "ping"}')

    assert refused["error"]["code"] == "invalid"
    assert refused["error"]["message"]
    assert json.loads(connection.recv(timeout=10)) == {"status": "ok"}


def test_an_endless_message_closes_the_connection(connection: ClientConnection) -> None:
    connection.send("x" * 1_100_000)
    with pytest.raises(ConnectionClosedError) as closed:
        connection.recv(timeout=10)

    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1009
