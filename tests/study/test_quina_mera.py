"""The shipped study quina-mera-2025: its figures as printed, its designs, its claims."""

import itertools

import pytest

from tests.study.shipped import as_published
from wirelab.analysis.comparing import method_of
from wirelab.claims import ClaimCheck, ClaimVerdict, check_claims
from wirelab.planning.schedule import schedule
from wirelab.study import Cell, Study, family, load_study
from wirelab.study.design import FIRST_VERDICT

SIZES = (1, 100, 1000, 10000, 100000)
USE_CASES = ("cu1", "cu2", "cu3", "cu4")


@pytest.fixture(scope="module")
def study() -> Study:
    return load_study("quina-mera-2025")


@pytest.fixture(scope="module")
def checks(study: Study) -> dict[str, ClaimCheck]:
    """The claims, checked against what the paper prints."""
    evidence = as_published(study, "replication", {})
    return {check.id: check for check in check_claims(study, evidence)}


@pytest.mark.parametrize(
    ("contender", "workload", "environment", "mean_ms"),
    [
        ("graphql-nestjs", "cu1", "container", 224.33),
        ("rest-nestjs", "cu1", "native", 363.91),
        ("graphql-nestjs", "cu2", "native", 481.02),
        ("rest-nestjs", "cu3", "container", 711.95),
        ("rest-nestjs", "cu4", "native", 2697.58),
    ],
)
def test_means_are_those_of_the_paper(
    study: Study, contender: str, workload: str, environment: str, mean_ms: float
) -> None:
    cell = Cell(contender, workload, "postgresql", environment, "sequential")

    figure = study.published.figure("latency_mean_us", cell)

    assert figure is not None
    assert figure.values["latency_mean_us"] == pytest.approx(1000 * mean_ms)


def test_only_published_cells_have_a_figure(study: Study) -> None:
    for contender, workload, environment in itertools.product(
        study.contenders, study.workloads, study.environments
    ):
        cell = Cell(contender, workload, "postgresql", environment, "sequential")
        published = study.published.figure("latency_mean_us", cell) is not None
        in_table_4 = (contender, workload, environment) == (
            "graphql-nestjs",
            "cu2_100000",
            "container",
        )
        assert published == (
            (
                contender in ("rest-nestjs", "graphql-nestjs")
                and workload in USE_CASES
                and environment != "container-host"
            )
            or in_table_4
        ), cell.label


def test_a_use_case_takes_every_size_in_turn(study: Study) -> None:
    for name in USE_CASES:
        sizes = SIZES[:4] if name == "cu1" else SIZES
        assert study.workloads[name].parameters == {"records": sizes}
        assert study.workloads[name].parameter_sets == len(sizes)
        for size in sizes:
            assert study.workloads[f"{name}_{size}"].parameters == {"records": size}
            assert study.workloads[f"{name}_{size}"].operation == study.workloads[name].operation


def test_paper_has_380_samples_an_iteration_and_1520_in_four(study: Study) -> None:
    plan = schedule(study, "paper", 1)
    window = study.designs["paper"].window
    assert window is not None
    published = [run for run in plan.runs if not run.cell.twin]

    samples = [
        window.transactions_of(study.workloads[run.cell.workload].parameter_sets) or 0
        for run in published
    ]

    assert set(plan.repetitions.values()) == {4}
    assert len(published) == 16 * 4  # the paper's 16 experimental tasks in every iteration
    assert sum(samples) == 1520
    assert {
        block: sum(
            count for run, count in zip(published, samples, strict=True) if run.block == block
        )
        for block in range(1, 5)
    } == dict.fromkeys(range(1, 5), 380)


def test_smoke_covers_two_environments_each_with_a_twin(study: Study) -> None:
    plan = schedule(study, "smoke", 1)

    assert set(plan.repetitions.values()) == {FIRST_VERDICT}
    assert {cell.environment for cell in plan.cells} == {"native", "container"}
    assert {cell.environment for cell in plan.cells if cell.twin} == {"native", "container"}


def test_the_replication_measures_every_use_case_in_three_places_within_a_block(
    study: Study,
) -> None:
    plan = schedule(study, "replication", 1)

    assert min(plan.repetitions.values()) >= method_of(plan, study.metric).least_blocks
    for block in plan.blocks:
        assert {(cell.environment, cell.store, cell.proxy) for cell in block.cells} == {
            ("native", "postgresql", "nginx"),
            ("container", "postgresql", "nginx"),
            ("container", "postgresql-container", "nginx-container"),
        }
    assert {cell.workload for cell in plan.cells} == set(USE_CASES)
    request = {pair.question for pair in family(study, plan.cells)}
    assert request == set(study.questions) - {"proxy", "etag"}


def test_places_distinguish_the_bridge_and_nginx_from_the_rest(study: Study) -> None:
    plan = schedule(study, "places", 1)

    assert {(cell.environment, cell.proxy) for cell in plan.cells} == set(
        itertools.product(study.environments, ("none", "nginx"))
    )
    assert {"container", "proxy"} <= {pair.question for pair in family(study, plan.cells)}


def test_measuring_what_was_published_reproduces_what_differs_by_more_than_the_margin(
    checks: dict[str, ClaimCheck],
) -> None:
    same, reproduced = ClaimVerdict.SAME_WITHIN_MARGIN, ClaimVerdict.REPRODUCED
    # GraphQL against REST differs by 5 % or less, but for two use cases on localhost.
    assert {name: check.verdict for name, check in checks.items() if "-" not in name} == {
        "Q1": reproduced,
        "Q2": same,
        "Q3": same,
        "Q4": reproduced,
        "Q5": reproduced,
        "Q6": same,  # in CU3, Docker helps both by a fifth
        "Q7": same,
    }


def test_published_and_measured_values_are_shown_side_by_side(
    checks: dict[str, ClaimCheck],
) -> None:
    tests = [len(checks[f"Q{number}"].tests) for number in range(1, 8)]
    assert tests == [8, 4, 4, 8, 8, 4, 4]
    for number in range(1, 6):
        for test in checks[f"Q{number}"].tests:
            assert test.published is not None, test.expected
            assert test.measured == pytest.approx(test.published, rel=0.005)
