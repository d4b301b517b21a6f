"""Streams in every direction: events in their order, those to come when they happen."""

import json
from collections.abc import Iterator
from typing import Any

import grpc
import httpx
import psycopg
import pytest
from google.protobuf import message_factory
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.json_format import MessageToDict
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import (
    ProtoReflectionDescriptorDatabase,
)
from websockets.sync.client import ClientConnection, connect

from tests.shop.clients import open_client
from tests.shop.standing import OVER_GRAPHQL, OVER_GRPC, OVER_REST
from tests.support.clients import respelt, snake
from tests.support.plain_http import client_of
from tests.support.standing import Named
from wirelab.domain import Dataset
from wirelab.lab.contenders.running import RunningContender
from wirelab.lab.stores.store import Database

PRODUCT = {"title": "t", "description": "d", "price_cents": 5, "stock": 7, "pictures": []}


@pytest.fixture
def running(request: pytest.FixtureRequest, contender_named: Named) -> RunningContender:
    return contender_named(request.param)


def last_event(store: Database) -> int:
    with psycopg.connect(store.url) as connection:
        row = connection.execute("SELECT max(id) FROM product_events").fetchone()
    assert row is not None
    return int(row[0])


def stock_of(store: Database, *products: int) -> list[int]:
    with psycopg.connect(store.url) as connection:
        text = "SELECT stock FROM products WHERE id = ANY(%s) ORDER BY id"
        return [row[0] for row in connection.execute(text, [list(products)])]


def change_a_product(running: RunningContender) -> int:
    """Make something happen, and return the product that it happened to."""
    with open_client(running.contender, running.address) as client:
        made = client.ask("create_product", product=PRODUCT)
        client.ask("delete_product", id=made["id"])
    return int(made["id"])


# --- server-sent events and WebSocket, beside REST --------------------------------------------


def sent_events(response: httpx.Response) -> Iterator[dict[str, Any]]:
    for line in response.iter_lines():
        if line.startswith("data: "):
            yield respelt(json.loads(line.removeprefix("data: ")), snake)


@pytest.mark.parametrize("running", OVER_REST, indirect=True)
def test_events_are_sent_in_their_order(running: RunningContender, dataset: Dataset) -> None:
    url = "/product-events?after=100&count=450"
    with client_of(running.address) as http, http.stream("GET", url) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        events = list(sent_events(response))

    assert events == dataset.tables["product_event"][100:550]


@pytest.mark.parametrize("running", OVER_REST, indirect=True)
def test_future_events_are_sent_when_they_happen(
    running: RunningContender, store: Database
) -> None:
    url = f"/product-events?after={last_event(store) - 1}&count=3"
    with client_of(running.address) as http, http.stream("GET", url) as response:
        events = sent_events(response)
        next(events)
        product = change_a_product(running)
        news = list(events)

    assert [(each["product_id"], each["kind"]) for each in news] == [
        (product, "created"),
        (product, "deleted"),
    ]


@pytest.mark.parametrize("running", OVER_REST, indirect=True)
def test_an_endless_stream_is_refused(running: RunningContender) -> None:
    for query in ("", "?count=0", "?count=1000001", "?count=5&after=-1", "?count=x"):
        with client_of(running.address) as http:
            assert http.get(f"/product-events{query}").status_code == 422, query


@pytest.fixture
def socket(running: RunningContender) -> Iterator[ClientConnection]:
    with connect(f"ws://{running.address}/stream", proxy=None, close_timeout=1) as opened:
        yield opened


def send(socket: ClientConnection, **message: Any) -> None:
    socket.send(json.dumps(message))


def receive(socket: ClientConnection) -> Any:
    return respelt(json.loads(socket.recv(timeout=30)), snake)


@pytest.mark.parametrize("running", OVER_REST, indirect=True)
def test_a_web_socket_carries_events_counts_and_requests(
    socket: ClientConnection, store: Database, dataset: Dataset
) -> None:
    send(socket, op="watch", after=10, count=30)
    assert [receive(socket) for _ in range(30)] == dataset.tables["product_event"][10:40]
    assert receive(socket) == {"end": 30}

    for product in (20, 21, 20):
        send(socket, op="count", productId=product, stock=product * 10)
    send(socket, op="done")
    assert receive(socket) == {"received": 3}
    assert stock_of(store, 20, 21) == [200, 210]

    for quantity in (1, 900_000):
        send(socket, op="quote", productId=22, quantity=quantity)
        price = dataset.tables["product"][21]["price_cents"]
        assert receive(socket) == {
            "product_id": 22,
            "quantity": quantity,
            "unit_price_cents": price,
            "available": quantity == 1,
        }


@pytest.mark.parametrize("running", OVER_REST, indirect=True)
def test_a_wrong_message_is_answered_and_the_socket_stays(socket: ClientConnection) -> None:
    for text, code in {
        "no JSON": "invalid",
        "[]": "invalid",
        '{"op": "nothing"}': "invalid",
        '{"op": "watch", "count": 0}': "invalid",
        '{"op": "quote", "productId": 0, "quantity": 1}': "not_found",
    }.items():
        socket.send(text)
        assert receive(socket)["error"]["code"] == code, text


# --- subscriptions of GraphQL -----------------------------------------------------------------

SUBSCRIBE = """subscription($after: Int!, $count: Int!) {
  productEvents(after: $after, count: $count) { id productId kind priceCents stock } }"""


@pytest.mark.parametrize("running", OVER_GRAPHQL, indirect=True)
def test_a_subscription_gets_past_and_new_events(
    running: RunningContender, store: Database, dataset: Dataset
) -> None:
    with connect(
        f"ws://{running.address}/graphql",
        subprotocols=["graphql-transport-ws"],  # type: ignore[list-item]
        proxy=None,
        close_timeout=1,
    ) as socket:
        send(socket, type="connection_init")
        assert receive(socket)["type"] == "connection_ack"
        variables = {"after": 5, "count": 250}
        send(socket, id="1", type="subscribe", payload={"query": SUBSCRIBE, "variables": variables})
        events = [receive(socket)["payload"]["data"]["product_events"] for _ in range(250)]
        assert events == dataset.tables["product_event"][5:255]
        assert receive(socket) == {"id": "1", "type": "complete"}

        variables = {"after": last_event(store), "count": 2}
        send(socket, id="2", type="subscribe", payload={"query": SUBSCRIBE, "variables": variables})
        product = change_a_product(running)
        news = [receive(socket)["payload"]["data"]["product_events"] for _ in range(2)]
        assert [each["product_id"] for each in news] == [product, product]
        assert receive(socket)["type"] == "complete"

        variables = {"after": 0, "count": 0}
        send(socket, id="3", type="subscribe", payload={"query": SUBSCRIBE, "variables": variables})
        refused = receive(socket)
        errors = refused["payload"] if refused["type"] == "error" else refused["payload"]["errors"]
        assert errors[0]["extensions"]["code"] == "BAD_USER_INPUT"


# --- streams of gRPC --------------------------------------------------------------------------


class Streams:
    """The streaming methods, by what the server says of itself."""

    def __init__(self, channel: grpc.Channel) -> None:
        pool = DescriptorPool(ProtoReflectionDescriptorDatabase(channel))
        self._service = pool.FindServiceByName("shop.v1.Catalogue")
        self._channel = channel

    def _method(self, kind: str, name: str) -> tuple[Any, Any]:
        method = self._service.methods_by_name[name]
        form = message_factory.GetMessageClass(method.input_type)
        call = getattr(self._channel, kind)(
            f"/shop.v1.Catalogue/{name}",
            request_serializer=form.SerializeToString,
            response_deserializer=message_factory.GetMessageClass(method.output_type).FromString,
        )
        return call, form

    def watch(self, **fields: int) -> Iterator[Any]:
        call, form = self._method("unary_stream", "WatchProducts")
        return map(plain, call(form(**fields), timeout=30))

    def count(self, counts: list[tuple[int, int]]) -> Any:
        call, form = self._method("stream_unary", "CountStock")
        forms = (form(product_id=product, stock=stock) for product, stock in counts)
        return plain(call(forms, timeout=30))

    def quote(self, requests: Iterator[tuple[int, int]]) -> Iterator[Any]:
        call, form = self._method("stream_stream", "QuoteWishes")
        forms = (form(product_id=product, quantity=quantity) for product, quantity in requests)
        return map(plain, call(forms, timeout=30))


def plain(message: Any) -> Any:
    return MessageToDict(message, preserving_proto_field_name=True)


@pytest.fixture
def streams(running: RunningContender) -> Iterator[Streams]:
    with grpc.insecure_channel(running.address) as channel:
        yield Streams(channel)


@pytest.mark.parametrize("running", OVER_GRPC, indirect=True)
def test_a_server_streams_past_and_new_events(
    streams: Streams, running: RunningContender, store: Database, dataset: Dataset
) -> None:
    assert list(streams.watch(after=5, count=450)) == dataset.tables["product_event"][5:455]

    news = streams.watch(after=last_event(store) - 1, count=3)
    next(news)
    product = change_a_product(running)
    assert [each["product_id"] for each in news] == [product, product]


@pytest.mark.parametrize("running", OVER_GRPC, indirect=True)
def test_a_client_streams_counts_all_or_none(streams: Streams, store: Database) -> None:
    assert streams.count([(30, 300), (31, 310), (30, 301)]) == {"received": 3}
    assert stock_of(store, 30, 31) == [301, 310]

    for wrong, code in {(2_000_000, 5): "NOT_FOUND", (31, -1): "INVALID_ARGUMENT"}.items():
        with pytest.raises(grpc.RpcError) as refused:
            streams.count([(30, 999), wrong])
        assert refused.value.code().name == code
    assert stock_of(store, 30, 31) == [301, 310]


@pytest.mark.parametrize("running", OVER_GRPC, indirect=True)
def test_both_stream_and_each_request_is_answered_before_the_next_is_sent(
    streams: Streams, dataset: Dataset
) -> None:
    def requests() -> Iterator[tuple[int, int]]:
        for number in range(40, 45):
            yield number, 900_000 if number == 42 else 1

    answered = list(streams.quote(requests()))

    prices = [row["price_cents"] for row in dataset.tables["product"][39:44]]
    assert [each["unit_price_cents"] for each in answered] == prices
    assert [each.get("available", False) for each in answered] == [True, True, False, True, True]


@pytest.mark.parametrize("running", OVER_GRPC, indirect=True)
def test_an_invalid_stream_is_refused(streams: Streams) -> None:
    for fields in ({"count": 0}, {"count": 5, "after": -1}):
        with pytest.raises(grpc.RpcError) as refused:
            list(streams.watch(**fields))
        assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    with pytest.raises(grpc.RpcError) as refused:
        list(streams.quote(iter([(2_000_000, 1)])))
    assert refused.value.code() is grpc.StatusCode.NOT_FOUND
