"""GraphQL over HTTP: the schema that is served, and what goes wrong in its own way."""

from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from graphql import (
    build_client_schema,
    build_schema,
    get_introspection_query,
    lexicographic_sort_schema,
    print_schema,
)

from tests.games.catalogue import Game
from tests.games.standing import GAMES
from tests.support.plain_http import NO_TLS
from wirelab.lab.contenders.running import RunningContender

Ask = Callable[..., httpx.Response]


@pytest.fixture
def ask(contender_named: Callable[[str], RunningContender], games: list[Game]) -> Iterator[Ask]:
    with httpx.Client(trust_env=False, verify=NO_TLS) as http:
        url = f"http://{contender_named('graphql-graphene').address}/graphql"
        yield lambda query, **rest: http.post(url, json={"query": query, **rest})


def codes(response: httpx.Response) -> list[str]:
    return [error["extensions"]["code"] for error in response.json()["errors"]]


def test_the_served_schema_is_the_described_one(ask: Ask) -> None:
    introspection: Any = ask(get_introspection_query(descriptions=True)).json()["data"]
    served = build_client_schema(introspection)
    described = build_schema((GAMES.folder / "schema.graphql").read_text())

    assert print_schema(lexicographic_sort_schema(served)) == print_schema(
        lexicographic_sort_schema(described)
    )


def test_a_client_gets_the_selected_fields_in_the_requested_order(ask: Ask) -> None:
    answer = ask('{ game(id: "game-000003") { name id } ping }')

    assert answer.text == (
        '{"data":{"game":{"name":"Tower of Cards 3","id":"game-000003"},"ping":"ok"}}\n'
    )


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("{ game(", "GRAPHQL_PARSE_FAILED"),
        ("{a" * 20_000, "GRAPHQL_PARSE_FAILED"),
        ("{ nothing }", "GRAPHQL_VALIDATION_FAILED"),
        ('{ games(limit: "ten") { id } }', "GRAPHQL_VALIDATION_FAILED"),
        ("{ games(limit: 99999999999) { id } }", "GRAPHQL_VALIDATION_FAILED"),
        ("mutation { createGame(game: {}) { id } }", "GRAPHQL_VALIDATION_FAILED"),
        ("query A { ping } query B { ping }", "GRAPHQL_VALIDATION_FAILED"),
        ('{ game(id: "") { id } }', "BAD_USER_INPUT"),
        ('{ game(id: "\\u0000") { id } }', "BAD_USER_INPUT"),
        ('mutation { createGame(game: {name: "\\u0007"}) { id } }', "BAD_USER_INPUT"),
        ('mutation { deleteGame(id: "nobody") }', "NOT_FOUND"),
    ],
)
def test_a_wrong_document_gets_its_code(ask: Ask, query: str, code: str) -> None:
    response = ask(query)

    assert response.status_code == 200
    assert codes(response) == [code]


@pytest.mark.parametrize(
    "variables", [{}, {"game": {}}, {"game": {"name": 5}}, {"game": {"name": "x", "genre": [5]}}]
)
def test_wrong_variables_get_a_validation_error(ask: Ask, variables: dict[str, Any]) -> None:
    response = ask(
        "mutation($game: GameInput!) { createGame(game: $game) { id } }", variables=variables
    )

    assert codes(response) == ["GRAPHQL_VALIDATION_FAILED"]


def test_a_failed_part_does_not_affect_the_others(ask: Ask) -> None:
    response = ask('{ here: game(id: "game-000001") { id } gone: game(id: "gone") { id } }')

    assert response.json()["data"] == {"here": {"id": "game-000001"}, "gone": None}
    assert response.json()["errors"][0]["path"] == ["gone"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"{", 400),
        (b"[]", 400),
        (b"{}", 400),
        (b'{"query": 5}', 400),
        (b'{"query": "{ ping }", "variables": []}', 400),
        (b'{"query": "{ ping }", "operationName": 1}', 400),
        (b'{"query": "{ ping }", "variables": {"a": ' + b"[" * 100_000, 400),
        (b'{"query": "' + b" " * 2_000_000 + b'"}', 413),
    ],
)
def test_a_wrong_body_gets_an_error(
    contender_named: Callable[[str], RunningContender], games: list[Game], body: bytes, status: int
) -> None:
    url = f"http://{contender_named('graphql-graphene').address}/graphql"
    headers = {"content-type": "application/json"}
    response = httpx.post(url, content=body, headers=headers, trust_env=False, verify=NO_TLS)

    assert response.status_code == status
    assert codes(response) == ["BAD_REQUEST"]
