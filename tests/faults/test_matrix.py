"""Whatever goes wrong and when: nothing is lost, left over or silent, and the study can go on."""

import pytest

from tests.faults.case import Result, isolated, why_not_here
from tests.faults.matrix import Case, Fault, Phase, Target, all_cases
from tests.faults.results import page, table

FEW = (
    Case(Target.STORE, Fault.SIGKILL, Phase.WINDOW),
    Case(Target.STORES_GUARD, Fault.SIGKILL, Phase.BETWEEN),
    Case(Target.LAB, Fault.SIGTERM, Phase.SEALING),
    Case(Target.LAB, Fault.DISK_FULL, Phase.WINDOW),
)
"""One of each sort, for every change; all others take an hour."""

HERE = why_not_here()


def hold(case: Case) -> None:
    result = isolated(case)

    assert result.findings == [], result.said


@pytest.mark.slow
@pytest.mark.skipif(bool(HERE), reason=HERE)
@pytest.mark.parametrize("case", FEW, ids=str)
def test_a_few_faults(case: Case) -> None:
    hold(case)


@pytest.mark.thorough(reason="an hour; `make faults` prints a table")
@pytest.mark.skipif(bool(HERE), reason=HERE)
@pytest.mark.parametrize("case", [case for case in all_cases() if case not in FEW], ids=str)
def test_every_other_fault(case: Case) -> None:
    hold(case)


def test_no_case_is_there_twice_and_the_few_are_among_them() -> None:
    cases = all_cases()

    assert len(cases) == len(set(cases))
    assert set(FEW) <= set(cases)


def test_the_page_tells_findings_and_what_was_not_tried() -> None:
    first, second, third, *_ = cases = all_cases()
    bad = Result(str(second), findings=[("lost", "block-1/1/x"), ("lost", "y"), ("hang", "first")])
    results = {str(first): Result(str(first)), str(second): bad}

    text = page(cases, results)

    assert f"2 of the {len(cases)} cases" in text
    assert f"* **{second}**: lost: block-1/1/x; lost: y; hang: first" in text
    assert f"* {third.target}, {third.fault}: {third.phase}\n" in text
    assert "| all | 2 | 1 | 0 | 0 | 1 | 0 | 0 | 0 |" in table(cases, results)
