"""Short names of contenders: only what distinguishes them."""

import pytest

from wirelab.analysis.names import SIDES, label_contenders
from wirelab.bundle import ContenderRecord


def labels(*contenders: str) -> list[str]:
    """Name contenders whose ids begin with their protocol."""
    records = {
        name: ContenderRecord(title=name, protocol=name.split("-")[0], stack="")
        for name in contenders
    }
    named = label_contenders(records)
    assert list(named) == list(records)
    return list(named.values())


@pytest.mark.parametrize(
    ("contenders", "expected"),
    [
        (("rest-flask", "grpc-grpcio"), ["REST", "gRPC"]),
        (("rest-flask",), ["REST"]),
        (
            ("rest-spring", "graphql-spring", "rest-spring-virtual", "graphql-spring-virtual"),
            ["REST", "GraphQL", "REST virtual", "GraphQL virtual"],
        ),
        (
            ("graphql-node-naive", "graphql-node-caching", "graphql-hasura"),
            ["node naive", "node caching", "hasura"],
        ),
        (
            ("rest-chi", "grpc-aio", "grpc-go"),
            ["REST", "gRPC aio", "gRPC go"],
        ),
        (
            ("graphql-a-server", "graphql-b-server", "grpc-x"),
            ["GraphQL a", "GraphQL b", "gRPC"],
        ),
    ],
)
def test_names_are_short_and_different(contenders: tuple[str, ...], expected: list[str]) -> None:
    assert labels(*contenders) == expected


def test_a_protocol_is_named_once_although_not_every_id_begins_with_it() -> None:
    records = {
        name: ContenderRecord(
            title=name, protocol="grpc" if name != "rest-chi" else "rest", stack=""
        )
        for name in ("rest-chi", "grpc-aio", "grpc-go", "connect-go")
    }

    named = list(label_contenders(records).values())

    assert named == ["REST", "gRPC aio", "gRPC go", "gRPC connect go"]


def test_a_protocol_has_the_name_that_its_contender_gives_it() -> None:
    records = {
        name: ContenderRecord(title="", protocol=protocol, protocol_name=called, stack="")
        for name, protocol, called in (
            ("sse", "rest", "SSE"),
            ("sse-http2", "rest", "SSE"),
            ("rest-go", "rest", ""),
            ("connect-go", "rest", "Connect"),
        )
    }

    named = list(label_contenders(records).values())

    assert named == ["SSE", "SSE http2", "REST", "Connect"]


def test_ids_are_kept_if_short_names_would_be_the_same() -> None:
    named = labels("rest-go", "rest-go-", "grpc-x")

    assert len(set(named)) == 3
    assert named[2] == "gRPC"


def test_a_title_and_its_short_name_have_one_spelling() -> None:
    records = {
        name: ContenderRecord(title=title, protocol="rest", stack="")
        for name, title in {"rest": "rest", "rest-two": "TWO"}.items()
    }

    assert label_contenders({"rest": records["rest"]}) == {"rest": "rest"}
    assert label_contenders(records) == {"rest": "rest", "rest-two": "TWO"}


def test_sides_have_the_names_that_the_user_gave() -> None:
    titles = {
        "rest": "REST",
        "rest-virtual": "REST-virtual",
        "v1-0": "v1.0",
        "localhost-8081": "http://localhost:8081/items",
        "localhost-8082": "http://localhost:8082/items",
    }
    records = {
        name: ContenderRecord(title=title, protocol="rest", stack=SIDES)
        for name, title in titles.items()
    }

    named = label_contenders(records)

    assert list(named.values()) == ["REST", "REST-virtual", "v1.0", "8081", "8082"]
