"""GraphQL over HTTP: the schema that is served, and what goes wrong in its own way."""

from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from graphql import (
    GraphQLSchema,
    build_client_schema,
    build_schema,
    get_introspection_query,
    lexicographic_sort_schema,
    parse,
    print_schema,
    validate,
)

from tests.library.shelf import Row
from tests.library.standing import LIBRARY
from tests.support.plain_http import NO_TLS
from wirelab.lab.contenders.running import RunningContender

Ask = Callable[..., httpx.Response]


@pytest.fixture
def ask(
    contender_named: Callable[[str], RunningContender], rows: dict[str, list[Row]]
) -> Iterator[Ask]:
    with httpx.Client(trust_env=False, verify=NO_TLS) as http:
        url = f"http://{contender_named('graphql-spring').address}/graphql"
        yield lambda query, **rest: http.post(url, json={"query": query, **rest})


def served_schema(ask: Ask) -> GraphQLSchema:
    introspection: Any = ask(get_introspection_query(descriptions=True)).json()["data"]
    return build_client_schema(introspection)


def printed(schema: GraphQLSchema) -> str:
    """Print a schema without directives: graphql-java adds some."""
    arguments: dict[str, Any] = {**schema.to_kwargs(), "directives": ()}
    return print_schema(lexicographic_sort_schema(GraphQLSchema(**arguments)))


def test_the_served_schema_is_the_described_one(ask: Ask) -> None:
    described = build_schema((LIBRARY.folder / "schema.graphql").read_text())

    assert printed(served_schema(ask)) == printed(described)


def test_the_documents_of_the_domain_fit_the_served_schema(ask: Ask) -> None:
    schema = served_schema(ask)
    documents = sorted((LIBRARY.folder / "graphql").glob("*.graphql"))

    assert [path.stem for path in documents] == sorted(LIBRARY.operations)
    for path in documents:
        assert validate(schema, parse(path.read_text())) == []


def test_a_client_gets_the_selected_fields_in_the_requested_order(ask: Ask) -> None:
    answer = ask("{ author(id: 3) { name id } ping }")

    assert answer.text == '{"data":{"author":{"name":"Author - 2","id":3},"ping":"ok"}}'


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
