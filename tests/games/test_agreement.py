"""The pieces of the domain agree: five descriptions, the reference, the declared settings."""

import ast
import runpy
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from graphql import build_schema, is_input_object_type, is_object_type
from grpc_tools import protoc
from lxml import etree

from tests.games.catalogue import catalogue, game
from tests.games.standing import CONTENDERS, GAMES
from wirelab.domain import Refused
from wirelab.domain.reference import Reference, load_reference

XS = "{http://www.w3.org/2001/XMLSchema}"
FIELDS = list(game(0))


def snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)


def described_by_openapi(schema: str) -> Iterable[str]:
    document = yaml.safe_load((GAMES.folder / "openapi.yaml").read_text())
    properties: dict[str, Any] = document["components"]["schemas"][schema]["properties"]
    return properties


def described_by_graphql(type_name: str) -> Iterable[str]:
    described = build_schema((GAMES.folder / "schema.graphql").read_text()).type_map[type_name]
    assert is_object_type(described) or is_input_object_type(described)
    return map(snake, described.fields)


def described_by_proto(message: str, folder: object) -> dict[str, int]:
    output = f"{folder}/games.binpb"
    arguments = ["", f"-I{GAMES.folder}", f"--descriptor_set_out={output}", "games.proto"]
    assert protoc.main(arguments) == 0
    with open(output, "rb") as file:
        (described,) = FileDescriptorSet.FromString(file.read()).file
    (found,) = (each for each in described.message_type if each.name == message)
    return {field.name: field.number for field in found.field}


def described_by_wsdl(type_name: str) -> Iterable[str]:
    wsdl = etree.parse(GAMES.folder / "games.wsdl")
    found = wsdl.find(f".//{XS}complexType[@name='{type_name}']")
    return [element.get("name") for element in found.iter(f"{XS}element")]


@pytest.mark.parametrize(("name", "fields"), [("Game", ["id", *FIELDS]), ("GameInput", FIELDS)])
def test_every_interface_has_the_same_fields_in_the_same_order(
    name: str, fields: list[str], tmp_path: object
) -> None:
    assert list(described_by_openapi(name)) == fields
    assert list(described_by_graphql(name)) == fields
    assert list(described_by_wsdl(name)) == fields
    assert list(described_by_proto(name, tmp_path)) == fields


def test_a_field_has_one_number_whether_it_is_read_or_written(tmp_path: object) -> None:
    written = described_by_proto("GameInput", tmp_path)

    assert described_by_proto("Game", tmp_path) == {"id": 1, **written}


@pytest.fixture
def reference() -> Reference:
    class Rows:
        tables = {"game": catalogue(5)}  # noqa: RUF012

    return load_reference(GAMES, Rows())  # type: ignore[arg-type]


def test_the_reference_refuses_what_the_domain_declares_as_refused(reference: Reference) -> None:
    usual = {"id": "game-000000", "game": game(1), "limit": 3}
    cases = [
        (operation, case) for operation in GAMES.operations.values() for case in operation.errors
    ]
    assert cases
    for operation, case in cases:
        drawn = {name: usual[name] for name in operation.parameters}
        with pytest.raises(Refused) as refused:
            reference.call(operation.name, {**drawn, **case.parameters})
        assert refused.value.kind == case.refusal


def test_the_reference_lists_in_the_order_of_the_ids(reference: Reference) -> None:
    created = reference.call("create_echoed", {"game": game(9)})
    assert isinstance(created, dict)
    listed = reference.call("list", {"limit": 1000})
    assert isinstance(listed, list)

    assert created in listed
    assert all(one["id"] < two["id"] for one, two in pairwise(listed))


@pytest.mark.parametrize("name", CONTENDERS)
def test_the_declared_settings_are_the_ones_in_force(name: str) -> None:
    contender = CONTENDERS[name]
    store = constants(contender.folder / "store.py")
    pool = {"pool_size": store["POOL_SIZE"], "pool_wait_s": store["POOL_WAIT_S"]}
    if contender.protocol == "grpc":
        threads = constants(contender.folder / "grpc_server.py")["THREADS"]
        assert contender.settings == {"server": "grpc.server", "threads": threads, **pool}
        return
    configured = runpy.run_path(str(contender.folder / "gunicorn.conf.py"))
    expected = {
        "worker_class": configured["worker_class"],
        "workers": configured["workers"],
        "threads": int(contender.command[contender.command.index("--threads") + 1]),
        "keepalive_s": configured["keepalive"],
        **pool,
    }
    if contender.protocol == "graphql":
        default = constants(contender.folder / "graphql_server.py")["CACHED_DOCUMENTS"]
        kept = contender.environment.get("GAMES_CACHED_DOCUMENTS", default)
        expected["cached_documents"] = int(str(kept))

    assert contender.settings == expected


def constants(path: Path) -> dict[str, object]:
    """Return the constants that a module sets."""
    return {
        node.targets[0].id: node.value.value
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Constant)
    }
