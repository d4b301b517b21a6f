"""What protocols spell in their own ways, and how `wirelab init` proposes to compare it."""

import copy
import json
import shutil
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.compare.running import HERE, OPENAPI, serving
from wirelab.commands.init import init_command
from wirelab.commands.verify import verify_command
from wirelab.domain.model import Common
from wirelab.domain_file import load_domain
from wirelab.exit_codes import ExitCode
from wirelab.initiate.agreeing import Spelling, propose
from wirelab.initiate.matching import match_offers
from wirelab.initiate.openapi import read_openapi
from wirelab.initiate.ordering import find_orders
from wirelab.initiate.proto import read_proto
from wirelab.initiate.sources import NO_OPTIONS
from wirelab.initiate.writing import write_domain
from wirelab.verify.common_shape import ShapeDifference, shape, shape_differences


def test_what_protocols_spell_in_their_own_ways_is_compared_as_what_it_means(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """JSON has null where proto3 has an empty text, and rounds; a real difference stays one."""
    api = tmp_path / "api.yaml"
    named = "name: { type: string }\n        display_name: { type: string, nullable: true }"
    api.write_text(OPENAPI.read_text().replace("name: { type: string }", named))
    with serving("otherwise") as rest, serving("wrong", program="grpc_server.py") as grpc:
        init_command(
            str(tmp_path / "own"),
            {"rest": str(api), "grpc": "reflection"},
            addresses={"rest": f"http://{rest}", "grpc": f"grpc://{grpc}"},
            csv=None,
            decide=None,
            force=False,
            seed=1,
            as_json=True,
        )
    told = json.loads(capsys.readouterr().out)
    written = tomllib.loads((tmp_path / "own" / "domain" / "domain.toml").read_text())
    common = written["operation"]["get_item"]["common"]

    assert "display_name: display_name || ''" in common["project"]["rest"]
    assert "||" not in common["project"]["grpc"]
    assert "tolerance" not in common  # of the wrong server's one price, which is no rounding
    assert "get_item: display_name is null over rest, and compared as ''" in told["notes"]


def test_lists_in_different_orders_are_compared_sorted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving("reversed") as rest, serving(program="grpc_server.py") as grpc:
        init_command(
            str(tmp_path / "own"),
            {"rest": str(OPENAPI), "grpc": "reflection"},
            addresses={"rest": f"http://{rest}", "grpc": f"grpc://{grpc}"},
            csv=None,
            decide=None,
            force=False,
            seed=1,
            as_json=True,
        )
        told = json.loads(capsys.readouterr().out)
        code = verify_command(
            str(tmp_path / "own" / "domain"),
            only=(),
            environment="native",
            seed=1,
            stores={},
            data=None,
            as_json=False,
        )
    operations = load_domain(str(tmp_path / "own" / "domain")).operations

    assert operations["list_items"].common.ordered == {"": "id"}
    assert operations["get_item"].common.ordered == {}
    note = "list_items: the list is in different orders, and compared sorted by id"
    assert note in told["notes"]
    assert code == ExitCode.OK


def items(*ids: object, **others: object) -> list[dict[str, object]]:
    return [{"name": "same", "id": each, **others} for each in ids]


@pytest.mark.parametrize(
    ("one", "other", "proposed"),
    [
        (items(1, 2), items(2, 1), {"": "id"}),
        (items("1", "10", "9"), items(9, 10, 1), {"": "to_string(id)"}),
        ({"tags": ["b", "a"]}, {"tags": ["a", "b"]}, {"tags": "@"}),
        (items(1, 2, of=["b", "a"]), items(2, 1, of=["a", "b"]), {"": "id", "*/of": "@"}),
        (items(1, 2), items(1, 2), {}),
        (items(1, 2), items(2, 3), {}),
        (items(1, 2), items(2), {}),
        (items(1, 1), items(1, 1, of=1), {}),
        ([{"at": 0.1}, {"at": 0.2}], [{"at": 0.2}, {"at": 0.1}], {}),
    ],
)
def test_an_order_is_proposed_where_lists_differ_only_in_that(
    one: object, other: object, proposed: Mapping[str, str]
) -> None:
    assert find_orders([(one, other)]) == proposed
    if proposed:
        common = Common.model_validate({"sorted": proposed})
        mine, theirs = (shape(common, "rest", copy.deepcopy(each)) for each in (one, other))
        differences = {it.part for it in shape_differences(common, mine, theirs)}
        assert differences <= {"*/id"}  # "1" and 1, which a tolerance accepts


@pytest.mark.parametrize(
    ("pairs", "tolerance"),
    [
        ([("7", 7), ("8", 8)], 0),
        ([(0.1, 0.10000000149), (3.0, 3.0000001)], pytest.approx(2e-7)),
        ([("2026-01-01T00:00:00Z", "2026-01-01T01:00:00+01:00")], "1ms"),
        ([("2026-01-01T00:00:00Z", "2026-01-01T00:00:00.5Z")], None),
        ([(7, 7), (7, 8)], None),
        ([(True, 1)], None),
        ([("a", "b")], None),
    ],
)
def test_a_tolerance_is_proposed_where_all_differences_are_of_spelling(
    pairs: list[tuple[object, object]], tolerance: object
) -> None:
    spelling = Spelling()
    propose(
        spelling, "rest", "grpc", "part", [ShapeDifference("part", "", *pair) for pair in pairs]
    )

    assert spelling.tolerance == ({} if tolerance is None else {"part": tolerance})


def test_a_proposed_tolerance_of_zero_is_written_and_accepts_a_number_as_text(
    tmp_path: Path,
) -> None:
    descriptions = {"rest": tmp_path / "openapi.yaml", "grpc": tmp_path / "items.proto"}
    for file in descriptions.values():
        shutil.copy(HERE / file.name, file)
    interfaces = [read_openapi(descriptions["rest"]), read_proto(descriptions["grpc"])]
    matches = match_offers([each.offers for each in interfaces])
    spelling = Spelling()
    propose(spelling, "rest", "grpc", "id", [ShapeDifference("id", "/id", "7", 7)])
    write_domain(
        tmp_path,
        "own",
        interfaces,
        descriptions,
        matches=[match for match in matches if match.name == "get_item"],
        addresses={},
        access=NO_OPTIONS,
        spellings={"get_item": spelling},
    )

    common = load_domain(tmp_path).operations["get_item"].common

    assert common.tolerance == {"id": 0.0}
    assert not list(shape_differences(common, {"id": "7"}, {"id": 7}))
    assert list(shape_differences(common, {"id": "7"}, {"id": 8}))
