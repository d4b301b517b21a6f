"""A refused contender is reported with its workload, the path, and both values."""

from typing import Any

import pytest

from tests.study.builder import minimal, study_of
from tests.support.wording import assert_worded
from wirelab.analysis.answers.refused_contenders import answers_differ, refusals
from wirelab.verify import Finding
from wirelab.verify.findings.equality_reasons import DiffersFromOthers
from wirelab.verify.findings.finding_reasons import Differs, Ended


def differs(*others: str) -> DiffersFromOthers:
    return DiffersFromOthers(others=others, differing=3, compared=30)


def finding(**facts: Any) -> Finding:
    usual = {"severity": "error", "contender": "grpc", "operation": "read", "expected": "Ann"}
    return Finding(**{"reason": differs("rest"), **usual, **facts})


def reported(*findings: Finding, **changes: Any) -> tuple[str, ...]:
    return refusals(study_of(minimal(**changes)), findings)


def test_answers_that_differ_are_reported_with_both_values() -> None:
    found = (
        finding(path="/name"),
        finding(severity="note"),
        finding(expected=[1], got={"é": 2}),
        finding(path="/name", reason=differs("rest", "soap", "graphql")),
    )

    assert_worded("\n".join(reported(*found)))


def test_the_workload_is_named_if_it_is_known_or_the_only_one() -> None:
    one, ten = (
        {"title": f"fetch {n}", "operation": "read", "state": "hundred"} for n in ("one", "ten")
    )
    workloads = {"one": one, "ten": ten}
    ended = finding(reason=Ended(service="", exit="exit code 1"))

    assert reported(ended) == (f"fetch: grpc: {ended.reason}",)
    of_ten = ended.model_copy(update={"workload": "ten"})
    assert reported(of_ten, workload=workloads) == (f"fetch ten: grpc: {ended.reason}",)
    assert reported(ended, workload=workloads) == (f"read: grpc: {ended.reason}",)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (finding(), True),
        (finding(severity="warning"), False),
        (finding(reason=Differs()), False),
    ],
)
def test_answers_differ_if_a_contender_is_refused_for_another_answer(
    found: Finding, expected: bool
) -> None:
    assert answers_differ([found]) is expected
