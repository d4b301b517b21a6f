"""A finding is one line that a person can act on, however long the values are."""

import json
from dataclasses import asdict, replace
from decimal import Decimal

import pytest

from wirelab.verify.findings import LONGEST_VALUE, Finding, brief, grouped, remarks_by_reason


def test_short_values_are_not_changed() -> None:
    assert brief({"a": [1, None]}, "text") == ({"a": [1, None]}, "text")
    assert brief(b"\xffab", Decimal("1.5")) == ("�ab", "1.5")


@pytest.mark.parametrize("place", [0, 50, 1000, 4999])
def test_long_values_are_cut_around_their_first_difference(place: int) -> None:
    one = "x" * place + "A" + "x" * (5000 - place)
    two = "x" * place + "B" + "x" * (5000 - place)
    expected, got = brief(one, two)

    assert isinstance(expected, str)
    assert isinstance(got, str)
    assert "A" in expected
    assert "B" in got
    assert len(expected) <= LONGEST_VALUE + 2
    assert expected.index("A") == got.index("B")


def test_a_long_value_beside_a_short_one() -> None:
    expected, got = brief(["x" * 1000], None)

    assert isinstance(expected, str)
    assert expected.startswith('["xxx')
    assert expected.endswith("…")
    assert got == "null"


def test_a_finding_names_everything_in_one_line() -> None:
    finding = Finding("error", "rest-flask", "read", "/name", "the answer differs", "A", "B")

    assert str(finding) == "rest-flask read /name: the answer differs; expected 'A', got 'B'"
    assert json.loads(json.dumps(asdict(finding)))["path"] == "/name"


def test_calls_that_differ_alike_are_one_finding_with_the_parameters_of_the_first() -> None:
    differs = [
        Finding(
            *("error", "grpc-c", "list", f"/{number}/weight", "the answer differs"),
            *(number, -number, ""),
            parameters={"limit": number},
        )
        for number in (7, 8, 9)
    ]
    other = Finding("error", "grpc-c", "list", "", "no reply", parameters={"text": "x" * 99})

    one, two = grouped([*differs, other], {"list": 5})

    assert str(one) == (
        "grpc-c list /*/weight: the answer differs in 3 of 5 calls; first: limit = 7, "
        "expected 7, got -7"
    )
    assert str(two).startswith("grpc-c list: no reply; text = 'xxx")
    assert str(two).endswith("x…")
    assert json.loads(json.dumps(asdict(one)))["parameters"] == {"limit": 7}


def test_what_else_differs_is_named_once_for_all_calls() -> None:
    also = [f"/0/{name}" for name in "bcdefg"]
    first = Finding("error", "rest", "list", "/0/a", "it differs", 1, 2, also=tuple(also))
    other = replace(first, path="/1/a", also=("/1/b",))

    (merged,) = grouped([first, other], {"list": 2})

    shown = "also different: /*/b; /*/c; /*/d; /*/e; and 2 more"
    assert str(merged).endswith(f"in 2 of 2 calls; first: expected 1, got 2; {shown}")
    assert str(replace(first, also=("/0/b",))).endswith("got 2; also different: /0/b")


def test_steps_of_sequences_that_differ_as_other_calls_do_are_one_finding_with_them() -> None:
    call = Finding("error", "rest", "read", "/name", "the answer differs", "A", "B")
    steps = [
        replace(call, expected=name, steps=(f"in sequence {name}, step 2",), log=f"log {name}")
        for name in ("life", "login")
    ]
    calls = {"read": 7}

    assert [str(each) for each in grouped([*steps, call], calls)] == [
        "rest read /name: the answer differs in 3 of 7 calls, also in sequence life, step 2 and in"
        " sequence login, step 2; first: expected 'A', got 'B'; log life"
    ]
    assert [str(each) for each in grouped(steps, calls)] == [
        f"rest read /name: in sequence {name}, step 2: the answer differs; expected '{name}', got"
        f" 'B'; log {name}"
        for name in ("life", "login")
    ]


def test_remarks_for_the_same_reason_are_one_line() -> None:
    lacking = [
        Finding("note", contender, operation, "", "not bound to rest", operation, None)
        for contender in ("rest-a", "rest-b")
        for operation in ("login", "watch")
    ]
    lacking += lacking[:1]
    as_root = [Finding("warning", name, "", "", "runs as root") for name in ("rest-a", "grpc-c")]
    alone = Finding("warning", "grpc-c", "login", "/id", "another order", 1, 2)
    refused = Finding("error", "grpc-c", "login", "", "not bound to rest")

    assert remarks_by_reason([*lacking, *as_root, alone, refused]) == [
        "not bound to rest: rest-a and rest-b (login and watch)",
        "runs as root: rest-a and grpc-c",
        "grpc-c login /id: another order; expected 1, got 2",
    ]


def test_a_value_that_is_missing_is_named_so() -> None:
    extra = Finding("error", "rest", "read", "/version", "the answer differs", None, 1)
    missing = Finding("error", "rest", "read", "/name", "the answer differs", "Oberon", None)

    assert str(extra) == "rest read /version: the answer differs; expected no value, got 1"
    assert str(missing) == "rest read /name: the answer differs; expected 'Oberon', got no value"
