"""The pieces of the domain agree: five descriptions, the reference, the declared settings."""

import ast
import runpy
from itertools import pairwise
from pathlib import Path

import pytest

from tests.games.catalogue import catalogue, game
from tests.games.standing import CONTENDERS, GAMES
from tests.support.described import (
    fields_in_graphql,
    fields_in_openapi,
    fields_in_proto,
    fields_in_wsdl,
    refused_as_declared,
)
from wirelab.domain.reference import Reference, load_reference

FIELDS = list(game(0))


@pytest.mark.parametrize(("name", "fields"), [("Game", ["id", *FIELDS]), ("GameInput", FIELDS)])
def test_every_interface_has_the_same_fields_in_the_same_order(
    name: str, fields: list[str]
) -> None:
    assert fields_in_openapi(GAMES.folder, name) == fields
    assert fields_in_graphql(GAMES.folder, name) == fields
    assert fields_in_wsdl(GAMES.folder / "games.wsdl", name) == fields
    assert list(fields_in_proto(GAMES.folder, name)) == fields


def test_a_field_has_one_number_whether_it_is_read_or_written() -> None:
    written = fields_in_proto(GAMES.folder, "GameInput")

    assert fields_in_proto(GAMES.folder, "Game") == {"id": 1, **written}


@pytest.fixture
def reference() -> Reference:
    class Rows:
        tables = {"game": catalogue(5)}  # noqa: RUF012

    return load_reference(GAMES, Rows())  # type: ignore[arg-type]


def test_the_reference_refuses_what_the_domain_declares_as_refused(reference: Reference) -> None:
    usual = {"id": "game-000000", "game": game(1), "limit": 3}

    assert refused_as_declared(GAMES, reference, usual) > 0


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
