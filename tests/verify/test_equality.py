"""Equality without a reference: what is proved, what is not compared, and what proves nothing."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.compare.running import serving
from wirelab.commands.verify import verify_command
from wirelab.exit_codes import ExitCode

DOMAIN = """
name = "own"
title = "Own"
summary = "items"
parameters = "parameters.ndjson"

[operation.get_item]
summary = "one item"
effect = "read"
parameters = ["id"]
{common}

[operation.get_item.rest]
method = "GET"
path = "/items/{{id}}"

[operation.list_items]
summary = "items"
effect = "read"
parameters = ["limit"]

[operation.list_items.rest]
method = "GET"
path = "/items?limit={{limit}}"
"""
CONTENDER = """
stack = "found"
title = "Servers that run already"
"""
ENTRY = """
[contender.{name}]
title = "{name}"
protocol = "rest"
address = "http://{address}"
"""
NAMES = ("one", "other", "third")
Verify = Callable[..., tuple[ExitCode, str]]


@pytest.fixture
def verify(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Verify:
    """Return a function that verifies servers, and returns the code and what it said."""

    def carry_out(*servers: str, common: str = "") -> tuple[ExitCode, str]:
        manifest = tmp_path / "domain" / "contenders" / "found"
        manifest.mkdir(parents=True)
        (tmp_path / "domain" / "domain.toml").write_text(DOMAIN.format(common=common))
        named = zip(NAMES, servers, strict=False)
        entries = [ENTRY.format(name=name, address=address) for name, address in named]
        (manifest / "contender.toml").write_text("".join([CONTENDER, *entries]))
        rows = [{"operation": "get_item", "parameters": {"id": n}} for n in range(40)]
        rows += [{"operation": "list_items", "parameters": {"limit": n}} for n in range(1, 41)]
        lines = "".join(f"{json.dumps(row)}\n" for row in rows)
        (tmp_path / "domain" / "parameters.ndjson").write_text(lines)
        code = verify_command(
            str(tmp_path / "domain"),
            only=(),
            environment="native",
            seed=1,
            stores={},
            data=None,
            as_json=False,
        )
        said = capsys.readouterr()
        return code, " ".join((said.out + said.err).split())

    return carry_out


def test_equal_answers_are_equal(verify: Verify) -> None:
    with serving() as one, serving() as other:
        code, said = verify(one, other)

    assert code == ExitCode.OK
    assert "equal one: one" in said
    assert "equal other: other" in said
    assert "not compared" not in said


def test_a_difference_is_named_with_its_place_and_both_values(verify: Verify) -> None:
    with serving() as one, serving("wrong") as other:
        code, said = verify(one, other)

    assert code == ExitCode.VERIFY_FAILED
    assert "refused other: other" in said
    assert "other get_item /name: differs from the answer of one, in 30 of 30" in said
    assert "list_items" not in said.partition("refused other")[2]


def test_what_is_ignored_or_projected_away_does_not_differ(verify: Verify) -> None:
    with serving() as one, serving("wrong") as other:
        code, _ = verify(one, other, common='common = { ignored = ["name"] }')

    assert code == ExitCode.OK


def test_a_field_that_differs_between_two_calls_is_quarantined_and_named(verify: Verify) -> None:
    with serving("clock") as one, serving("clock") as other:
        code, said = verify(one, other)

    assert code == ExitCode.OK
    assert "differs between two answers to the same request: not compared: " in said
    assert "(get_item /asked_at" in said


def test_empty_answers_prove_nothing(verify: Verify) -> None:
    with serving("empty") as one, serving("empty") as other:
        code, said = verify(one, other)

    assert code == ExitCode.VERIFY_FAILED
    assert "list_items: all answers are empty: two empty answers are equal and prove" in said


@pytest.mark.parametrize(
    "ways",
    [("empty",), ("fails",), ("wrong", "limit=90")],
    ids=["empty", "fails", "wrong, and limited later"],
)
def test_a_server_that_is_refused_does_not_condemn_those_after_it(
    verify: Verify, ways: tuple[str, ...]
) -> None:
    with serving(*ways) as one, serving() as other, serving() as third:
        code, said = verify(one, other, third)

    assert code == ExitCode.VERIFY_FAILED
    assert "refused one: one" in said
    assert "equal other: other" in said
    assert "equal third: third" in said


def test_an_order_of_its_own_differs_unless_it_is_declared(verify: Verify) -> None:
    with serving() as one, serving("reversed") as other:
        code, said = verify(one, other)

    assert code == ExitCode.VERIFY_FAILED
    assert "list_items" in said


def test_one_server_alone_proves_nothing(verify: Verify) -> None:
    with serving() as one:
        code, said = verify(one, "localhost:9")

    assert code == ExitCode.NOT_READY
    assert "nothing was proved: without a reference it takes two contenders to compare" in said
