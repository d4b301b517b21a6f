"""The shipped study lingbm-2022: its workloads, its experiments, its claims."""

import itertools
from collections import Counter

import pytest

from wirelab.claims import ClaimEvidence, ClaimVerdict, check
from wirelab.planning.plan import plan_study
from wirelab.planning.schedule import schedule
from wirelab.study import ClosedLoad, Study, Window, load_study

TEMPLATES = [f"qt{number}" for number in range(1, 17)]
SMOKE_TEMPLATES = [f"qt{number}" for number in (1, 2, 4, 5, 7, 9, 12, 13)]
CLIENTS = (1, 2, 3, 4, 5, 10, 15, 20, 30, 40, 50)
VARIANTS = {
    "graphql-node-naive",
    "graphql-node-caching",
    "graphql-node-batching",
    "graphql-node-batching-caching",
}


@pytest.fixture(scope="module")
def study() -> Study:
    return load_study("lingbm-2022")


def test_the_templates_are_instances_with_literals_as_the_original_sends_them(
    study: Study,
) -> None:
    for name in TEMPLATES:
        workload = study.workloads[name]
        assert (workload.operation, workload.instances, workload.inline) == (name, True, True)


def test_smoke_measures_half_the_templates_and_four_variants_mixed(study: Study) -> None:
    cells = schedule(study, "smoke", 1).cells
    measured = Counter(cell.workload for cell in cells if not cell.twin)

    assert measured == {"mixed": 4} | dict.fromkeys(SMOKE_TEMPLATES, 3)
    assert {cell.contender for cell in cells} == VARIANTS


def test_the_mixed_workload_has_a_hundred_queries_of_each_template(study: Study) -> None:
    as_published = study.in_design("paper")

    assert as_published.parts("mixed") == dict.fromkeys(TEMPLATES, 100)
    assert as_published.workloads["qt1"].parameter_sets == 5000
    assert study.in_design("smoke").parts("mixed") == dict.fromkeys(TEMPLATES, 5)


def test_a_block_sends_no_instance_twice(study: Study) -> None:
    design, filled = study.designs["replication"], study.in_design("replication")
    cells = [cell for cell in schedule(study, "replication", 1).cells if cell.load == "one-client"]
    templates = [cell for cell in cells if not cell.workload.endswith("_clients")]

    for cell in templates:
        here = design.at(cell)
        sent = here.warm_up.transactions + here.slices.permutations * here.slices.transactions
        workload = filled.workloads[cell.workload]
        assert here.slices.milliseconds <= 1 or workload.mix  # the count decides, not the time
        assert sent <= workload.parameter_sets or workload.mix, cell

    assert {filled.workloads[name].parameter_sets for name in ("qt1", "qt5")} == {420, 70}


def test_the_published_design_has_the_windows_and_sizes_of_the_paper(study: Study) -> None:
    design = study.designs["paper"]
    plan = schedule(study, "paper", 1)
    assert all(design.at(cell).separate for cell in plan.cells)
    windows = {cell.workload: (design.at(cell).window or Window()).seconds for cell in plan.cells}

    mixed = {"mixed": 600.0, "mixed_again": 600.0}
    assert windows == dict.fromkeys(windows, 60.0) | mixed
    states = {name: study.in_design("paper").workloads[name].state for name in study.workloads}
    assert states["qt5"] == states["qt5_small"] == "scale_100"
    assert (states["qt5_medium"], states["qt5_large"]) == ("scale_125", "scale_150")


def test_clients_and_pools_are_those_of_the_paper(study: Study) -> None:
    cells = schedule(study, "paper", 1).cells
    measured: dict[tuple[str, str], set[int]] = {}
    for cell in cells:
        load = study.loads[cell.load]
        if cell.workload.endswith("_clients") and isinstance(load, ClosedLoad):
            measured.setdefault((cell.workload, cell.contender), set()).add(load.clients)

    for workload in ("qt3_clients", "qt5_clients", "qt11_clients"):
        for contender in ("graphql-node-naive", "graphql-node-batching"):
            assert measured.pop((workload, contender)) == set(CLIENTS)
    assert set(measured) == {
        ("qt5_clients", f"graphql-node-batching-pool-{size}") for size in (2, 5, 20)
    }
    assert all(clients >= set(CLIENTS) for clients in measured.values())


def test_the_replication_measures_every_template_with_every_variant(study: Study) -> None:
    cells = schedule(study, "replication", 1).cells

    measured = {(cell.workload, cell.contender) for cell in cells if cell.load == "one-client"}
    assert measured >= set(itertools.product(TEMPLATES, VARIANTS))


def test_clients_that_the_replication_compares_are_measured_in_one_block(study: Study) -> None:
    plan = schedule(study, "replication", 1)
    groups = {block.group: set(block.cells) for block in plan.blocks}

    (qt3,) = (cells for name, cells in groups.items() if name == "qt3_clients")
    assert {cell.load for cell in qt3} > {"one-client", "two-clients", "three-clients"}
    assert len({cell.contender for cell in qt3}) == 2


def test_without_a_hasura_its_claim_has_the_reason_why_it_was_not_measured(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("UNIVERSITY_HASURA_URL", raising=False)
    plan = plan_study("lingbm-2022", "replication", 1).schedule
    reason = "UNIVERSITY_HASURA_URL is not set"

    result = check(
        "L10",
        study.claims.claims["L10"],
        ClaimEvidence.from_schedule(plan, lambda _metric, _cell: {}),
    )

    assert result.verdict is ClaimVerdict.NOT_MEASURED
    assert f"no graphql-hasura ({reason})" in result.sentence


def test_every_chart_shows_something_of_the_replication_or_the_choke_points(study: Study) -> None:
    designs = ("replication", "choke-points")
    cells = [cell for name in designs for cell in schedule(study, name, 1).cells]
    for chart in study.charts:
        assert any(cell.matches(chart.where) for cell in cells), chart.source


@pytest.mark.parametrize("name", ["smoke", "replication", "choke-points"])
def test_contenders_in_turns_get_the_same_queries(study: Study, name: str) -> None:
    design = study.designs[name]
    for cell in schedule(study, name, 1).cells:
        if not design.at(cell).separate:
            assert design.at(cell).slices.by_count, cell.label
