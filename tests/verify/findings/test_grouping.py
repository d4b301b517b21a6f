"""Findings of calls, and of contenders, that are alike are reported once."""

from typing import Any

import pytest

from tests.support.wording import assert_worded
from wirelab.errors import Log
from wirelab.verify import Finding
from wirelab.verify.findings.finding_reasons import (
    Differs,
    Exposed,
    MishandledMalformed,
    NoReply,
    NotBound,
    WronglyAnswered,
    WronglyRefused,
)
from wirelab.verify.findings.grouping import grouped, remarks_by_reason, shared_difference

BOTH = ("rest-a", "grpc-b")


def finding(contender: str = "rest-a", **facts: Any) -> Finding:
    usual = {"severity": "error", "operation": "read", "reason": Differs()}
    return Finding(contender=contender, **{**usual, **facts})


ONE = finding(path="/name", expected="A", got="B", request="GET /items/1")
OTHER = finding("grpc-b", path="/name", expected="A", got="B")


# -- calls ---------------------------------------------------------------------------------------


def test_calls_that_differ_alike_are_one_finding_with_the_facts_of_the_first() -> None:
    differs = [
        finding(path=f"/{n}/weight", expected=n, got=-n, parameters={"limit": n}) for n in (7, 8, 9)
    ]
    other = finding(reason=NoReply())

    one, two = grouped([*differs, other], {"read": 5})

    assert (one.path, one.times, one.calls) == ("/*/weight", 3, 5)
    assert (one.expected, one.got, one.parameters) == (7, -7, {"limit": 7})
    assert (two.reason, two.times) == (NoReply(), 1)


def test_what_else_differs_is_named_once_for_all_calls() -> None:
    first = finding(path="/0/a", also=("/0/b", "/0/c"))

    (merged,) = grouped([first, finding(path="/1/a", also=("/1/b",))], {})

    assert merged.also == ("/*/b", "/*/c")


def test_steps_of_sequences_are_one_finding_with_other_calls_but_not_with_each_other() -> None:
    steps = [finding(steps=(f"step of {name}",), log=Log(name)) for name in ("life", "login")]

    (whole,) = grouped([*steps, finding()], {"read": 7})

    assert (whole.times, whole.steps) == (3, ("step of life", "step of login"))
    assert whole.log == Log("life")
    assert [each.steps for each in grouped(steps, {})] == [each.steps for each in steps]


# -- contenders ----------------------------------------------------------------------------------


def test_remarks_for_the_same_reason_are_one_line_and_errors_are_left_out() -> None:
    lacking = [
        finding(who, severity="note", operation=operation, reason=NotBound(protocol="rest"))
        for who in ("rest-a", "rest-b")
        for operation in ("login", "watch")
    ]
    root = Exposed(services=(), exposure="runs as root")
    as_root = [finding(who, severity="warning", operation="", reason=root) for who in BOTH]
    alone = finding(severity="warning", path="/id", expected=1, got=2)

    *grouped_lines, last = remarks_by_reason([*lacking, lacking[0], *as_root, alone, finding()])

    assert_worded("\n".join(grouped_lines))
    assert last == str(alone)


def test_an_answer_that_all_contenders_share_is_named_with_its_operation() -> None:
    third = finding("soap-c", path="/name", expected="A", got="B")

    assert_worded(shared_difference([ONE, OTHER], BOTH))
    assert_worded(shared_difference([ONE, OTHER, third], (*BOTH, "soap-c")))


@pytest.mark.parametrize(
    ("findings", "contenders"),
    [
        ([ONE, OTHER.model_copy(update={"got": "C"})], BOTH),  # two different answers
        ([ONE, OTHER], (*BOTH, "soap-c")),  # one agrees with the reference
        ([ONE], ("rest-a",)),
        ([finding(who, reason=WronglyRefused(refusal="internal")) for who in BOTH], BOTH),
        ([finding(who, reason=MishandledMalformed(what="no JSON")) for who in BOTH], BOTH),
    ],
)
def test_a_difference_that_is_not_shared_says_nothing_about_the_reference(
    findings: list[Finding], contenders: tuple[str, ...]
) -> None:
    assert shared_difference(findings, contenders) == ""


def test_refusals_of_one_kind_are_alike_whatever_their_texts() -> None:
    refused = WronglyRefused(refusal="not_found")
    findings = [finding(who, reason=refused, got=who, steps=("a step",)) for who in BOTH]
    answered = [finding(who, reason=WronglyAnswered(), got=1) for who in BOTH]

    assert shared_difference(findings, BOTH)
    assert shared_difference(answered, BOTH)
