"""After any fault, nothing is lost, left over or silent, and the study can be resumed."""

from pathlib import Path

import pytest

from tests.faults.case import Result, isolated, why_not_here
from tests.faults.matrix import Case, Fault, Phase, Target, all_cases
from tests.faults.results import keep, oldest_first, page, read_kept, table
from tests.faults.worlds import copy_world, why_not
from wirelab.planning.plan import plan_study

FEW = (
    Case(Target.STORE, Fault.SIGKILL, Phase.WINDOW),
    Case(Target.STORES_GUARD, Fault.SIGKILL, Phase.BETWEEN),
    Case(Target.LAB, Fault.SIGTERM, Phase.SEALING),
    Case(Target.LAB, Fault.DISK_FULL, Phase.WINDOW),
)
"""One case of each kind, for every change; all others take up to six hours."""

HERE = why_not_here()


def hold(case: Case) -> None:
    if reason := why_not(case):
        pytest.skip(reason)

    result = isolated(case)

    assert result.findings == [], result.output


@pytest.mark.slow
@pytest.mark.skipif(bool(HERE), reason=HERE)
@pytest.mark.parametrize("case", FEW, ids=str)
def test_a_few_faults(case: Case) -> None:
    hold(case)


@pytest.mark.thorough(reason="takes six hours")
@pytest.mark.skipif(bool(HERE), reason=HERE)
@pytest.mark.parametrize("case", [case for case in all_cases() if case not in FEW], ids=str)
def test_every_other_fault(case: Case) -> None:
    hold(case)


def test_cases_are_unique_and_contain_the_few() -> None:
    cases = all_cases()

    assert len({str(case) for case in cases}) == len(cases) >= 300
    assert set(FEW) <= set(cases)


def test_every_result_that_is_kept_is_of_a_case() -> None:
    assert set(read_kept()) <= {str(case) for case in all_cases()}


def test_worlds_have_the_prerequisites_of_their_cases(tmp_path: Path) -> None:
    for case in {(case.world, case.design): case for case in all_cases()}.values():
        study = copy_world(case.world, tmp_path / str(case))

        assert plan_study(study, case.design, 1, unavailable=lambda *_: {}).schedule.runs, case


def test_results_are_kept_until_their_cases_are_tried_again(tmp_path: Path) -> None:
    first, second, third, *_ = all_cases()
    kept = tmp_path / "results.json"
    bad = Result(str(first), day="2026-01-01", findings=[("hang", "first")], output="much")
    keep([bad, Result(str(second), day="2026-01-02")], kept)

    assert oldest_first([second, first, third], read_kept(kept)) == [third, first, second]

    keep([Result(str(first), day="2026-01-03")], kept)
    results = read_kept(kept)

    assert results[str(first)].findings == []
    assert oldest_first([first, second], results) == [second, first]


def test_the_page_states_findings_and_untried_cases() -> None:
    first, second, third, *_, last = cases = all_cases()
    found = [("lost", "block-1/1/x"), ("lost", "y"), ("hang", "first")]
    bad = Result(str(second), day="2026-01-02", findings=found)
    results = {str(first): Result(str(first), day="2026-01-01"), str(second): bad}

    text = page(cases, results, {str(last): "no FerretDB"})

    assert f"2 of the {len(cases)} cases" in text
    assert "(1 on 2026-01-01, 1 on 2026-01-02)" in text
    assert f"* **{second}** (2026-01-02): lost: block-1/1/x; lost: y; " in text
    assert f"* {third.target}, {third.fault}: {third.phase}\n" in text
    assert f"* {last.target}, {last.fault}, {last.world}: {last.phase} (no FerretDB)\n" in text
    assert "| all | 2 | 1 | 0 | 0 | 1 | 0 | 0 | 0 | 0 |" in table(cases, results)
