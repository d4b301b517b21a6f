"""The shipped study lingbm-2022: its workloads, its experiments, its claims."""

from collections import Counter

import pytest

from wirelab.claims import ClaimVerdict, Evidence, check
from wirelab.domain import load_domain
from wirelab.experiment import plan_study
from wirelab.lab.contender import load_contenders
from wirelab.schedule import schedule
from wirelab.statistics import MINIMUM_BLOCKS
from wirelab.study import ClosedLoad, Study, check_against, family, load_study
from wirelab.study.claim import Qualitative

TEMPLATES = [f"qt{number}" for number in range(1, 17)]
VARIANTS = {
    "graphql-node-naive",
    "graphql-node-caching",
    "graphql-node-batching",
    "graphql-node-batching-caching",
}


@pytest.fixture(scope="module")
def study() -> Study:
    return load_study("lingbm-2022")


def test_domain_and_contenders_have_all_that_it_names(study: Study) -> None:
    domain = load_domain(study.domain)

    assert check_against(study, domain, load_contenders(domain)) == []


def test_the_templates_are_instances_with_literals_as_the_original_sends_them(
    study: Study,
) -> None:
    for name in TEMPLATES:
        workload = study.workloads[name]
        assert (workload.operation, workload.instances, workload.inline) == (name, True, True)


def test_smoke_measures_all_templates_and_four_variants_mixed_in_ten_minutes(
    study: Study,
) -> None:
    plan = schedule(study, "smoke", 1)
    measured = Counter(cell.workload for cell in plan.cells if not cell.twin)

    assert plan.blocks >= MINIMUM_BLOCKS
    assert measured == {"mixed": 4} | dict.fromkeys(TEMPLATES, 3)
    assert {cell.contender for cell in plan.cells} == VARIANTS
    assert plan.estimated_seconds < 600
    assert family(study, plan.cells)


def test_the_mixed_workload_has_a_hundred_queries_of_each_template(study: Study) -> None:
    as_published = study.in_design("paper")

    assert as_published.parts("mixed") == dict.fromkeys(TEMPLATES, 100)
    assert as_published.workloads["qt1"].parameter_sets == 5000
    assert study.in_design("smoke").parts("mixed") == dict.fromkeys(TEMPLATES, 5)


def test_the_published_design_has_the_windows_and_sizes_of_the_paper(study: Study) -> None:
    design = study.designs["paper"]
    plan = schedule(study, "paper", 1)
    windows = {cell.workload: design.at(cell).window.seconds for cell in plan.cells}

    assert windows["mixed"] == 600
    assert {seconds for name, seconds in windows.items() if name != "mixed"} == {60}
    states = {name: study.in_design("paper").workloads[name].state for name in study.workloads}
    assert states["qt5"] == states["qt5_small"] == "scale_100"
    assert (states["qt5_medium"], states["qt5_large"]) == ("scale_125", "scale_150")


def test_clients_and_pools_are_those_of_the_paper(study: Study) -> None:
    plan = schedule(study, "paper-clients", 1)
    loads = [study.loads[name] for name in dict.fromkeys(cell.load for cell in plan.cells)]
    clients = sorted(load.clients for load in loads if isinstance(load, ClosedLoad))

    assert clients == [1, 2, 3, 4, 5, 10, 15, 20, 30, 40, 50]
    assert {cell.workload for cell in plan.cells} == {"qt3", "qt5", "qt11"}
    pools = {cell.contender for cell in plan.cells if "pool" in cell.contender}
    assert len(pools) == 3


def test_every_claim_is_tested_by_the_lab(study: Study) -> None:
    cells = schedule(study, "lab", 1).cells
    for name, claim in study.claims.claims.items():
        for expectation in claim.expect:
            assert not isinstance(expectation, Qualitative)
            assert any(cell.matches(expectation.where) for cell in cells), name


def test_the_lab_measures_all_that_its_claims_compare(study: Study) -> None:
    plan = schedule(study, "lab", 1)
    somehow = {block: 100.0 + block % 3 for block in range(1, 7)}
    evidence = Evidence.of(plan, lambda _metric, cell: somehow if cell in plan.cells else {})
    for name, claim in study.claims.claims.items():
        for test in check(name, claim, evidence).tests:
            assert test.cells, (name, test.expected)
            assert set(test.cells) <= set(plan.cells), (name, test.expected)


def test_without_a_hasura_its_claim_says_why_nothing_can_be_told(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("UNIVERSITY_HASURA_URL", raising=False)
    plan = plan_study("lingbm-2022", "lab", 1).schedule
    reason = "UNIVERSITY_HASURA_URL is not set"

    result = check("L10", study.claims.claims["L10"], Evidence.of(plan, lambda _metric, _cell: {}))

    assert result.verdict is ClaimVerdict.CANNOT_TELL
    assert f"no graphql-hasura ({reason})" in result.sentence


def test_every_chart_shows_something_of_the_lab_or_of_the_choke_points(study: Study) -> None:
    cells = [cell for name in ("lab", "choke-points") for cell in schedule(study, name, 1).cells]
    for chart in study.charts:
        assert any(cell.matches(chart.where) for cell in cells), chart.source


@pytest.mark.parametrize("name", ["smoke", "lab"])
def test_one_client_sends_every_query_equally_often_whoever_answers(
    study: Study, name: str
) -> None:
    design = study.designs[name]
    for cell in schedule(study, name, 1).cells:
        window = design.at(cell).window
        assert (window.repetitions is not None) == (cell.load == "one-client")
        assert (window.seconds is None) == (cell.load == "one-client")


def test_the_lab_takes_half_an_hour_at_most() -> None:
    plan = plan_study("lingbm-2022", "lab", 1).schedule

    assert plan.blocks >= MINIMUM_BLOCKS
    assert plan.estimated_seconds < 1800
