"""REST as its OpenAPI description says it, and what hostile clients get."""

from collections.abc import Callable, Iterator
from typing import Any

import httpx
import jsonschema  # type: ignore[import-untyped]
import pytest
import yaml

from tests.library.shelf import AWKWARD, Row
from tests.library.standing import LIBRARY
from tests.support.plain_http import NO_TLS
from wirelab.lab.contenders.running import RunningContender

OPENAPI = yaml.safe_load((LIBRARY.folder / "openapi.yaml").read_text())
AUTHOR = {"name": AWKWARD, "country": "Poland"}


@pytest.fixture
def http(
    contender_named: Callable[[str], RunningContender], rows: dict[str, list[Row]]
) -> Iterator[httpx.Client]:
    address = contender_named("rest-spring").address
    with httpx.Client(base_url=f"http://{address}", trust_env=False, verify=NO_TLS) as client:
        yield client


def check(response: httpx.Response, method: str, path: str) -> Any:
    """Hold an answer against the description, and give its body."""
    described = OPENAPI["paths"][path][method]["responses"][str(response.status_code)]
    if "$ref" in described:
        described = OPENAPI["components"]["responses"][described["$ref"].rpartition("/")[2]]
    ((media_type, content),) = described["content"].items()
    assert response.headers["content-type"] == media_type
    schema = {**content["schema"], "components": OPENAPI["components"]}
    jsonschema.Draft202012Validator(schema).validate(response.json())
    return response.json()


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
    assert yaml.safe_load(http.get("/openapi.yaml").text) == OPENAPI


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
    headers = {"content-type": "application/json"}
    response = http.post("/authors", content=body, headers=headers)

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
    headers = {"content-type": "application/json"}
    response = http.put("/books/11", content=body, headers=headers)

    assert response.status_code == 400
    check(response, "put", "/books/{id}")


@pytest.mark.parametrize("path", ["/authors/one", "/authors/99999999999", "/authors"])
def test_an_invalid_path_is_malformed(http: httpx.Client, path: str) -> None:
    response = http.get(path)

    assert response.status_code == 400
    check(response, "get", "/authors/{id}")


def test_an_unknown_path_is_a_problem_too(http: httpx.Client) -> None:
    response = http.get("/nothing")

    assert (response.status_code, response.headers["content-type"]) == (
        404,
        "application/problem+json",
    )
