"""What operations of OpenAPI send: parameters, servers, bodies; and why others are left out."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from wirelab.protocol.rest import PROTOCOL, RestRequest
from wirelab.scaffold.descriptions.given import Details
from wirelab.scaffold.descriptions.offer import OfferedInterface
from wirelab.scaffold.descriptions.openapi import read_openapi
from wirelab.scaffold.descriptions.sources import described

OK: dict[str, Any] = {"200": {"description": "d"}}
TEXT = {"type": "string"}
FORM = "application/x-www-form-urlencoded"


def read(
    tmp_path: Path,
    paths: dict[str, Any],
    details: Details | None = None,
    more: dict[str, Any] | None = None,
    **document: Any,
) -> OfferedInterface:
    """Return what a document offers; operations answer 200 unless they say otherwise."""
    for item in paths.values():
        for method in ("get", "post", "patch", "delete"):
            if "$ref" not in item.get(method, {"$ref": ""}):
                item[method] = {"responses": OK, **item[method]}
    file = tmp_path / "api.yaml"
    document |= more or {}
    version = {} if "swagger" in document else {"openapi": "3.0.3"}
    file.write_text(yaml.safe_dump({**version, "paths": paths, **document}, sort_keys=False))
    interface = read_openapi(file, details or Details())
    for offer in interface.offers:  # and what is offered can be loaded
        request = RestRequest.model_validate(offer.binding)
        assert not [*PROTOCOL.mistakes(PROTOCOL.read(file), request)]
    return interface


def binding(tmp_path: Path, operation: dict[str, Any], path: str = "/a", **more: Any) -> Any:
    method = more.pop("method", "get")
    (offer,) = read(tmp_path, {path: {method: operation}}, **more).offers
    return {key: value for key, value in offer.binding.items() if key != "method"}


def reasons(interface: OfferedInterface) -> dict[str, str]:
    return {each.name: each.reason for each in interface.left_out}


@pytest.mark.parametrize(
    ("parameter", "styles"),
    [
        ({"in": "query", "schema": {"type": "array", "items": TEXT}}, {}),
        ({"in": "query", "explode": False, "schema": {"type": "array"}}, {"v": "form"}),
        ({"in": "query", "style": "spaceDelimited", "explode": False}, {"v": "spaceDelimited"}),
        ({"in": "query", "style": "deepObject"}, {"v": "deepObject*"}),
        ({"in": "query", "content": {"application/json": {}}}, {"v": "json"}),
        ({"in": "query", "explode": False, "schema": TEXT}, {}),
        ({"in": "path", "style": "matrix", "schema": TEXT}, {"v": "matrix"}),
        ({"in": "path", "style": "label", "explode": True, "schema": {"type": "array"}},
         {"v": "label*"}),
        ({"in": "path", "schema": {"type": "array"}}, {}),
        ({"in": "path", "explode": True, "schema": {"type": "object"}}, {"v": "simple*"}),
    ],
)  # fmt: skip
def test_styles(tmp_path: Path, parameter: dict[str, Any], styles: dict[str, str]) -> None:
    path = "/a/{v}" if parameter["in"] == "path" else "/a"
    operation = {"parameters": [{"name": "v", "required": True, **parameter}]}

    assert binding(tmp_path, operation, path).get("styles", {}) == styles


@pytest.mark.parametrize(
    ("content", "examples"),
    [
        ({"example": [1]}, ([1],)),
        ({"examples": {"a": {"value": 7}, "b": {"$ref": "#/components/examples/b"}}}, (7, 8)),
        ({"schema": {"type": "integer", "examples": [9]}}, (9,)),
        ({"schema": {"type": "integer"}}, None),
    ],
)
def test_examples_of_content_belong_to_its_parameter(
    tmp_path: Path, content: dict[str, Any], examples: tuple[object, ...] | None
) -> None:
    parameter = {"name": "v", "in": "query", "content": {"application/json": content}}
    paths = {"/a": {"get": {"parameters": [parameter]}}}

    (offer,) = read(tmp_path, paths, components={"examples": {"b": {"value": 8}}}).offers

    assert [each.examples for each in offer.parameters] == ([] if examples is None else [examples])


@pytest.mark.parametrize(
    ("format_", "styles"),
    [("csv", {"v": "form"}), ("ssv", {"v": "spaceDelimited"}), ("pipes", {"v": "pipeDelimited"}),
     ("multi", {}), (None, {"v": "form"})],
)  # fmt: skip
def test_collection_formats_of_version_2(
    tmp_path: Path, format_: str | None, styles: dict[str, str]
) -> None:
    parameter = {"name": "v", "in": "query", "required": True, "type": "array", "items": TEXT}
    parameter |= {"collectionFormat": format_} if format_ else {}

    bound = binding(tmp_path, {"parameters": [parameter]}, swagger="2.0")

    assert bound.get("styles", {}) == styles


def test_names_that_are_no_identifiers_occur_twice_or_are_those_of_credentials(
    tmp_path: Path,
) -> None:
    listed = [
        {"name": "id", "in": "path", "required": True},
        {"name": "id", "in": "query", "required": True},
        {"name": "filter[a b]", "in": "query", "required": True},
        {"name": "2nd", "in": "query", "required": True},
        {"name": "X-Own", "in": "header", "required": True},
        {"name": "Accept", "in": "header", "required": True},
        {"name": "Authorization", "in": "header", "required": True},
        {"name": "lang", "in": "cookie", "required": True},
        {"name": "more", "in": "query"},
    ]

    assert binding(tmp_path, {"parameters": listed}, "/a/{id}") == {
        "path": "/a/{id}?id={id_in_query}&filter[a%20b]={filter_a_b_}&2nd={_2nd}",
        "headers": {"x-own": "{X_Own}", "cookie": "lang={lang}"},
    }


@pytest.mark.parametrize(
    ("servers", "path"),
    [
        ([{"url": "https://h/{b}/v{n}", "variables": {"b": {"default": "s"}, "n": {"enum": [2]}}}],
         "/s/v2"),
        ([{"url": "{root}", "variables": {"root": {"default": "/s/v2"}}}], "/s/v2"),
        ([{"url": "/v2/"}, {"url": "/other"}], "/v2"),
        ([{"url": "https://h/{unknown}"}], ""),
        ([], ""),
    ],
)  # fmt: skip
def test_servers_of_a_document(tmp_path: Path, servers: list[Any], path: str) -> None:
    assert read(tmp_path, {"/a": {"get": {}}}, servers=servers).path == path


def test_servers_of_paths_and_of_operations(tmp_path: Path) -> None:
    interface = read(
        tmp_path,
        {
            "/a": {"get": {}},
            "/b": {"servers": [{"url": "/v2"}], "get": {}},
            "/c": {"get": {"servers": [{"url": "https://h/v3"}]}},
            "/d": {"get": {"servers": [{"url": "https://other/v1"}]}},
        },
        servers=[{"url": "https://h/v1"}],
    )
    own = read(tmp_path, {"/b": {"servers": [{"url": "/v2"}], "get": {}}}, servers=[{"url": "/v1"}])

    assert interface.path == "/v1"
    bases = {offer.binding["path"]: offer.binding.get("base") for offer in interface.offers}
    assert bases == {"/a": None, "/c": "/v3"}
    assert {*reasons(interface)} == {"GET /b", "GET /d"}
    assert (own.path, own.offers[0].binding.get("base")) == ("/v2", None)


def test_references_of_operations(tmp_path: Path) -> None:
    listed = {"parameters": [{"name": "id", "in": "path", "required": True}], "responses": OK}
    interface = read(
        tmp_path,
        {
            "/near/{id}": {"get": {"$ref": "#/x-operations/list"}},
            "/far/{id}": {"get": {"$ref": "other.yml#/get"}},
            "/nowhere": {"get": {"$ref": "#/x-operations/gone"}},
        },
        more={"x-operations": {"list": listed}},
    )

    assert [offer.shown for offer in interface.offers] == ["GET /near/{id}"]
    assert "other.yml#/get" in reasons(interface)["GET /far/{id}"]
    assert "leads nowhere" in reasons(interface)["GET /nowhere"]


FIELDS = {"type": "object", "required": ["a"], "properties": {"a": TEXT, "b": {"type": "array"}}}


@pytest.mark.parametrize(
    ("method", "body", "bound"),
    [
        ("get", {"content": {FORM: {"schema": {"type": "object"}}}}, {}),
        ("get", {"content": {FORM: {"schema": FIELDS}}, "required": True}, {"form": {"a": "{a}"}}),
        ("post", {"content": {f"{FORM}; charset=utf-8": {"schema": FIELDS}}},
         {"form": {"a": "{a}"}}),
        ("post", {"content": {"Application/JSON; charset=utf-8": {"schema": FIELDS}}},
         {"body": "{body}"}),
        ("patch", {"content": {"application/merge-patch+json": {}}},
         {"body": "{body}", "headers": {"content-type": "application/merge-patch+json"}}),
        ("post", {"content": {FORM: {}, "*/*": {"schema": {}}}}, {"body": "{body}"}),
        ("get", {"content": {"application/json": {"schema": FIELDS}}}, {}),
        ("delete", {"content": {"application/json": {"schema": FIELDS}}, "required": True},
         {"body": "{body}"}),
    ],
)  # fmt: skip
def test_bodies(tmp_path: Path, method: str, body: dict[str, Any], bound: dict[str, Any]) -> None:
    assert binding(tmp_path, {"requestBody": body}, method=method) == {"path": "/a", **bound}


def test_a_query_reads_by_the_fields_of_its_body(tmp_path: Path) -> None:
    body = {"content": {"application/json": {"schema": FIELDS}}, "required": True}

    (offer,) = read(tmp_path, {"/a": {"query": {"requestBody": body, "responses": OK}}}).offers

    assert (offer.effect, offer.shown) == ("read", "QUERY /a")
    assert offer.binding == {"method": "QUERY", "path": "/a", "body": {"a": "{a}"}}


def test_fields_with_values_and_their_encoding(tmp_path: Path) -> None:
    encoded = {"schema": FIELDS, "encoding": {"b": {"style": "deepObject", "explode": True}}}
    details = Details(columns=frozenset({"b"}))

    bound = binding(
        tmp_path, {"requestBody": {"content": {FORM: encoded}}}, method="post", details=details
    )

    assert bound["form"] == {"a": "{a}", "b": "{b}"}
    assert bound["styles"] == {"b": "deepObject*"}


@pytest.mark.parametrize(
    ("parameter", "consumes", "bound"),
    [
        ({"in": "body", "schema": {"$ref": "#/definitions/Any"}}, "application/json-patch+json",
         {"body": "{v}", "headers": {"content-type": "application/json-patch+json"}}),
        ({"in": "body", "schema": {"type": "array"}}, None, {"body": "{v}"}),
        ({"in": "formData", "type": "string"}, FORM, {"form": {"v": "{v}"}}),
    ],
)  # fmt: skip
def test_bodies_of_version_2(
    tmp_path: Path, parameter: dict[str, Any], consumes: str | None, bound: dict[str, Any]
) -> None:
    operation: dict[str, Any] = {"parameters": [{"name": "v", "required": True, **parameter}]}
    operation |= {"consumes": [consumes]} if consumes else {}
    defined = {"Any": {"description": "any value"}}

    sent = binding(tmp_path, operation, method="patch", swagger="2.0", definitions=defined)
    assert sent == {"path": "/a", **bound}


@pytest.mark.parametrize(
    ("operation", "reason"),
    [
        ({"requestBody": {"content": {"text/csv": {}}}}, "sends text/csv"),
        ({"requestBody": {"content": {"application/octet-stream": {}}}}, "uploads a file"),
        ({"requestBody": {"content": {"multipart/form-data": {}}}}, "uploads a file"),
        ({"requestBody": {"content": {"multipart/form-data": {"schema": FIELDS}}}},
         "sends multipart/form-data"),
        ({"responses": {"200": {"content": {"text/event-stream": {}}}}}, "stream of events"),
        ({"responses": {"200": {"content": {"application/pdf": {}}}}}, "application/pdf"),
        ({"responses": {"302": {"description": "d"}}}, "redirects"),
        ({"parameters": [{"$ref": "http://localhost/p"}]}, "another document"),
    ],
)  # fmt: skip
def test_reasons_to_leave_out(tmp_path: Path, operation: dict[str, Any], reason: str) -> None:
    interface = read(tmp_path, {"/a": {"post": operation, "head": {}}})

    assert reason in reasons(interface)["POST /a"]
    assert "HEAD" in reasons(interface)["HEAD /a"]
    assert not interface.offers


@pytest.mark.parametrize(
    ("schema", "is_source"),
    [
        ({"type": "array", "items": {"type": "object", "additionalProperties": True}}, True),
        ({"type": "array", "items": {}}, True),
        ({}, True),
        ({"type": "array", "items": TEXT}, False),
        ({"type": "object", "properties": {"id": TEXT}}, False),
    ],
)
def test_lists_without_types_are_sources_of_ids(
    tmp_path: Path, schema: dict[str, Any], *, is_source: bool
) -> None:
    answer = {"200": {"content": {"application/json": {"schema": schema}}}}

    (offer,) = read(tmp_path, {"/a": {"get": {"responses": answer}}}).offers

    assert offer.is_source is is_source


@pytest.mark.parametrize(
    "pattern", ["KV/Range", "kv_range", "/v3/range", "POST /v3/range", "*range", "v3/range"]
)
def test_a_declared_read_has_the_fields_of_its_body_as_parameters(
    tmp_path: Path, pattern: str
) -> None:
    properties = {"key": TEXT, "keys_only": {"type": "boolean"}, "limit": {"type": "integer"}}
    schema = {"type": "object", "properties": properties}
    operation = {
        "operationId": "KV_Range",
        "requestBody": {"content": {"application/json": {"schema": schema}}, "required": True},
    }
    paths = {"/v3/range": {"post": operation}}
    (by_key,) = read(tmp_path, paths, Details(reads=(pattern,))).offers
    given = Details(reads=(pattern,), columns=frozenset({"Key", "limit"}))
    (by_columns,) = read(tmp_path, paths, given).offers
    (undeclared,) = read(tmp_path, paths).offers

    assert (by_key.effect, by_key.binding["body"]) == ("read", {"key": "{key}"})
    assert by_columns.binding["body"] == {"key": "{key}", "limit": "{limit}"}
    assert (undeclared.effect, undeclared.binding["body"]) == ("write", "{body}")


DOCUMENTS = {
    "api.yaml": """
openapi: 3.0.3
paths:
  /keys: { $ref: paths/keys.yaml }
  /keys/{id}: { get: { $ref: 'paths/keys.yaml#/one' } }
  /far: { get: { $ref: '../outside.yaml#/get' } }
  /gone: { get: { $ref: 'gone.yaml#/get' } }
components: { parameters: { Id: { name: id, in: path, required: true, schema: { type: string } } } }
""",
    "paths/keys.yaml": """
get: { operationId: listKeys, responses: { '200': { $ref: '../shared.json#/Keys' } } }
one: { parameters: [ { $ref: '../api.yaml#/components/parameters/Id' } ], responses: *ok }
""".replace(
        "one:", "ok: &ok { '200': { $ref: '#/response' } }\nresponse: { description: d }\none:"
    ),
    "shared.json": """{"Keys": {"description": "d", "content": {"application/json": {"schema":
        {"type": "array", "items": {"$ref": "#/Key"}}}}}, "Key": {"properties": {"id": {}}}}""",
}


def test_documents_beside_the_main_one_are_read_and_others_are_not(tmp_path: Path) -> None:
    (tmp_path / "outside.yaml").write_text("get: { responses: {} }")
    for name, text in DOCUMENTS.items():
        file = tmp_path / "own" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    (tmp_path / "copy").mkdir()

    interface, copy = described("rest", str(tmp_path / "own" / "api.yaml"), tmp_path / "copy")
    (tmp_path / "again").mkdir()
    again, _ = described("rest", str(copy), tmp_path / "again")

    assert [offer.shown for offer in interface.offers] == ["GET /keys", "GET /keys/{id}"]
    assert interface.offers[0].answer == {"*/id": "string"}
    assert {*reasons(interface)} == {"GET /far", "GET /gone"}
    assert [*(tmp_path / "copy").iterdir()] == [copy]
    assert again.offers == interface.offers
