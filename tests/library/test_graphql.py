"""GraphQL over HTTP: the schema that is served, and what goes wrong in its own way."""

from collections.abc import Iterator

import pytest

from tests.library.shelf import Row
from tests.library.standing import LIBRARY
from tests.support.described import Ask, assert_documents_are_valid, assert_schema_is_served
from tests.support.plain_http import client_of
from tests.support.standing import Named


@pytest.fixture
def ask(contender_named: Named, rows: dict[str, list[Row]]) -> Iterator[Ask]:
    with client_of(contender_named("graphql-spring").address) as http:
        yield lambda query, **rest: http.post("/graphql", json={"query": query, **rest})


def test_the_served_schema_is_the_described_one(ask: Ask) -> None:
    assert_schema_is_served(ask, LIBRARY.folder)


def test_the_documents_of_the_domain_are_valid() -> None:
    assert_documents_are_valid(LIBRARY.folder, len(LIBRARY.operations))


def test_a_client_gets_the_selected_fields_in_the_requested_order(ask: Ask) -> None:
    answer = ask("{ author(id: 3) { name id } ping }")

    assert answer.json()["data"] == {"author": {"name": "Author - 2", "id": 3}, "ping": "ok"}
    assert answer.text.index('"name"') < answer.text.index('"id"') < answer.text.index('"ping"')


def test_one_refusal_does_not_affect_the_rest_of_the_answer(ask: Ask) -> None:
    answer = ask("{ author(id: 999) { name } book(id: 11) { year } }").json()

    assert answer["data"] == {"author": None, "book": {"year": 1901}}
    (error,) = answer["errors"]
    assert (error["path"], error["extensions"]["code"]) == (["author"], "NOT_FOUND")


@pytest.mark.parametrize(
    "query",
    [
        "{ author(",
        "{ nothing }",
        '{ author(id: "three") { name } }',
        "{ author(id: 99999999999) { name } }",
        'mutation { addAuthor(author: { name: "x" }) { id } }',
        "{ authors { name } }",
    ],
)
def test_a_query_that_does_not_fit_the_schema_is_not_executed(ask: Ask, query: str) -> None:
    answer = ask(query).json()

    assert answer.get("data") is None
    kinds = {error["extensions"]["classification"] for error in answer["errors"]}
    assert kinds <= {"InvalidSyntax", "ValidationError"}
