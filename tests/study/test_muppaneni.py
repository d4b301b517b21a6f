"""The shipped study muppaneni: its table as printed, its designs, its claims."""

import itertools
from unittest.mock import patch

import pytest

from tests.support.wording import assert_worded
from wirelab.claims import check_consistency
from wirelab.domain_file import load_domain
from wirelab.lab.contenders.contender import load_contenders
from wirelab.lab.processes.cpu import CpuPlan
from wirelab.planning.plan import plan_study
from wirelab.planning.schedule import schedule
from wirelab.study import CAPACITY, Cell, ClosedLoad, Study, compared_by, family, load_study

LANGUAGES = ("python", "node", "go")
CPU_COUNTS_MEASURED = ("native-1-cpu", "native-2-cpus", "native-4-cpus", "native-8-cpus")


@pytest.fixture(scope="module")
def study() -> Study:
    return load_study("muppaneni")


def test_the_published_design_has_the_scenarios_of_table_1_five_times(study: Study) -> None:
    design = study.designs["paper"]
    scenarios = {
        (load.clients, window.transactions)
        for cell in schedule(study, "paper", 1).cells
        if isinstance(load := study.loads[cell.load], ClosedLoad)
        and (window := design.at(cell).window) is not None
    }

    assert design.blocks == 5
    assert {(100, 10_000), (1000, 50_000), (10_000, 100_000)} < scenarios
    assert {users for users, _ in scenarios} == {100, 1000, 5000, 10_000}


def test_the_design_over_cpus_measures_all_numbers_of_cpus_in_one_block(study: Study) -> None:
    plan = schedule(study, "cpus", 1)
    first = plan.blocks[0]

    assert {run.cell.environment for run in first.runs} == {*CPU_COUNTS_MEASURED}
    assert len(first.runs) == (4 + 1) * len(CPU_COUNTS_MEASURED)
    assert study.in_design("cpus").metric == CAPACITY
    compared = compared_by(study, "cpus", plan.cells)
    assert {(pair.a.environment, pair.b.environment) for pair in compared} == {
        (more, fewer) for fewer, more in itertools.combinations(CPU_COUNTS_MEASURED, 2)
    }
    for design in study.designs.keys() - {"cpus"}:
        assert {cell.environment for cell in schedule(study, design, 1).cells} == {"native"}


def test_numbers_of_cpus_that_the_machine_lacks_are_left_out_with_the_reason() -> None:
    with patch("wirelab.lab.environments.environment.plan_cpus", lambda: CpuPlan((2,), (0, 1))):
        plan = plan_study("muppaneni", "cpus", 1).schedule

    assert {cell.environment for cell in plan.cells} == {"native-1-cpu", "native-2-cpus"}
    reasons = {each.level: each.reason for each in plan.skipped if each.wanted}
    assert {"native-4-cpus", "native-8-cpus"} <= reasons.keys()
    assert_worded(reasons["native-4-cpus"])


@pytest.mark.parametrize(
    ("contender", "latency_us", "per_s", "payload"),
    [
        ("rest-fastapi", 120_000, 800, 14_300),
        ("graphql-graphene", 90_000, 950, 9_700),
        ("grpc-aio", 45_000, 1500, 3_500),
    ],
)
def test_figures_are_those_of_the_paper(
    study: Study, contender: str, latency_us: float, per_s: float, payload: float
) -> None:
    cell = Cell(contender, "interactions", "postgresql", "native", "hundred-users")

    found = {
        metric: figure.values[metric]
        for metric in ("latency_mean_us", "throughput_per_s", "message_bytes")
        if (figure := study.published.figure(metric, cell)) is not None
    }

    assert found == {
        "latency_mean_us": latency_us,
        "throughput_per_s": per_s,
        "message_bytes": pytest.approx(payload),
    }


def test_contradictions_are_found_by_arithmetic(study: Study) -> None:
    wrong = [finding.text for finding in check_consistency(study) if finding.holds is False]

    for text in ("gRPC's latency", "GraphQL takes", "the longest response"):
        assert any(each.startswith(text) for each in wrong), text


def test_claims_cover_each_language(study: Study) -> None:
    claims = study.claims.claims
    numbers = {name.partition("-")[0] for name in claims}

    assert numbers == {f"M{number}" for number in range(1, 16)}
    for number in numbers:
        assert {f"{number}-{language}" for language in LANGUAGES} <= claims.keys()


def test_questions_compare_like_with_like(study: Study) -> None:
    domain = load_domain(study.domain)
    contenders = load_contenders(domain)
    for design in ("smoke", "replication", "connections"):
        for pair in family(study, schedule(study, design, 1).cells):
            a, b = contenders[pair.a.contender], contenders[pair.b.contender]
            assert a.stack == b.stack or a.protocol == b.protocol, pair


@pytest.mark.parametrize(("design", "compared"), [("replication", True), ("connections", False)])
def test_questions_about_rounds_cover_only_measured_rounds(
    study: Study, design: str, compared: bool
) -> None:
    cells = schedule(study, design, 1).cells

    for language in ("python", "node", "go"):
        assert bool(compared_by(study, f"rounds-{language}", cells)) is compared
