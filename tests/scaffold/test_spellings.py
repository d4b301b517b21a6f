"""What protocols spell in their own ways, and how `wirelab init` proposes to compare it."""

import copy
import json
import shutil
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.compare.running import HERE, OPENAPI, serving
from tests.support.scaffolding import scaffold
from tests.support.verification import verify_domain
from wirelab.domain.model import Common
from wirelab.domain_file import load_domain
from wirelab.scaffold.access import NO_OPTIONS
from wirelab.scaffold.descriptions.openapi import read_openapi
from wirelab.scaffold.descriptions.proto import read_proto
from wirelab.scaffold.matching import match_offers
from wirelab.scaffold.merging import operation_table
from wirelab.scaffold.querying.agreeing import Spelling, propose, propose_spelling
from wirelab.scaffold.querying.ordering import find_orders
from wirelab.scaffold.querying.repeating import Answered
from wirelab.scaffold.toml_text import toml_text
from wirelab.scaffold.writing import write_domain
from wirelab.terminal.exit_codes import ExitCode
from wirelab.verify.equality.common_shape import ShapeDifference, shape, shape_differences


def test_values_that_protocols_spell_differently_are_compared_by_their_meaning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """JSON has null where proto3 has an empty text, and rounds; a real difference stays one."""
    api = tmp_path / "api.yaml"
    named = "name: { type: string }\n        display_name: { type: string, nullable: true }"
    api.write_text(OPENAPI.read_text().replace("name: { type: string }", named))
    with serving("otherwise") as rest, serving("wrong", program="grpc_server.py") as grpc:
        scaffold(
            tmp_path / "own",
            {"rest": str(api), "grpc": "reflection"},
            {"rest": f"http://{rest}", "grpc": f"grpc://{grpc}"},
            as_json=True,
        )
    output = json.loads(capsys.readouterr().out)
    written = tomllib.loads((tmp_path / "own" / "domain" / "domain.toml").read_text())
    common = written["operation"]["get_item"]["common"]

    assert "display_name: not_null(display_name, '')" in common["project"]["rest"]
    assert "not_null" not in common["project"]["grpc"]
    assert "tolerance" not in common  # of the wrong server's one price, which is no rounding
    assert any("display_name is null" in note for note in output["notes"])


def test_lists_in_different_orders_are_compared_sorted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving("reversed") as rest, serving(program="grpc_server.py") as grpc:
        scaffold(
            tmp_path / "own",
            {"rest": str(OPENAPI), "grpc": "reflection"},
            {"rest": f"http://{rest}", "grpc": f"grpc://{grpc}"},
            as_json=True,
        )
        output = json.loads(capsys.readouterr().out)
        code = verify_domain(tmp_path / "own" / "domain")
    operations = load_domain(str(tmp_path / "own" / "domain")).operations

    assert operations["list_items"].common.ordered == {"": "id"}
    assert operations["get_item"].common.ordered == {}
    note = "list_items: the list is in different orders, and compared sorted by id"
    assert note in output["notes"]
    assert code == ExitCode.OK


@pytest.mark.parametrize("way", ["clock", "clock=1000000000"], ids=["nanoseconds", "seconds"])
def test_parts_that_differ_between_two_answers_of_one_server_are_ignored_with_the_reason(
    way: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A time in seconds does, too: both questions are more than a second apart."""
    with serving(way) as rest:
        scaffold(tmp_path / "own", {"rest": str(OPENAPI)}, {"rest": f"http://{rest}"}, as_json=True)
    output = json.loads(capsys.readouterr().out)
    text = (tmp_path / "own" / "domain" / "domain.toml").read_text()
    operations = load_domain(str(tmp_path / "own" / "domain")).operations

    reason = "asked_at differs between two answers to the same request over rest"
    assert operations["get_item"].common == Common(ignored=("asked_at",))
    assert operations["list_items"].common == Common()
    assert f'[operation.get_item.common]\n# {reason}\nignored = ["asked_at"]\n' in text
    assert f"get_item: {reason}, and is ignored" in output["notes"]


Give = Callable[[int], dict[str, object]]
"""Returns what a server answers to the request of a number."""


def answered(rest: Give, grpc: Give, times: int = 2) -> list[Answered]:
    """Return the answers of two servers to the same request, several times."""
    return [
        {"rest": [rest(n) for n in range(times)], "grpc": [grpc(n) for n in range(times)]}
        for _ in range(3)
    ]


def test_a_part_that_varies_is_not_another_spelling() -> None:
    """The price of one server is rounded. The request's id differs each time, as do both orders."""
    found = propose_spelling(
        Common(),
        answered(
            lambda n: {"id": f"request {n}", "price": 0.1, "tags": ["a", "b"][:: 1 - 2 * n]},
            lambda n: {"id": f"call {n}", "price": 0.10000000149, "tags": ["b", "a"]},
        ),
    )

    assert found.varying == {"id": ["rest", "grpc"]}
    assert found.ordered == {"tags": "@"}
    assert set(found.tolerance) == {"price"}


def test_nothing_is_ignored_if_no_other_part_remains() -> None:
    """Verification names such an operation."""
    found = propose_spelling(Common(), answered(lambda n: {"at": n}, lambda n: {"at": n + 7}))

    assert found.varying == {}


@pytest.mark.parametrize("name", ["a\x1bb", "two\nlines", "tab\t", "\u2028"])
def test_the_reason_is_a_comment_whatever_the_name_of_the_part(name: str, tmp_path: Path) -> None:
    found = propose_spelling(
        Common(), answered(lambda n: {"a": 1, name: n}, lambda n: {"a": 1, name: 5})
    )
    match = match_offers([read_openapi(OPENAPI).offers])[0]
    table, _ = operation_table(match, found)
    read = tomllib.loads(toml_text({"operation": {"one": table}}, inline_from=3))

    assert read["operation"]["one"]["common"] == {"ignored": [name]}


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
def test_an_order_is_proposed_if_lists_differ_only_in_it(
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
def test_a_tolerance_is_proposed_if_all_differences_are_of_spelling(
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
