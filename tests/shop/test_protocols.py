"""What is peculiar to a protocol: its errors, encodings, and how many statements it takes."""

import gzip
from collections import Counter
from collections.abc import Iterator
from typing import Any

import grpc
import httpx
import pytest
from google.protobuf import message_factory
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.json_format import MessageToDict, ParseDict

from tests.shop.clients import open_client
from tests.shop.services import eventually
from tests.shop.standing import CONTENDERS, OVER_GRAPHQL, OVER_GRPC, OVER_REST, SHOP
from tests.support.described import (
    JSON,
    assert_problem,
    assert_reflects_proto,
    assert_schema_is_served,
    codes,
    compiled_proto,
    refusal_of,
)
from tests.support.plain_http import client_of
from tests.support.standing import Named
from wirelab.domain import Dataset
from wirelab.lab.contenders.running import RunningContender
from wirelab.lab.stores.store import Store

PROTOBUF = "application/protobuf"


@pytest.fixture(scope="session")
def pool() -> DescriptorPool:
    """The messages of shop.proto, compiled here."""
    made = DescriptorPool()
    made.Add(compiled_proto(SHOP.folder))
    return made


def form(pool: DescriptorPool, name: str) -> Any:
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"shop.v1.{name}"))


@pytest.fixture
def http(request: pytest.FixtureRequest, contender_named: Named) -> Iterator[httpx.Client]:
    with client_of(contender_named(request.param).address) as client:
        yield client


# --- REST -------------------------------------------------------------------------------------


@pytest.mark.parametrize("http", OVER_REST, indirect=True)
@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "/nowhere", b"", 404),
        ("GET", "/products/one", b"", 422),
        ("GET", "/products?limit=1e1", b"", 422),
        ("GET", "/products?limit=0", b"", 422),
        ("POST", "/products", b"{", 400),
        ("POST", "/products", b"[[]]", 422),
        ("POST", "/products", b'{"title": 5}', 422),
        ("POST", "/sessions", b'{"userId": 1, "password": "x", "more": 1}', 422),
        ("POST", "/sessions", b'{"userId": true, "password": "x"}', 422),
        ("POST", "/sessions", b'{"userId": 1, "password": "not the one"}', 401),
        ("POST", "/products", b'{"title": "' + b"x" * 2**20 + b'"}', 413),
    ],
    ids=lambda it: str(it[:20]) if isinstance(it, bytes) else None,
)
def test_a_wrong_request_gets_its_status_and_a_problem(
    http: httpx.Client, method: str, path: str, body: bytes, status: int
) -> None:
    response = http.request(method, path, content=body or None, headers=JSON if body else None)

    assert_problem(response, status)
    assert http.get("/ping").json() == {"status": "ok"}


@pytest.mark.parametrize("http", OVER_REST, indirect=True)
def test_the_interface_is_published(http: httpx.Client) -> None:
    assert http.get("/openapi.yaml").text == (SHOP.folder / "openapi.yaml").read_text()


@pytest.mark.parametrize("http", OVER_REST, indirect=True)
def test_messages_of_protocol_buffers_equal_the_json(
    http: httpx.Client, pool: DescriptorPool, dataset: Dataset
) -> None:
    accept = {"accept": PROTOBUF}
    for path, name in {
        "/products?after=600&limit=20&include=reviews": "ProductList",
        "/products/700": "Product",
        "/products/700/reviews": "Product",
        "/reviews/1500": "Review",
        "/users/600": "User",
        f"/users/{dataset.tables['order'][-1]['user_id']}/orders?include=products": "OrderList",
        "/orders/700": "Order",
        "/ping": "PingResponse",
    }.items():
        as_json, as_message = http.get(path), http.get(path, headers=accept)

        assert as_message.headers["content-type"] == PROTOBUF
        message = form(pool, name).FromString(as_message.content)
        assert empty_lists_gone(as_json.json()) == MessageToDict(message), path
        assert len(as_message.content) < len(as_json.content)
    request = {"title": "t", "description": "d", "priceCents": 5, "stock": 7, "pictures": []}
    body = ParseDict(request, form(pool, "ProductInput")()).SerializeToString()
    both = {**accept, "content-type": PROTOBUF}
    response = http.post("/products", content=body, headers=both)
    made = MessageToDict(form(pool, "Product").FromString(response.content))
    assert response.status_code == 201
    assert made["title"] == "t"
    review = {"userId": 1, "review": {"rating": 4, "headline": "h", "body": "b"}}
    body = ParseDict(review, form(pool, "NewReview")()).SerializeToString()
    response = http.post(f"/products/{made['id']}/reviews", content=body, headers=both)
    assert MessageToDict(form(pool, "Review").FromString(response.content))["rating"] == 4
    refused = http.post("/products", content=b"\xff\xff", headers=both)
    assert (refused.status_code, refused.json()["status"]) == (400, 400)


def empty_lists_gone(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: empty_lists_gone(item) for key, item in value.items() if item not in ([], 0)}
    return [empty_lists_gone(item) for item in value] if isinstance(value, list) else value


def assert_answers_are_compressed(started: RunningContender) -> None:
    """Hold the answers of a contender that compresses against those for who does not accept it."""
    protocol = started.contender.protocol
    if protocol == "grpc":
        assert_grpc_is_compressed(started)
        return
    with client_of(started.address) as http:
        http.headers.clear()
        query = {"query": "{ products(after: 600) { description } }"}

        def ask(**headers: str) -> httpx.Response:
            if protocol == "graphql":
                return http.post("/graphql", json=query, headers=headers)
            return http.get("/products?after=600", headers=headers)

        plain, packed = ask(), ask(**{"accept-encoding": "gzip"})
    assert "content-encoding" not in plain.headers
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.json() == plain.json()
    assert len(gzip.compress(plain.content)) < len(plain.content)


def assert_grpc_is_compressed(started: RunningContender) -> None:
    """Look at the bytes: the same question, answered by fewer of them."""
    from tests.shop.proxy import proxies  # noqa: PLC0415

    with proxies(1) as [proxy]:
        host, _, port = started.address.partition(":")
        proxy.target = (host, int(port))
        with grpc.insecure_channel(f"127.0.0.1:{proxy.port}") as channel:
            call = channel.unary_unary("/shop.v1.Catalogue/ListProducts")
            answer = call(b"\x08\xd8\x04\x10\x64\x18\x01", timeout=30)  # after 600, 100, reviews
    assert proxy.bytes_back < len(answer) / 2


# --- GraphQL ----------------------------------------------------------------------------------


@pytest.mark.parametrize("http", OVER_GRAPHQL, indirect=True)
def test_the_served_schema_is_the_described_one(http: httpx.Client) -> None:
    def ask(query: str) -> httpx.Response:
        return http.post("/graphql", json={"query": query})

    assert_schema_is_served(ask, SHOP.folder, descriptions=False)


@pytest.mark.parametrize("http", OVER_GRAPHQL, indirect=True)
@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("{ products(", "GRAPHQL_PARSE_FAILED"),
        ("{ nothing }", "GRAPHQL_VALIDATION_FAILED"),
        ('{ product(id: "one") { id } }', "GRAPHQL_VALIDATION_FAILED"),
        ("{ products(first: 0) { id } }", "BAD_USER_INPUT"),
        ("{ product(id: 1) { reviews(first: 1000) { id } } }", "BAD_USER_INPUT"),
        ("{ product(id: 0) { id } }", "NOT_FOUND"),
        ('mutation { login(userId: 1, password: "no") { token } }', "UNAUTHENTICATED"),
        ('mutation { reserve(key: "k", lines: [{productId: 1, quantity: 999999}]) }', "CONFLICT"),
    ],
)
def test_a_wrong_document_gets_its_code(http: httpx.Client, query: str, code: str) -> None:
    response = http.post("/graphql", json={"query": query})

    assert set(codes(response)) == {code}


@pytest.mark.parametrize("http", OVER_GRAPHQL, indirect=True)
def test_a_failed_part_does_not_affect_the_others(http: httpx.Client) -> None:
    query = "{ here: product(id: 700) { id } gone: product(id: 0) { id } ping }"
    answer = http.post("/graphql", json={"query": query}).json()

    # async-graphql leaves out a field that failed, where the specification wants null.
    assert {"gone": None} | answer["data"] == {"here": {"id": 700}, "gone": None, "ping": "ok"}
    assert [error["path"] for error in answer["errors"]] == [["gone"]]


COMPOSED = """query($id: Int!) { user(id: $id) {
  orders(first: 20) { lines { product { title } } } } }"""


@pytest.mark.parametrize("name", OVER_GRAPHQL)
def test_loaders_take_one_statement_a_level(
    name: str, contender_named: Named, postgresql: Store, dataset: Dataset
) -> None:
    taken, _, _ = statements_of_composed_query(contender_named(name), postgresql, dataset)

    assert taken == 5


def statements_of_composed_query(
    started: RunningContender, postgresql: Store, dataset: Dataset
) -> tuple[int, int, int]:
    """Return how many statements a query of orders takes; how many orders and lines it returns."""
    buyers = Counter(row["user_id"] for row in dataset.tables["order"])
    user = next(user for user, orders in buyers.most_common() if orders == 4)
    request = {"query": COMPOSED, "variables": {"id": user}}

    with client_of(started.address) as http, postgresql.statements() as log:
        assert log is not None

        def ask() -> list[Any]:
            answer = http.post("/graphql", json=request).json()
            orders: list[Any] = answer["data"]["user"]["orders"]
            return orders

        def take() -> int:
            # A pool asks with a comment whether a connection is alive.
            return sum(not text.startswith("--") for text in log.take())

        eventually(lambda: len(ask()) > 0 and take() > 0, "statements are logged")
        lines = sum(len(order["lines"]) for order in ask())
        take()
        orders, taken = ask(), take()
        for _ in range(4):  # Go may close a batch early on a busy machine
            ask()
            taken = min(taken, take())
    assert len(orders) >= 4
    return taken, len(orders), lines


# --- gRPC -------------------------------------------------------------------------------------


@pytest.fixture
def channel(request: pytest.FixtureRequest, contender_named: Named) -> Iterator[grpc.Channel]:
    with grpc.insecure_channel(contender_named(request.param).address) as opened:
        yield opened


@pytest.mark.parametrize("channel", OVER_GRPC, indirect=True)
def test_the_server_describes_itself_as_the_proto_does(channel: grpc.Channel) -> None:
    assert_reflects_proto(channel, SHOP.folder)


@pytest.mark.parametrize("channel", OVER_GRPC, indirect=True)
@pytest.mark.parametrize(
    ("method", "message", "code"),
    [
        ("Catalogue/ReadProduct", b"", grpc.StatusCode.NOT_FOUND),
        ("Catalogue/ListProducts", b"", grpc.StatusCode.INVALID_ARGUMENT),
        ("Catalogue/CreateProduct", b"", grpc.StatusCode.INVALID_ARGUMENT),
        ("Users/Login", b"\x08\x01\x12\x02no", grpc.StatusCode.UNAUTHENTICATED),
        ("Orders/Checkout", b"", grpc.StatusCode.INVALID_ARGUMENT),
        ("Catalogue/Nothing", b"", grpc.StatusCode.UNIMPLEMENTED),
    ],
)
def test_a_wrong_message_gets_its_status(
    channel: grpc.Channel, method: str, message: bytes, code: grpc.StatusCode
) -> None:
    assert refusal_of(channel, f"shop.v1.{method}", message).code() is code


def test_the_connect_server_serves_connect_and_grpc_web_too(
    contender_named: Named, pool: DescriptorPool
) -> None:
    address = contender_named("connect-go").address
    with client_of(address) as http:
        answer = http.post("/shop.v1.Catalogue/ReadProduct", json={"id": 700})
        refused = http.post("/shop.v1.Catalogue/ReadProduct", json={"id": 0})
        message = form(pool, "ReadProductRequest")(id=700).SerializeToString()
        web = http.post(
            "/shop.v1.Catalogue/ReadProduct",
            content=b"\0" + len(message).to_bytes(4, "big") + message,
            headers={"content-type": "application/grpc-web+proto"},
        )

    assert answer.json()["id"] == 700
    assert (refused.status_code, refused.json()["code"]) == (404, "not_found")
    length = int.from_bytes(web.content[1:5], "big")
    product = form(pool, "Product").FromString(web.content[5 : 5 + length])
    assert MessageToDict(product) == answer.json()
    assert b"grpc-status: 0" in web.content[5 + length :]
    with open_client(CONTENDERS["connect-go"], address) as client:
        assert client.ask("read_product", id=700)["id"] == 700
