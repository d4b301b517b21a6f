"""GraphQL over HTTP: the schema that is made from the classes, and what goes wrong in its way."""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import httpx
import pytest

from tests.bank.standing import BANK
from tests.support.described import (
    JSON,
    Ask,
    assert_documents_are_valid,
    assert_schema_is_served,
    codes,
)
from tests.support.ending import mislaid
from tests.support.plain_http import client_of
from tests.support.standing import Named
from wirelab.lab.stores.store import Database


@pytest.fixture
def http(contender_named: Named) -> Iterator[httpx.Client]:
    with client_of(contender_named("graphql-nestjs").address) as http:
        yield http


@pytest.fixture
def ask(http: httpx.Client) -> Ask:
    return lambda query, **rest: http.post("/graphql", json={"query": query, **rest})


def test_the_schema_made_from_the_classes_is_the_described_one(ask: Ask) -> None:
    assert_schema_is_served(ask, BANK.folder)


def test_every_document_is_valid() -> None:
    assert_documents_are_valid(BANK.folder, len(BANK.operations))


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
    with ExitStack() as stack:
        for table in {"movement", "account", "customer"} - tables:
            stack.enter_context(mislaid(store, table))
        answer = ask(f"{{ movements(records: 3) {{ {selection} }} }}").json()

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
def test_a_wrong_body_gets_an_error(http: httpx.Client, body: bytes, status: int) -> None:
    response = http.post("/graphql", content=body, headers=JSON)

    assert response.status_code == status
    assert codes(response) == ["BAD_REQUEST"]
