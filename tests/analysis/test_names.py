"""Short names of contenders: only what distinguishes them."""

import pytest

from wirelab.analysis.names import SIDES, label_contenders
from wirelab.bundle import ContenderRecord


def record(protocol: str, title: str = "", **facts: str) -> ContenderRecord:
    return ContenderRecord(**{"title": title, "protocol": protocol, "stack": "", **facts})


def by_id(*contenders: str) -> dict[str, ContenderRecord]:
    """Return contenders whose ids begin with their protocol."""
    return {name: record(name.split("-")[0], name) for name in contenders}


@pytest.mark.parametrize(
    ("contenders", "expected"),
    [
        (by_id("rest-flask", "grpc-grpcio"), ["REST", "gRPC"]),
        (by_id("rest-flask"), ["REST"]),
        (
            by_id("rest-spring", "graphql-spring", "rest-spring-virtual", "graphql-spring-virtual"),
            ["REST", "GraphQL", "REST virtual", "GraphQL virtual"],
        ),
        (
            by_id("graphql-node-naive", "graphql-node-caching", "graphql-hasura"),
            ["node naive", "node caching", "hasura"],
        ),
        (by_id("rest-chi", "grpc-aio", "grpc-go"), ["REST", "gRPC aio", "gRPC go"]),
        (
            by_id("graphql-a-server", "graphql-b-server", "grpc-x"),
            ["GraphQL a", "GraphQL b", "gRPC"],
        ),
        (
            by_id("rest-chi", "grpc-aio", "grpc-go") | {"connect-go": record("grpc")},
            ["REST", "gRPC aio", "gRPC go", "gRPC connect go"],
        ),
        (
            {
                "sse": record("rest", protocol_name="SSE"),
                "sse-http2": record("rest", protocol_name="SSE"),
                "rest-go": record("rest"),
                "connect-go": record("rest", protocol_name="Connect"),
            },
            ["SSE", "SSE http2", "REST", "Connect"],
        ),
        ({"rest": record("rest", "rest")}, ["rest"]),
        ({"rest": record("rest", "rest"), "rest-two": record("rest", "TWO")}, ["rest", "TWO"]),
        (
            {
                "rest": record("rest", "REST", stack=SIDES),
                "rest-virtual": record("rest", "REST-virtual", stack=SIDES),
                "v1-0": record("rest", "v1.0", stack=SIDES),
                "localhost-8081": record("rest", "http://localhost:8081/items", stack=SIDES),
                "localhost-8082": record("rest", "http://localhost:8082/items", stack=SIDES),
            },
            ["REST", "REST-virtual", "v1.0", "8081", "8082"],
        ),
    ],
    ids=[
        *("protocols", "one", "variants", "one protocol", "stacks", "servers"),
        *("another id", "protocols' names", "a title", "titles", "sides"),
    ],
)
def test_names_are_short_and_different(
    contenders: dict[str, ContenderRecord], expected: list[str]
) -> None:
    assert label_contenders(contenders) == dict(zip(contenders, expected, strict=True))


def test_ids_are_kept_if_short_names_would_be_the_same() -> None:
    *kept, grpc = label_contenders(by_id("rest-go", "rest-go-", "grpc-x")).values()

    assert len(set(kept)) == 2
    assert grpc == "gRPC"
