"""REST as its OpenAPI description says it, and what hostile clients get."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import yaml

from tests.library.shelf import AWKWARD, Row
from tests.library.standing import LIBRARY
from tests.support.described import JSON, assert_problem, check_response, openapi
from tests.support.plain_http import client_of
from tests.support.standing import Named

AUTHOR = {"name": AWKWARD, "country": "Poland"}


@pytest.fixture
def http(contender_named: Named, rows: dict[str, list[Row]]) -> Iterator[httpx.Client]:
    with client_of(contender_named("rest-spring").address) as client:
        yield client


def check(response: httpx.Response, method: str, path: str) -> Any:
    return check_response(response, LIBRARY.folder, method, path)


def test_answers_are_as_described(http: httpx.Client) -> None:
    check(http.get("/ping"), "get", "/ping")
    check(http.get("/authors", params={"phrase": "Author"}), "get", "/authors")
    check(http.get("/authors/21"), "get", "/authors/{id}")
    check(http.put("/authors/21", json=AUTHOR), "put", "/authors/{id}")
    check(http.get("/books/212"), "get", "/books/{id}")
    check(http.put("/books/212", json={"title": "x", "year": 1}), "put", "/books/{id}")
    check(http.delete("/books/212"), "delete", "/books/{id}")
    check(http.get("/books/212"), "get", "/books/{id}")
    check(http.delete("/authors/21"), "delete", "/authors/{id}")
    check(http.get("/authors/21"), "get", "/authors/{id}")


def test_a_created_row_is_at_its_location(http: httpx.Client) -> None:
    author = http.post("/authors", json=AUTHOR)
    book = http.post(f"{author.headers['location']}/books", json={"title": "x", "year": 1})

    assert author.status_code == book.status_code == 201
    check(author, "post", "/authors")
    check(book, "post", "/authors/{id}/books")
    assert http.get(book.headers["location"]).json() == book.json()


def test_the_description_is_served(http: httpx.Client) -> None:
    assert yaml.safe_load(http.get("/openapi.yaml").text) == openapi(LIBRARY.folder)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b'"name"',
        b'{"name": "x", "country": "Poland", "id": 7}',
        b'{"name": ["x"], "country": "Poland"}',
        b'{"name": "\xff", "country": "Poland"}',
        b"[" * 5000,
    ],
)
def test_a_body_that_is_no_author_is_malformed(http: httpx.Client, body: bytes) -> None:
    response = http.post("/authors", content=body, headers=JSON)

    assert response.status_code == 400
    check(response, "post", "/authors")


@pytest.mark.parametrize(
    "body",
    [
        b'{"title": "x", "year": "1999"}',
        b'{"title": "x", "year": 1999.5}',
        b'{"title": "x", "year": null}',
        b'{"title": "x", "year": 99999999999}',
        b'{"title": "x", "year": true}',
    ],
)
def test_a_year_is_a_whole_number(http: httpx.Client, body: bytes) -> None:
    response = http.put("/books/11", content=body, headers=JSON)

    assert response.status_code == 400
    check(response, "put", "/books/{id}")


@pytest.mark.parametrize("path", ["/authors/one", "/authors/99999999999", "/authors"])
def test_an_invalid_path_is_malformed(http: httpx.Client, path: str) -> None:
    response = http.get(path)

    assert response.status_code == 400
    check(response, "get", "/authors/{id}")


def test_an_unknown_path_is_a_problem_too(http: httpx.Client) -> None:
    assert_problem(http.get("/nothing"), 404)


@pytest.mark.parametrize(
    ("name", "closes"), [("rest-spring", False), ("rest-spring-closing", True)]
)
def test_only_a_variant_closes_a_connection_after_a_hundred_requests(
    contender_named: Named, name: str, closes: bool
) -> None:
    with client_of(contender_named(name).address) as client:
        answers = [client.get("/ping").headers.get("connection", "") for _ in range(100)]

    assert ("close" in answers) == closes
