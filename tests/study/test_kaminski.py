"""The shipped study kaminski-2022: its figures as printed, its designs, its claims."""

import itertools

import pytest

from tests.study.shipped import as_published
from wirelab.claims import ClaimCheck, ClaimVerdict, check_claims
from wirelab.planning.schedule import schedule
from wirelab.study import Cell, Study, cross, family, load_study
from wirelab.study.design import FIRST_VERDICT

PRINTED = {"latency_p99_us": "latency_max_us", "wire_marginal_bytes": "wire_single_bytes"}
"""What the paper prints in place of a metric that a claim is tested by."""


@pytest.fixture(scope="module")
def study() -> Study:
    return load_study("kaminski-2022")


@pytest.fixture(scope="module")
def checks(study: Study) -> list[ClaimCheck]:
    """The claims, checked against what the paper prints."""
    return check_claims(study, as_published(study, "lab", PRINTED))


@pytest.mark.parametrize(
    ("contender", "workload", "environment", "figures"),
    [
        ("rest-flask", "insert_one", "container", (2425, 1563, 3479, 280)),
        ("websocket-flask-sock", "insert_one", "container", (2950, 1999, 90272, 2789)),
        ("graphql-graphene", "insert_one", "native", (4834, 4128, 7151, 429)),
        ("grpc-grpcio", "fetch_one", "native", (1456, 1029, 5101, 258)),
        ("graphql-graphene", "fetch_one", "native", (6271, 4989, 10000, 578)),
        ("grpc-grpcio", "fetch_hundred", "container", (11730, 8002, 38763, 5403)),
        ("websocket-flask-sock", "fetch_hundred", "native", (23533, 20888, 51930, 2244)),
    ],
)
def test_times_are_those_of_the_paper(
    study: Study, contender: str, workload: str, environment: str, figures: tuple[float, ...]
) -> None:
    cell = Cell(contender, workload, "postgresql", environment, "sequential")

    figure = study.published.figure("latency_mean_us", cell)

    assert figure is not None
    assert tuple(figure.values.values()) == figures


def test_every_published_cell_has_its_row(study: Study) -> None:
    cells = itertools.product(
        (c for c in study.contenders if c not in {"soap-lxml", "graphql-graphene-uncached"}),
        ("insert_one", "fetch_one", "fetch_hundred"),
        study.environments,
    )

    for contender, workload, environment in cells:
        cell = Cell(contender, workload, "mongodb", environment, "sequential")
        assert study.published.figure("latency_max_us", cell) is not None, cell.label
        wire = study.published.figure("wire_single_bytes", cell)
        assert (wire is not None) == (workload != "fetch_hundred"), cell.label


def test_soap_takes_part_but_was_not_published(study: Study) -> None:
    cell = Cell("soap-lxml", "fetch_one", "mongodb", "native", "sequential")

    assert study.published.figure("latency_mean_us", cell) is None
    assert "soap-lxml" in study.contenders


def test_lab_continues_until_decided_and_covers_both_environments(study: Study) -> None:
    lab = study.designs["lab"]

    assert (lab.blocks, lab.until) == (None, "decided")
    assert (lab.budget_minutes or 0) <= 60
    assert {cell.environment for cell in schedule(study, "lab", 1).cells} == {"native", "container"}


def test_paper_is_one_pass_over_the_document_store(study: Study) -> None:
    plan = schedule(study, "paper", 1)

    assert study.designs["paper"].separate
    assert set(plan.repetitions.values()) == {1}
    assert {(cell.store, cell.environment) for cell in plan.cells} == {
        ("mongodb", "native"),
        ("mongodb", "container"),
    }


def test_the_family_of_the_smoke_design_is_all_pairs_of_each_workload(study: Study) -> None:
    cells = schedule(study, "smoke", 1).cells

    assert len(cells) == (5 + 1) * 3
    assert len(family(study, cells)) == 10 * 3
    levels = {**study.levels, "load": ("sequential",), "store": ("postgresql", "mongodb")}
    each_environment = 10 * 3 + 6 + 4  # all pairs; the echo of four; with and without a cache
    expected = 2 * (2 * each_environment + 6 * 4)
    assert len(family(study, cross(levels, study.baseline))) == expected


def test_measuring_what_was_published_reproduces_what_differs_by_more_than_the_margin(
    study: Study, checks: list[ClaimCheck]
) -> None:
    same, reproduced = ClaimVerdict.SAME_WITHIN_MARGIN, ClaimVerdict.REPRODUCED
    # GraphQL's standard deviations are the same in both environments.
    assert {check.id: check.verdict for check in checks} == dict.fromkeys(
        study.claims.claims, reproduced
    ) | {
        "K3": same,
        "K5": same,
        "K8": same,
    }


def test_published_differences_smaller_than_the_margin_do_not_matter(
    checks: list[ClaimCheck],
) -> None:
    same = {
        test.expected: round(test.published or 0.0, 3)
        for check in checks
        for test in check.tests
        if test.verdict is ClaimVerdict.SAME_WITHIN_MARGIN
    }

    assert same == {
        "websocket-flask-sock above rest-flask · fetch_hundred · container": 1.042,
        "native below container · grpc-grpcio · fetch_hundred": 0.99,
        "native below container · graphql-graphene · fetch_hundred": 0.999,
    }


def test_published_and_measured_values_are_shown_side_by_side(checks: list[ClaimCheck]) -> None:
    for check in checks:
        for test in check.tests:
            if test.metric in PRINTED or test.expected.startswith("one or more of"):
                continue
            assert test.published is not None, test.expected
            assert test.measured == pytest.approx(test.published, rel=0.005)


def test_the_replication_compares_as_many_requests_of_each_and_has_twins(study: Study) -> None:
    design, plan = study.designs["replication"], schedule(study, "replication", 1)

    assert set(plan.repetitions.values()) == {FIRST_VERDICT}
    for cell in plan.cells:
        slices = design.at(cell).slices
        least = 1000 if cell.workload == "fetch_hundred" else 600
        assert slices.by_count
        assert slices.permutations * slices.transactions == least
    twins = {(cell.workload, cell.environment) for cell in plan.cells if cell.twin}
    assert twins == set(
        itertools.product(("insert_one", "fetch_one", "fetch_hundred"), ("native", "container"))
    )
