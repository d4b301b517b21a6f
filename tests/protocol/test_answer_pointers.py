"""A pointer to an answer leads to a part that the description has, or it is a mistake."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.domain.fixtures import FOLDER
from wirelab.domain.model import KeyCase
from wirelab.protocol import graphql, grpc, rest, soap
from wirelab.protocol.base import Mistake
from wirelab.protocol.grpc import GrpcRequest, Services

PROTO = """
syntax = "proto3";
package t;
import "google/protobuf/empty.proto";
import "google/protobuf/struct.proto";
import "google/protobuf/wrappers.proto";
service Things {
  rpc Get(Nested) returns (Thing);
  rpc Watch(Nested) returns (stream Thing);
  rpc Nothing(Nested) returns (google.protobuf.Empty);
}
message Nested {
  repeated Thing things = 1;
  map<string, Thing> by_name = 2;
  map<string, int32> counts = 3;
}
message Thing {
  string full_name = 1;
  bytes bytesRead = 2;
  Nested nested = 3;
  google.protobuf.Struct free = 4;
  google.protobuf.Int64Value count = 5;
}
"""


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Services:
    file = tmp_path_factory.mktemp("proto") / "things.proto"
    file.write_text(PROTO)
    return grpc.PROTOCOL.read(file)


def mistakes(
    services: Services, method: str, answer: str, case: KeyCase = "snake"
) -> list[Mistake]:
    request = GrpcRequest(method=f"t.Things/{method}", message={}, answer=answer)
    return list(grpc.PROTOCOL.wrong_answer(services, request, case))


@pytest.mark.parametrize(
    ("method", "answer"),
    [
        ("Get", ""),
        ("Get", "/full_name"),
        ("Get", "/bytesRead"),
        ("Get", "/nested/things"),
        ("Get", "/nested/things/0/full_name"),
        ("Get", "/nested/things/*/nested/by_name/any name/count"),
        ("Get", "/nested/counts/any name"),
        ("Get", "/free/any/name"),
        ("Watch", "/*/count"),
        ("Watch", "/0"),
        ("Nothing", ""),
    ],
)
def test_a_pointer_to_a_value_that_may_exist_is_right(
    services: Services, method: str, answer: str
) -> None:
    assert mistakes(services, method, answer) == []


FIELDS = "one of bytesRead, count, free, full_name, nested"


@pytest.mark.parametrize(
    ("method", "answer", "expected", "hint"),
    [
        ("Get", "/fullName", f"a field of t.Thing: {FIELDS}", "full_name"),
        (
            "Get",
            "/nested/thing",
            "a field of t.Nested after /nested: one of by_name, counts, things",
            "things",
        ),
        (
            "Get",
            "/nested/by_name/x/first",
            f"a field of t.Thing after /nested/by_name/x: {FIELDS}",
            "",
        ),
        (
            "Get",
            "/nested/things/count",
            "an index such as 0 after /nested/things, which is a list",
            "",
        ),
        ("Get", "/full_name/first", "no key after /full_name, which is a single value", ""),
        ("Get", "/count/value", "no key after /count, which is a single value", ""),
        ("Get", "/nested/counts/x/y", "no key after /nested/counts/x, which is a single value", ""),
        ("Watch", "/count", "an index such as 0 first: the response is a list", ""),
        (
            "Nothing",
            "/status",
            "a field of google.protobuf.Empty: nothing, since none is defined",
            "",
        ),
    ],
)
def test_a_pointer_to_a_value_that_cannot_exist_is_a_mistake(
    services: Services, method: str, answer: str, expected: str, hint: str
) -> None:
    (mistake,) = mistakes(services, method, answer)

    assert (mistake.key, mistake.value, mistake.expected) == ("answer", answer, expected)
    assert mistake.hint == (f"did you mean '{hint}'?" if hint else "")


def test_a_key_is_in_snake_case_if_the_protocol_spells_it_in_camel_case(services: Services) -> None:
    assert mistakes(services, "Get", "/bytes_read", "camel") == []
    (mistake,) = mistakes(services, "Get", "/bytesRead", "camel")
    assert mistake.hint == "did you mean 'bytes_read'?"


DOCUMENT = """
query {
  first: note(id: 1) { ...short linked { title } ... on Note { author { fullName } } }
  notes(limit: 2) { id linked { id } }
  __typename
}
fragment short on Note { id linked { id } }
"""
SELECTED = "a field that read.graphql selects"


@pytest.fixture
def selecting(tmp_path: Path) -> Callable[[str], list[Mistake]]:
    """Return a function that checks a pointer to the response to the document."""
    file = tmp_path / "read.graphql"
    file.write_text(DOCUMENT)
    schema = graphql.PROTOCOL.read(FOLDER / "schema.graphql")

    def check(answer: str) -> list[Mistake]:
        request = graphql.GraphqlRequest(document=file, answer=answer)
        return list(graphql.PROTOCOL.wrong_answer(schema, request, "camel"))

    return check


def test_a_pointer_leads_to_what_a_graphql_document_selects(
    selecting: Callable[[str], list[Mistake]],
) -> None:
    for right in ("", "/data/first/author/fullName", "/data/notes/*/id", "/data/__typename",
                  "/data/first/linked/0/title", "/extensions/any/key"):  # fmt: skip
        assert selecting(right) == [], right


WRONG_FIELDS = [
    ("/date/first", "a key of the response: one of data, extensions", "data"),
    ("/data/note", f"{SELECTED} after /data: one of __typename, first, notes", "notes"),
    ("/data/notes/id", "an index such as 0 after /data/notes, which is a list", ""),
    ("/data/notes/0/title", f"{SELECTED} after /data/notes/0: one of id, linked", ""),
    ("/data/first/author/full_name", f"{SELECTED} after /data/first/author: one of fullName",
     "fullName"),
    ("/data/notes/0/id/x", "no key after /data/notes/0/id, which is a single value", ""),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "expected", "hint"), WRONG_FIELDS)
def test_a_pointer_to_a_field_that_is_not_selected_is_a_mistake(
    selecting: Callable[[str], list[Mistake]], answer: str, expected: str, hint: str
) -> None:
    hint = f"did you mean '{hint}'?" if hint else ""

    assert selecting(answer) == [Mistake("answer", answer, expected, hint)]


def responding(schema: dict[str, Any], answer: str, **keys: Any) -> list[str]:
    """Return what is expected instead of a pointer to a response with a schema."""
    content = {"application/json": {"schema": schema}}
    responses = {200: {"content": content}, "default": {"$ref": "#/components/responses/Problem"}}
    document = {
        "paths": {"/pets": {"get": {"responses": responses}}},
        "components": {
            "schemas": {
                "Pet": {
                    "properties": {
                        "petName": {"type": "string"},
                        "owner": {
                            "anyOf": [{"$ref": "#/components/schemas/Pet"}, {"type": "null"}]
                        },
                        "tags": {"additionalProperties": {"type": "integer"}, "type": "object"},
                        "free": {"type": "object"},
                        "either": {"oneOf": [{"type": "string"}, {"type": "integer"}]},
                    }
                },
                "Dog": {
                    "allOf": [
                        {"$ref": "#/components/schemas/Pet"},
                        {"properties": {"breed": {"type": ["string", "null"]}}},
                    ]
                },
            }
        },
    }
    request = rest.RestRequest(method="GET", path="/pets", answer=answer, **keys)
    return [it.expected for it in rest.PROTOCOL.wrong_answer(document, request, "camel")]


PET = {"$ref": "#/components/schemas/Pet"}
DOG = {"$ref": "#/components/schemas/Dog"}
KEYS = "a key of the response to GET /pets"


@pytest.mark.parametrize(
    ("schema", "answer", "expected"),
    [
        (PET, "/owner/owner/pet_name", None),
        (PET, "/tags/any", None),
        (PET, "/free/any", None),
        (PET, "/either/any", None),
        (DOG, "/pet_name", None),
        (DOG, "/breed", None),
        ({"type": "array", "items": DOG}, "/*/owner", None),
        ({"$ref": "other.yaml#/Pet"}, "/any", None),
        ({"$ref": "#/nowhere"}, "/any", None),
        ({"properties": {"a": {}}, "additionalProperties": True}, "/any", None),
        (PET, "/petName", f"{KEYS}: one of either, free, owner, pet_name, tags"),
        (DOG, "/bred", f"{KEYS}: one of breed, either, free, owner, pet_name, tags"),
        (PET, "/owner/name", f"{KEYS} after /owner: one of either, free, owner, pet_name, tags"),
        (PET, "/tags/any/x", "no key after /tags/any, which is a single value"),
        ({"items": DOG}, "/breed", "an index such as 0 first: the response is a list"),
        ({"type": "string"}, "/x", 'no value, or "": the response is a single value'),
    ],
)
def test_a_pointer_leads_to_what_an_openapi_document_describes(
    schema: dict[str, Any], answer: str, expected: str | None
) -> None:
    assert responding(schema, answer) == ([] if expected is None else [expected])


def test_only_the_response_with_the_status_of_the_binding_counts() -> None:
    assert responding(PET, "/any", status=201) == []
    assert responding(PET, "/any", content="text") == [
        'no value, or "": the response is a single value'
    ]
    assert responding(PET, "/0/any", content="events") == []
    assert responding(PET, "/any", content="events") == [
        "an index such as 0 first: the response is a list"
    ]


@pytest.mark.parametrize(
    ("operation", "answer", "expected"),
    [
        ("Read", "/note/author/full_name", None),
        ("List", "/notes/0/tags/*", None),
        ("Reed", "/any", None),
        ("Read", "/nte", "a part of the response of Read: one of note"),
        ("List", "/notes/title", "an index such as 0 after /notes, which is a list"),
        ("Delete", "/id/x", "no key after /id, which is a single value"),
    ],
)
def test_a_pointer_leads_to_what_a_wsdl_describes(
    operation: str, answer: str, expected: str | None
) -> None:
    wsdl = soap.PROTOCOL.read(FOLDER / "notes.wsdl")
    request = soap.SoapRequest(operation=operation, answer=answer)

    found = [it.expected for it in soap.PROTOCOL.wrong_answer(wsdl, request, "camel")]
    assert found == ([] if expected is None else [expected])
