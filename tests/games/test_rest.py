"""REST as its OpenAPI description says it, and what hostile clients get."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import yaml

from tests.games.catalogue import Game, game
from tests.games.standing import GAMES
from tests.support.described import JSON, assert_problem, check_response, openapi
from tests.support.plain_http import client_of
from tests.support.standing import Named


@pytest.fixture
def http(contender_named: Named, games: list[Game]) -> Iterator[httpx.Client]:
    with client_of(contender_named("rest-flask").address) as client:
        yield client


def check(response: httpx.Response, method: str, path: str) -> Any:
    return check_response(response, GAMES.folder, method, path)


def test_answers_are_as_described(http: httpx.Client, games: list[Game]) -> None:
    check(http.get("/ping"), "get", "/ping")
    check(http.get("/games", params={"limit": 100}), "get", "/games")
    check(http.get("/games/game-000000"), "get", "/games/{id}")
    check(http.put("/games/game-000000", json=game(5)), "put", "/games/{id}")
    check(http.delete("/games/game-000000"), "delete", "/games/{id}")
    check(http.get("/games/game-000000"), "get", "/games/{id}")


@pytest.mark.parametrize("headers", [{}, {"prefer": "return=representation"}])
def test_a_created_game_is_at_its_location(http: httpx.Client, headers: dict[str, str]) -> None:
    created = http.post("/games", json=game(5), headers=headers)

    assert created.status_code == 201
    assert created.headers.get("preference-applied") == headers.get("prefer")
    body = check(created, "post", "/games")
    found = http.get(created.headers["location"]).json()
    assert body == (found if headers else {"id": found["id"]})


def test_the_description_is_served(http: httpx.Client) -> None:
    response = http.get("/openapi.yaml")

    assert response.headers["content-type"] == "application/yaml"
    assert yaml.safe_load(response.text) == openapi(GAMES.folder)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"{", 400),
        (b"", 400),
        (b"\xff\xfe", 400),
        (b"[" * 100_000, 400),
        (b"[]", 422),
        (b"null", 422),
        (b'{"name": 5}', 422),
        (b'{"name": "x", "achievements": true}', 422),
        (b'{"name": "x", "achievements": 1.5}', 422),
        (b'{"name": "x", "achievements": ' + b"9" * 400 + b"}", 422),
        (b'{"name": "x", "original_price": NaN}', 422),
        (b'{"name": "x", "original_price": 1e999}', 422),
        (b'{"name": "x", "popular_tags": "one"}', 422),
        (b'{"name": "nul \\u0000"}', 422),
        (b'{"name": "half a pair \\ud800"}', 422),
        (b'{"name": "bell \\u0007"}', 422),
        (b'{"name": "x", "id": "mine"}', 422),
        (b'{"name": "' + b"x" * 2_000_000 + b'"}', 413),
    ],
)
def test_a_wrong_body_gets_a_problem(http: httpx.Client, body: bytes, status: int) -> None:
    response = http.post("/games", content=body, headers=JSON)

    assert_problem(response, status)
    assert response.json()["detail"]


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/games", 422),
        ("GET", "/games?limit=many", 422),
        ("GET", "/games?limit=1e2", 422),
        ("GET", "/games?limit=" + "9" * 50, 422),
        ("GET", "/games/%00", 422),
        ("GET", "/games/%ff", 404),
        ("GET", "/games/no%20such%20game", 404),
        ("GET", "/nowhere", 404),
        ("PATCH", "/games", 405),
    ],
)
def test_a_wrong_address_gets_a_problem(
    http: httpx.Client, method: str, path: str, status: int
) -> None:
    assert_problem(http.request(method, path), status)


def test_a_body_of_another_type_gets_a_problem(http: httpx.Client) -> None:
    assert_problem(http.post("/games", data={"name": "x"}), 415)


def test_several_mistakes_are_reported_at_once(http: httpx.Client) -> None:
    response = http.post("/games", json={"achievements": -1, "genre": 4})

    detail = response.json()["detail"]
    assert all(field in detail for field in ("name", "achievements", "genre"))
