"""GraphQL over HTTP: the schema that is made from the classes, and what goes wrong in its way."""

from collections.abc import Callable, Iterator
from typing import Any

import httpx
import psycopg
import pytest
from graphql import (
    build_client_schema,
    build_schema,
    get_introspection_query,
    lexicographic_sort_schema,
    parse,
    print_schema,
    validate,
)

from tests.bank.standing import BANK
from tests.support.plain_http import NO_TLS
from wirelab.lab.contenders.running import RunningContender
from wirelab.lab.stores.store import Database

Ask = Callable[..., httpx.Response]
JSON = {"content-type": "application/json"}


@pytest.fixture
def url(contender_named: Callable[[str], RunningContender]) -> str:
    return f"http://{contender_named('graphql-nestjs').address}/graphql"


@pytest.fixture
def ask(url: str) -> Iterator[Ask]:
    with httpx.Client(trust_env=False, timeout=30, verify=NO_TLS) as http:
        yield lambda query, **rest: http.post(url, json={"query": query, **rest})


def codes(response: httpx.Response) -> list[str]:
    return [error["extensions"]["code"] for error in response.json()["errors"]]


def test_the_schema_made_from_the_classes_is_the_described_one(ask: Ask) -> None:
    introspection: Any = ask(get_introspection_query(descriptions=True)).json()["data"]
    served = build_client_schema(introspection)
    described = build_schema((BANK.folder / "schema.graphql").read_text())

    assert print_schema(lexicographic_sort_schema(served)) == print_schema(
        lexicographic_sort_schema(described)
    )


def test_every_document_is_valid() -> None:
    schema = build_schema((BANK.folder / "schema.graphql").read_text())
    documents = list((BANK.folder / "graphql").glob("*.graphql"))

    assert len(documents) == len(BANK.operations)
    for document in documents:
        assert validate(schema, parse(document.read_text())) == [], document.name


def test_a_client_gets_the_selected_fields_in_the_requested_order(ask: Ask) -> None:
    answer = ask("{ movement(id: 2) { kind id } ping }")

    assert answer.json() == {"data": {"movement": {"kind": "purchase", "id": 2}, "ping": "ok"}}
    assert answer.text.index("kind") < answer.text.index('"id"')


FRAGMENTS = """
query {
  movements(records: 2) { id ...WithAccount ... on Movement { account { number } } }
}
fragment WithAccount on Movement { account { ...WithCustomer } }
fragment WithCustomer on Account { owner: customer { city } }
"""


def test_tables_are_joined_for_what_fragments_and_aliases_select(ask: Ask) -> None:
    for movement in ask(FRAGMENTS).json()["data"]["movements"]:
        assert movement["account"]["number"]
        assert movement["account"]["owner"]["city"]


@pytest.mark.parametrize(
    ("selection", "tables"),
    [
        ("id", {"movement"}),
        ("account { id }", {"movement", "account"}),
        ("account { customer { id } }", {"movement", "account", "customer"}),
    ],
)
def test_only_the_tables_that_are_selected_are_read(
    ask: Ask, store: Database, selection: str, tables: set[str]
) -> None:
    with psycopg.connect(store.url, autocommit=True) as connection:
        unread = {"movement", "account", "customer"} - tables
        for table in unread:
            connection.execute(f"ALTER TABLE {table} RENAME TO mislaid_{table}")
        try:
            answer = ask(f"{{ movements(records: 3) {{ {selection} }} }}").json()
        finally:
            for table in unread:
                connection.execute(f"ALTER TABLE mislaid_{table} RENAME TO {table}")

    assert len(answer["data"]["movements"]) == 3


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("{ movements(", "GRAPHQL_PARSE_FAILED"),
        ("{ nothing }", "GRAPHQL_VALIDATION_FAILED"),
        ('{ movements(records: "ten") { id } }', "GRAPHQL_VALIDATION_FAILED"),
        ("{ movements(records: 99999999999) { id } }", "GRAPHQL_VALIDATION_FAILED"),
        ("mutation { insertMovements(movements: [{}]) }", "GRAPHQL_VALIDATION_FAILED"),
        ("query A { ping } query B { ping }", "OPERATION_RESOLUTION_FAILURE"),
        ("{ movements(records: 0) { id } }", "BAD_USER_INPUT"),
        ("mutation { insertMovements(movements: []) }", "BAD_USER_INPUT"),
    ],
)
def test_a_wrong_document_gets_its_code(ask: Ask, query: str, code: str) -> None:
    assert set(codes(ask(query))) == {code}


@pytest.mark.parametrize("variables", [{}, {"n": None}, {"n": "5"}, {"n": 1.5}, {"n": 2**31}])
def test_wrong_variables_are_user_input(ask: Ask, variables: dict[str, Any]) -> None:
    response = ask("query($n: Int!) { movements(records: $n) { id } }", variables=variables)

    assert codes(response) == ["BAD_USER_INPUT"]


def test_a_failed_part_does_not_affect_the_others(ask: Ask) -> None:
    response = ask("{ here: movement(id: 1) { id } gone: movement(id: 0) { id } }")

    assert response.json()["data"] == {"here": {"id": 1}, "gone": None}
    assert response.json()["errors"][0]["path"] == ["gone"]
    assert codes(response) == ["NOT_FOUND"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"{", 400),
        (b"[]", 400),
        (b"{}", 400),
        (b'{"query": 5}', 400),
        (b'{"query": "{ ping }", "variables": []}', 400),
        (b'{"query": "' + b" " * 33 * 2**20 + b'"}', 413),
    ],
    ids=lambda value: str(value[:24]) if isinstance(value, bytes) else None,
)
def test_a_wrong_body_gets_an_error(url: str, body: bytes, status: int) -> None:
    response = httpx.post(
        url, content=body, headers=JSON, trust_env=False, timeout=30, verify=NO_TLS
    )

    assert response.status_code == status
    assert codes(response) == ["BAD_REQUEST"]
