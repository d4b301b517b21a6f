"""A pointer to an answer leads to a part that the description has, or it is a mistake."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.domain.fixtures import FOLDER
from tests.support.wording import assert_worded
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


def assert_only(found: list[Mistake], answer: str) -> None:
    """Look at the only mistake, which is the pointer."""
    (mistake,) = found
    assert (mistake.key, mistake.value) == ("answer", answer)
    assert_worded(f"{mistake.expected}\n{mistake.hint}")


@pytest.mark.parametrize(
    ("method", "answer"),
    [
        ("Get", "/fullName"),
        ("Get", "/nested/thing"),
        ("Get", "/nested/by_name/x/first"),
        ("Get", "/nested/things/count"),
        ("Get", "/full_name/first"),
        ("Get", "/count/value"),
        ("Get", "/nested/counts/x/y"),
        ("Watch", "/count"),
        ("Nothing", "/status"),
    ],
)
def test_a_pointer_to_a_value_that_cannot_exist_is_a_mistake(
    services: Services, method: str, answer: str
) -> None:
    assert_only(mistakes(services, method, answer), answer)


def test_a_key_is_in_snake_case_if_the_protocol_spells_it_in_camel_case(services: Services) -> None:
    assert mistakes(services, "Get", "/bytes_read", "camel") == []
    assert_only(mistakes(services, "Get", "/bytesRead", "camel"), "/bytesRead")


DOCUMENT = """
query {
  first: note(id: 1) { ...short linked { title } ... on Note { author { fullName } } }
  notes(limit: 2) { id linked { id } }
  __typename
}
fragment short on Note { id linked { id } }
"""


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


@pytest.mark.parametrize(
    "answer",
    [
        "/date/first",
        "/data/note",
        "/data/notes/id",
        "/data/notes/0/title",
        "/data/first/author/full_name",
        "/data/notes/0/id/x",
    ],
)
def test_a_pointer_to_a_field_that_is_not_selected_is_a_mistake(
    selecting: Callable[[str], list[Mistake]], answer: str
) -> None:
    assert_only(selecting(answer), answer)


SCHEMAS = """
Pet:
  properties:
    petName: { type: string }
    owner: { anyOf: [{ $ref: "#/components/schemas/Pet" }, { type: "null" }] }
    tags: { additionalProperties: { type: integer }, type: object }
    free: { type: object }
    either: { oneOf: [{ type: string }, { type: integer }] }
Dog:
  allOf:
    - $ref: "#/components/schemas/Pet"
    - { properties: { breed: { type: [string, "null"] } } }
"""


def responding(schema: dict[str, Any], answer: str, **keys: Any) -> list[Mistake]:
    """Return the mistakes of a pointer to a response with a schema."""
    content = {"application/json": {"schema": schema}}
    responses = {200: {"content": content}, "default": {"$ref": "#/components/responses/Problem"}}
    document = {
        "paths": {"/pets": {"get": {"responses": responses}}},
        "components": {"schemas": yaml.safe_load(SCHEMAS)},
    }
    request = rest.RestRequest(method="GET", path="/pets", answer=answer, **keys)
    return list(rest.PROTOCOL.wrong_answer(document, request, "camel"))


PET = {"$ref": "#/components/schemas/Pet"}
DOG = {"$ref": "#/components/schemas/Dog"}


@pytest.mark.parametrize(
    ("schema", "answer"),
    [
        (PET, "/owner/owner/pet_name"),
        (PET, "/tags/any"),
        (PET, "/free/any"),
        (PET, "/either/any"),
        (DOG, "/pet_name"),
        (DOG, "/breed"),
        ({"type": "array", "items": DOG}, "/*/owner"),
        ({"$ref": "other.yaml#/Pet"}, "/any"),
        ({"$ref": "#/nowhere"}, "/any"),
        ({"properties": {"a": {}}, "additionalProperties": True}, "/any"),
    ],
)
def test_a_pointer_leads_to_what_an_openapi_document_describes(
    schema: dict[str, Any], answer: str
) -> None:
    assert responding(schema, answer) == []


@pytest.mark.parametrize(
    ("schema", "answer"),
    [
        (PET, "/petName"),
        (DOG, "/bred"),
        (PET, "/owner/name"),
        (PET, "/tags/any/x"),
        ({"items": DOG}, "/breed"),
        ({"type": "string"}, "/x"),
    ],
)
def test_a_pointer_to_what_an_openapi_document_does_not_describe_is_a_mistake(
    schema: dict[str, Any], answer: str
) -> None:
    assert_only(responding(schema, answer), answer)


def test_only_the_response_with_the_status_of_the_binding_counts() -> None:
    assert responding(PET, "/any", status=201) == []
    assert_only(responding(PET, "/any", content="text"), "/any")
    assert responding(PET, "/0/any", content="events") == []
    assert_only(responding(PET, "/any", content="events"), "/any")


@pytest.mark.parametrize(
    ("operation", "answer", "mistakes"),
    [
        ("Read", "/note/author/full_name", 0),
        ("List", "/notes/0/tags/*", 0),
        ("Reed", "/any", 0),
        ("Read", "/nte", 1),
        ("List", "/notes/title", 1),
        ("Delete", "/id/x", 1),
    ],
)
def test_a_pointer_leads_to_what_a_wsdl_describes(
    operation: str, answer: str, mistakes: int
) -> None:
    wsdl = soap.PROTOCOL.read(FOLDER / "notes.wsdl")
    request = soap.SoapRequest(operation=operation, answer=answer)

    found = list(soap.PROTOCOL.wrong_answer(wsdl, request, "camel"))
    assert len(found) == mistakes
    if mistakes:
        assert_only(found, answer)
