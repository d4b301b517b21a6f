"""A finding is one line that a person can act on, however long the values are."""

from decimal import Decimal

import pytest
from pydantic import ValidationError

from tests.support.wording import assert_worded
from wirelab.errors import Log
from wirelab.verify.findings.finding import LONGEST_VALUE, Finding, Moment, brief
from wirelab.verify.findings.finding_reasons import Differs, Ended, FindingReason, NoReply

DIFFERS = Finding(
    severity="error",
    contender="rest-flask",
    operation="read",
    path="/name",
    reason=Differs(),
    expected="A",
    got="B",
)


def test_short_values_are_not_changed() -> None:
    assert brief({"a": [1, None]}, "text") == ({"a": [1, None]}, "text")
    assert brief(b"\xffab", Decimal("1E+400")) == ("�ab", "1E+400 (a number)")


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


@pytest.mark.parametrize(
    "facts",
    [
        {},
        {"expected": None, "times": 2, "calls": 3, "parameters": {"id": 7}},
        {"request": "GET /1", "also": ("/a", "/b"), "got": None, "steps": ("in step 2",)},
        {"reason": Ended(service="a", exit="code 1", remedy="rest"), "log": Log("l", "tail")},
        {"when": Moment(state="late", services=("a",)), "expected": None, "got": None},
    ],
    ids=["both values", "parameters", "request", "log", "moment"],
)
def test_a_finding_names_everything_in_one_line(facts: dict[str, object]) -> None:
    assert_worded(DIFFERS.model_copy(update=facts))


def test_a_finding_is_read_as_it_was_written_with_its_kind() -> None:
    finding = DIFFERS.model_copy(update={"reason": NoReply(detail="it is gone"), "times": 3})

    written = finding.model_dump(mode="json")

    assert written["reason"] == {"kind": "no reply", "detail": "it is gone", "to": ""}
    assert Finding.model_validate(written) == finding


def test_an_unknown_kind_is_an_error_that_names_the_known_ones() -> None:
    with pytest.raises(ValidationError, match=NoReply.kind):
        Finding.model_validate({"severity": "error", "reason": {"kind": "peculiar"}})


def test_each_kind_has_another_name() -> None:
    kinds = [each.kind for each in FindingReason.kinds()]

    assert len(set(kinds)) == len(kinds)


def test_findings_are_the_same_whatever_request_and_log_show_them() -> None:
    assert DIFFERS.model_copy(update={"log": Log("l"), "request": "GET /1"}) == DIFFERS
    assert DIFFERS.model_copy(update={"got": "C"}) != DIFFERS
