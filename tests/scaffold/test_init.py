"""`wirelab init` against servers: what it matches, asks, freezes and leaves out."""

import json
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.compare.running import HERE, OPENAPI, serving
from tests.support.scaffolding import scaffold
from tests.support.verification import verify_domain
from tests.support.wording import assert_worded
from wirelab.domain_file import load_domain
from wirelab.scaffold.descriptions.openapi import read_openapi
from wirelab.scaffold.descriptions.proto import read_proto
from wirelab.scaffold.matching import match_offers
from wirelab.study import load_study
from wirelab.terminal.exit_codes import ExitCode

SDL = """
type Query { item(id: Int!): Item  items(first: Int): [Item!]!  unlike: Int }
type Mutation { createItem(name: String!): Item }
type Subscription { itemAdded: Item }
type Item { id: Int!  name: String!  price: Float!  tags: [String!]!  siblings: [Item!]! }
"""

WRITES = """
openapi: 3.1.0
info: { title: Items, version: "1" }
paths:
  /items:
    post:
      operationId: createItem
      requestBody: { content: { application/json: { schema: { type: object } } } }
      responses: { "201": { $ref: "#/components/responses/Item" } }
  /items/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get:
      operationId: getItem
      responses: { "200": { $ref: "#/components/responses/Item" } }
    put:
      operationId: updateItem
      requestBody: { content: { application/json: { schema: { type: object } } } }
      responses: { "200": { $ref: "#/components/responses/Item" } }
    delete:
      operationId: deleteItem
      responses: { "200": { $ref: "#/components/responses/Item" } }
components:
  responses:
    Item:
      description: an item
      content:
        application/json:
          schema:
            type: object
            properties: { id: { type: integer }, name: { type: string } }
"""


@pytest.fixture(scope="module")
def servers() -> Iterator[Mapping[str, str]]:
    with serving() as rest, serving(program="grpc_server.py") as grpc:
        yield {"rest": f"http://{rest}", "grpc": f"grpc://{grpc}"}


@pytest.fixture(scope="module")
def own(
    servers: Mapping[str, str], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, ExitCode]:
    """What init wrote of a REST interface and a gRPC server that describes itself."""
    place = tmp_path_factory.mktemp("init") / "own"
    sources = {"rest": str(OPENAPI), "grpc": "reflection"}
    code = scaffold(place, sources, servers)
    return place, code


def test_operations_are_matched_across_protocols(own: tuple[Path, ExitCode]) -> None:
    place, code = own
    written = tomllib.loads((place / "domain" / "domain.toml").read_text())["operation"]

    assert code == ExitCode.OK
    assert set(written) == {"get_item", "list_items"}
    assert written["get_item"]["rest"]["path"] == "/items/{id}"
    assert written["get_item"]["grpc"]["message"] == {"item_id": "{id}"}
    assert written["list_items"]["grpc"]["message"] == {"page_size": "{limit}"}
    assert set(written["list_items"]["common"]["project"]) == {"rest", "grpc"}


def test_the_written_domain_is_small_and_needs_nothing_else(own: tuple[Path, ExitCode]) -> None:
    place, _ = own
    names = {str(path.relative_to(place)) for path in place.rglob("*") if path.is_file()}

    assert names == {
        "domain/domain.toml",
        "domain/openapi.yaml",
        "domain/service.binpb",
        "domain/parameters.ndjson",
        "domain/contenders/found/contender.toml",
        "study/study.toml",
    }
    assert load_study(place / "study").contenders == ("rest", "grpc")
    assert not load_domain(str(place / "domain")).has_reference


def test_parameters_come_from_the_answers_of_lists(own: tuple[Path, ExitCode]) -> None:
    place, _ = own
    lines = (place / "domain" / "parameters.ndjson").read_text().splitlines()
    ids = [
        row["parameters"]["id"] for row in map(json.loads, lines) if row["operation"] == "get_item"
    ]

    assert len(ids) >= 30
    assert len(set(ids)) == len(ids)


def test_the_same_seed_writes_the_same(
    own: tuple[Path, ExitCode], servers: Mapping[str, str], tmp_path: Path
) -> None:
    place, _ = own
    scaffold(tmp_path / "own", {"rest": str(OPENAPI), "grpc": "reflection"}, servers)

    for path in place.rglob("*"):
        if path.is_file():
            again = tmp_path / "own" / path.relative_to(place)
            assert again.read_bytes() == path.read_bytes()


def test_a_written_domain_passes_verification(own: tuple[Path, ExitCode]) -> None:
    place, _ = own
    code = verify_domain(place / "domain")

    assert code == ExitCode.OK


def test_every_match_has_a_reason_and_unmatched_operations_are_reported(
    servers: Mapping[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scaffold(
        tmp_path / "own",
        {"rest": str(OPENAPI), "grpc": str(HERE / "items.proto")},
        servers,
        as_json=True,
    )
    output = json.loads(capsys.readouterr().out)

    assert output["operations"]["get_item"]["reasons"]["grpc"].startswith("both get item; ")
    assert output["operations"]["get_item"]["answered"] >= 0.95
    assert "items.v1.Items/WatchItems: streams" in output["left_out"]
    assert any(each.startswith("POST /items: ") for each in output["left_out"])


def test_the_reason_of_a_match_counts_the_values_of_the_same_name(tmp_path: Path) -> None:
    proto = tmp_path / "other.proto"
    proto.write_text(
        'syntax = "proto3"; package p;\n'
        "service S { rpc GetItem(Q) returns (R); }\n"
        "message Q { int32 id = 1; } message R { string colour = 1; int32 weight = 2; }\n"
    )
    offers = [read_openapi(OPENAPI).offers, read_proto(proto).offers]
    match = next(each for each in match_offers(offers) if each.name == "get_item")

    assert_worded(match.reasons["grpc"])


@pytest.mark.parametrize("is_same", [True, False])
def test_the_user_decides_about_a_doubtful_match(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], *, is_same: bool
) -> None:
    proto = tmp_path / "other.proto"
    proto.write_text(
        'syntax = "proto3"; package p;\n'
        "service S { rpc GetItem(Q) returns (R); rpc ListItems(L) returns (Rs); }\n"
        "message Q { string item_key = 1; } message R { string name = 1; int32 weight = 2; }\n"
        "message L { int32 limit = 1; } message Rs { repeated R items = 1; }\n"
    )
    questions = []

    def decide(question: str) -> bool:
        questions.append(question)
        return is_same

    scaffold(
        tmp_path / "own", {"rest": str(OPENAPI), "grpc": str(proto)}, decide=decide, as_json=True
    )
    output = json.loads(capsys.readouterr().out)
    bindings = {
        name: set(each.bindings)
        for name, each in load_domain(str(tmp_path / "own" / "domain")).operations.items()
    }

    (question,) = questions
    assert question.startswith("GET /items/{id} and p.S/GetItem: both get item; ")
    both = {"rest", "grpc"}
    assert bindings == {"list_items": both} | ({"get_item": both} if is_same else {})
    assert ("GET /items/{id}: only rest offers it" in output["left_out"]) is not is_same
    comments = (tmp_path / "own" / "domain" / "domain.toml").read_text()
    assert "doubtful" not in comments


def test_an_operation_that_refuses_too_many_parameters_is_left_out_with_the_refusal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving("refuses=5") as rest:
        code = scaffold(
            tmp_path / "own", {"rest": str(OPENAPI)}, {"rest": f"http://{rest}"}, as_json=True
        )
    output = json.loads(capsys.readouterr().out)

    assert code == ExitCode.OK
    assert {name: each["answered"] for name, each in output["operations"].items()} == {
        "list_items": 1.0
    }
    refusal = "32 of 40 parameter sets answered (80\u00a0%, fewer than 95\u00a0%), from lists"
    assert any(each.startswith(f"get_item: {refusal}: HTTP 404: ") for each in output["left_out"])
    assert set(load_domain(str(tmp_path / "own" / "domain")).operations) == {"list_items"}


def test_graphql_queries_select_all_scalars_and_end(tmp_path: Path) -> None:
    sdl = tmp_path / "schema.graphql"
    sdl.write_text(SDL)
    scaffold(tmp_path / "own", {"rest": str(OPENAPI), "graphql": str(sdl)}, as_json=True)
    domain = load_domain(str(tmp_path / "own" / "domain"))
    document = (tmp_path / "own" / "domain" / "graphql" / "item.graphql").read_text()

    assert {name for name, it in domain.operations.items() if "graphql" in it.bindings} >= {
        "get_item",
        "list_items",
    }
    assert all(name in document for name in ("id", "name", "price", "tags"))
    assert document.count("siblings") <= 1


def test_created_or_changed_objects_are_read_again_by_their_key(tmp_path: Path) -> None:
    """A deletion is not: nothing remains to be read."""
    api, proto = tmp_path / "api.yaml", tmp_path / "writes.proto"
    api.write_text(WRITES)
    proto.write_text(
        'syntax = "proto3"; package p;\n'
        "service Items {\n"
        "  rpc GetItem(Key) returns (Item);\n"
        "  rpc CreateItem(New) returns (Item);\n"
        "  rpc UpdateItem(Item) returns (Item);\n"
        "  rpc DeleteItem(Key) returns (Item);\n"
        "}\n"
        "message Key { int32 item_id = 1; }\n"
        "message New { string name = 1; }\n"
        "message Item { int32 id = 1; string name = 2; }\n"
    )
    scaffold(tmp_path / "own", {"rest": str(api), "grpc": str(proto)}, as_json=True)
    domain = load_domain(tmp_path / "own" / "domain")

    assert domain.one_backend
    assert set(domain.operations) == {"get_item", "create_item", "update_item", "delete_item"}
    assert {
        name: [
            (step.operation, dict(step.remember), dict(step.parameters)) for step in sequence.steps
        ]
        for name, sequence in domain.sequences.items()
    } == {
        name: [(name, {"id": "/id"}, {}), ("get_item", {}, {"id": "{id}"})]
        for name in ("create_item", "update_item")
    }


def test_ids_of_fastapi_lose_their_path(tmp_path: Path) -> None:
    file = tmp_path / "api.json"
    operation = {"operationId": "get_item_items__item_id__get", "responses": {}}
    place = [{"name": "item_id", "in": "path", "required": True, "schema": {"type": "integer"}}]
    paths = {"/items/{item_id}": {"get": {**operation, "parameters": place}}}
    file.write_text(json.dumps({"openapi": "3.1.0", "paths": paths}))

    assert [offer.name for offer in read_openapi(file).offers] == ["get_item"]
