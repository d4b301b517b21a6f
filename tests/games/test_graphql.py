"""GraphQL over HTTP: the schema that is served, and what goes wrong in its own way."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.games.catalogue import Game
from tests.games.standing import GAMES
from tests.support.described import JSON, Ask, assert_schema_is_served, codes
from tests.support.plain_http import client_of
from tests.support.standing import Named


@pytest.fixture
def http(contender_named: Named, games: list[Game]) -> Iterator[httpx.Client]:
    with client_of(contender_named("graphql-graphene").address) as http:
        yield http


@pytest.fixture
def ask(http: httpx.Client) -> Ask:
    return lambda query, **rest: http.post("/graphql", json={"query": query, **rest})


def test_the_served_schema_is_the_described_one(ask: Ask) -> None:
    assert_schema_is_served(ask, GAMES.folder)


def test_a_client_gets_the_selected_fields_in_the_requested_order(ask: Ask) -> None:
    answer = ask('{ game(id: "game-000003") { name id } ping }')

    game = {"name": "Tower of Cards 3", "id": "game-000003"}
    assert answer.json()["data"] == {"game": game, "ping": "ok"}
    assert answer.text.index('"name"') < answer.text.index('"id"') < answer.text.index('"ping"')


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
def test_a_wrong_body_gets_an_error(http: httpx.Client, body: bytes, status: int) -> None:
    response = http.post("/graphql", content=body, headers=JSON)

    assert response.status_code == status
    assert codes(response) == ["BAD_REQUEST"]
