"""Streams of items: their answer is the list of all items, and a wrong item is named."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import pytest
from websockets.sync.server import ServerConnection, serve
from websockets.typing import Subprotocol

from tests.protocol.exchanges import EVENTS, reply
from wirelab.domain import Domain
from wirelab.domain_file import load_domain
from wirelab.engine.job import Endpoint
from wirelab.protocol import Answer, Refusal, WireReply, bind
from wirelab.protocol.clients.client import connect_to
from wirelab.verify.known import reference_differ

ITEMS = [{"text": f"item {number}"} for number in range(30)]
ASKED = {"seed": 1, "count": 30, "rate": 0}
Items = list[dict[str, str]]


@cache
def tokens() -> Domain:
    return load_domain("tokens")


def events(messages: list[Any], *, before: str = "") -> WireReply:
    return reply(200, before + "".join(f"data: {json.dumps(it)}\n\n" for it in messages), EVENTS)


def messages(sent: list[Any]) -> WireReply:
    items = tuple(json.dumps(it).encode() for it in sent)
    return WireReply(None, (), b"".join(items), items=items)


def progress(items: Items) -> WireReply:
    method = "notifications/progress"
    told = [
        {"jsonrpc": "2.0", "method": method, "params": {"message": json.dumps(it)}} for it in items
    ]
    return events([*told, {"jsonrpc": "2.0", "id": 1, "result": {"structuredContent": {}}}])


def grpc(items: Items) -> WireReply:
    texts = [it["text"].encode() for it in items]
    return WireReply(0, (), b"", items=tuple(b"\n" + bytes([len(it)]) + it for it in texts))


def results(items: Items) -> list[dict[str, Any]]:
    return [{"data": {"items": it}} for it in items]


def subscribed(items: Items, end: str = "complete") -> list[dict[str, Any]]:
    told = [{"id": "1", "type": "next", "payload": each} for each in results(items)]
    return [*told, {"id": "1", "type": end}]


STREAMS: dict[str, tuple[str, str, Callable[[Items], WireReply]]] = {
    "events": ("rest", "http1", events),
    "socket": ("websocket", "websocket", lambda items: messages([*items, {"end": 30}])),
    "grpc": ("grpc", "grpc", grpc),
    "progress": ("mcp", "http1", progress),
    "graphql": ("graphql", "http1", lambda items: events(results(items), before=":\n\n")),
    "graphql-ws": ("graphql", "websocket", lambda items: messages(subscribed(items))),
}


@pytest.mark.parametrize("name", STREAMS)
def test_an_item_that_is_lost_repeated_or_out_of_order_is_named(name: str) -> None:
    protocol, transport, written = STREAMS[name]
    codec, operation = bind(protocol, tokens(), "/", transport), tokens().operations["stream"]

    def decoded(items: Items) -> object:
        outcome = codec.decode(operation, written(items))
        assert isinstance(outcome, Answer), outcome
        return outcome.value

    assert codec.encode(operation, ASKED).stream
    differ = reference_differ(operation)
    assert differ(ITEMS, decoded(ITEMS)) is None
    lost, repeated = [*ITEMS[:17], *ITEMS[18:]], [*ITEMS[:17], *ITEMS[16:]]
    exchanged = [*ITEMS[:17], ITEMS[18], ITEMS[17], *ITEMS[19:]]
    for wrong in (lost, repeated, exchanged):
        difference = differ(ITEMS, decoded(wrong))
        assert difference is not None
        assert difference.path == "/17/text"
        assert (difference.expected, difference.got) == ("item 17", wrong[17]["text"])
    ended = differ(ITEMS, decoded(ITEMS[:-1]))
    assert ended is not None
    assert ended.path == "/29"


@contextmanager
def subscriptions(seen: list[Any], end: str) -> Iterator[str]:
    """Serve graphql-transport-ws."""

    def converse(connection: ServerConnection) -> None:
        for text in connection:
            seen.append(message := json.loads(text))
            answers = [{"type": "connection_ack"}]
            if message["type"] == "subscribe":
                answers = subscribed(ITEMS[:2], end)
            for answer in answers:
                connection.send(json.dumps(answer))

    spoken = [Subprotocol("graphql-transport-ws")]
    with serve(converse, "127.0.0.1", 0, subprotocols=spoken) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"127.0.0.1:{server.socket.getsockname()[1]}"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(("end", "kind"), [("complete", Answer), ("error", Refusal)])
def test_subscriptions_follow_each_other_on_one_socket(end: str, kind: type) -> None:
    codec, operation = bind("graphql", tokens(), "/", "websocket"), tokens().operations["stream"]
    seen: list[Any] = []
    request = codec.encode(operation, ASKED)
    with subscriptions(seen, end) as address:
        endpoint = Endpoint(
            transport="websocket", address=address, headers=codec.headers, subscribe=codec.subscribe
        )
        with connect_to(endpoint) as client:
            outcomes = [codec.decode(operation, client.send(request)) for _ in range(2)]

    assert [type(each) for each in outcomes] == [kind, kind]
    assert end == "error" or outcomes[1] == Answer(ITEMS[:2])
    assert [each["type"] for each in seen] == ["connection_init", "subscribe", "subscribe"]
    assert seen[1]["payload"]["variables"] == ASKED
