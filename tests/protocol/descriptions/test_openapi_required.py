"""What an OpenAPI document requires is in every request: queries, headers, bodies and fields."""

from typing import Any

import pytest
import yaml

from tests.support.wording import assert_worded
from wirelab.protocol.base import Mistake
from wirelab.protocol.rest import PROTOCOL, RestRequest

DOCUMENT = """
paths:
  /books:
    parameters: [{ name: page, in: query }]
    get:
      parameters:
        - { name: X-Tenant, in: header, required: true }
        - { name: Accept, in: header, required: true }
        - { name: X-Api-Key, in: header, required: true }
        - { name: trace, in: header }
        - { name: page, in: query, required: true }
        - { $ref: "#/components/parameters/limit" }
        - { name: sort, in: query }
components:
  parameters: { limit: { name: limit, in: query, required: true } }
  schemas:
    Book:
      required: [id, title, author]
      properties:
        id: { type: integer, readOnly: true }
        title: { type: string }
        author: { $ref: "#/components/schemas/Author" }
        similar: { type: array, items: { $ref: "#/components/schemas/Author" } }
    Author:
      allOf:
        - $ref: "#/components/schemas/Author"  # it contains itself
        - { required: [fullName], properties: { fullName: { type: string } } }
        - { oneOf: [{ required: [born] }, { required: [died] }] }
"""


def document(body: dict[str, Any]) -> dict[str, Any]:
    """Return the document whose POST has a body."""
    found: dict[str, Any] = yaml.safe_load(DOCUMENT)
    found["paths"]["/books"]["post"] = body
    return found


BOOK = {"$ref": "#/components/schemas/Book"}
IN_3 = document(
    {"requestBody": {"required": True, "content": {"application/json": {"schema": BOOK}}}}
)
IN_2 = document({"parameters": [{"name": "book", "in": "body", "required": True, "schema": BOOK}]})
CLOSEST = "did you mean 'title'?"


def mistakes(of: dict[str, Any] = IN_3, **request: Any) -> list[Mistake]:
    return list(PROTOCOL.mistakes(of, RestRequest(**request)))


def in_body(body: object, of: dict[str, Any] = IN_3) -> list[tuple[str, object, str]]:
    found = mistakes(of, method="POST", path="/books", body=body)
    return [(each.key, each.value, each.hint) for each in found]


def test_all_missing_queries_are_one_mistake_with_the_path_to_write() -> None:
    (mistake,) = mistakes(method="GET", path="/books?sort={order}")

    assert mistake.key == "path"
    assert_worded(f"{mistake.expected}\n{mistake.hint}")
    assert mistakes(method="GET", path="/books?page=1&limit={limit}") == []


def test_a_misspelt_query_is_not_missing_as_well() -> None:
    (mistake,) = mistakes(method="GET", path="/books?page=1&limits={limit}")

    assert_worded(mistake.hint)


def test_headers_are_required_but_those_with_credentials_and_of_other_keys() -> None:
    request = RestRequest(method="GET", path="/books", headers={"x-tenat": "1"})
    ((name, mistake),) = PROTOCOL.missing_headers(IN_3, request)

    assert (name, mistake.key) == ("X-Tenant", "headers.X-Tenant")
    assert_worded(f"{mistake.expected}\n{mistake.hint}")
    sent = request.model_copy(update={"headers": {"x-TENANT": "1"}})
    assert list(PROTOCOL.missing_headers(IN_3, sent)) == []


@pytest.mark.parametrize("of", [IN_3, IN_2])
def test_a_body_needs_all_that_its_schema_requires_of_requests(of: dict[str, Any]) -> None:
    author = {"full_name": "{name}"}  # as domain.toml spells fullName

    assert in_body(None, of) == [("body", None, "")]
    assert in_body({"author": author}, of) == [("body.title", None, "")]
    assert in_body({"title": "{title}", "author": {}, "similar": [author, {}]}, of) == [
        ("body.author.fullName", None, ""),
        ("body.similar.1.fullName", None, ""),
    ]
    assert in_body({"titel": "{title}", "author": author, "more": 1}, of) == [
        ("body.titel", "{title}", CLOSEST)
    ]


@pytest.mark.parametrize("body", ["{book}", {"title": "{title}", "author": "{author}"}])
def test_what_only_values_decide_is_no_mistake(body: object) -> None:
    assert in_body(body) == []
    assert mistakes(document({}), method="POST", path="/books", body=body) == []


@pytest.mark.parametrize(
    "schema",
    [
        {"required": True},
        {"required": [1]},
        {"allOf": "x"},
        {"properties": []},
        {"$ref": "#/no"},
        7,
    ],
)
def test_a_schema_that_is_not_valid_requires_nothing(schema: object) -> None:
    content = {"application/json": {"schema": schema}}

    assert in_body({"any": [1]}, document({"requestBody": {"content": content}})) == []
