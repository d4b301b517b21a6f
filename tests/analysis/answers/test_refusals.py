"""A refused contender is reported with its workload, the path, and both values."""

from typing import Any

import pytest

from tests.study.builder import minimal, study_of
from wirelab.analysis.answers.refusals import answers_differ, refusals
from wirelab.bundle import Finding

DIFFERS = "differs from the answer of rest, in 3 of 30 parameter sets"


def finding(**values: Any) -> Finding:
    return Finding(
        **{
            "severity": "error",
            "contender": "grpc",
            "operation": "read",
            "reason": DIFFERS,
            "expected": "Ann",
            "got": None,
            **values,
        }
    )


def reported(*findings: Finding, **changes: Any) -> tuple[str, ...]:
    return refusals(study_of(minimal(**changes)), findings)


def test_differing_answers_are_reported_with_both_values() -> None:
    assert reported(finding(path="/name"), finding(severity="note")) == (
        'fetch: the value at /name is "Ann" from rest and null from grpc,'
        " in 3 of 30 parameter sets",
    )
    assert reported(finding(expected=[1], got={"é": 2})) == (
        'fetch: the answer is [1] from rest and {"é": 2} from grpc, in 3 of 30 parameter sets',
    )


def test_a_difference_from_several_contenders_is_one_sentence() -> None:
    several = DIFFERS.replace("answer of rest", "answers of rest, soap and graphql")

    assert reported(finding(path="/name", reason=several)) == (
        'fetch: the value at /name is "Ann" from rest, soap and graphql, and null from grpc,'
        " in 3 of 30 parameter sets",
    )


def test_another_reason_is_reported_unchanged() -> None:
    reason = "ended with exit code 1"

    assert reported(finding(reason=reason)) == (f"fetch: grpc: {reason}",)
    assert reported(finding(reason=reason, operation="search")) == (f"search: grpc: {reason}",)


def test_the_workload_is_named_if_it_is_known_or_the_only_one() -> None:
    one, ten = (
        {"title": f"fetch {n}", "operation": "read", "state": "hundred"} for n in ("one", "ten")
    )
    workloads = {"one": one, "ten": ten}
    reason = "the reference refuses parameters"

    assert reported(finding(reason=reason, workload="ten"), workload=workloads) == (
        f"fetch ten: grpc: {reason}",
    )
    assert reported(finding(reason=reason), workload=workloads) == (f"read: grpc: {reason}",)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (finding(), True),
        (finding(severity="warning"), False),
        (finding(reason="the answer differs from the reference"), False),
    ],
)
def test_answers_differ_if_a_contender_is_refused_for_another_answer(
    found: Finding, expected: bool
) -> None:
    assert answers_differ([found]) is expected
