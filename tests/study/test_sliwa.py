"""The shipped study sliwa-2021: its designs, its claims, its score table."""

from collections import Counter
from typing import Any

import pytest

from tests.studies.extensions import module_of
from wirelab.planning.schedule import schedule
from wirelab.study import ClosedLoad, Study, family, load_extension_file, load_study


@pytest.fixture(scope="module")
def study() -> Study:
    return load_study("sliwa-2021")


@pytest.fixture(scope="module")
def table(study: Study) -> Any:
    model = module_of("sliwa-2021", "points", "model").PointsFile
    (found,) = load_extension_file(study, model).scores
    return found


def test_the_published_design_has_the_users_and_requests_of_the_paper(study: Study) -> None:
    plan, design = schedule(study, "paper", 1), study.designs["paper"]
    loads = [study.loads[name] for name in design.loads or ()]

    assert [load.clients for load in loads if isinstance(load, ClosedLoad)] == [1, 10, 50]
    assert design.separate
    assert design.window is not None
    assert design.window.transactions_per_client == 50
    assert len(plan.cells) == (3 + 1) * 4 * 3  # contenders and a twin, workloads, users


@pytest.mark.parametrize("design", ["smoke", "replication", "long", "open", "virtual"])
def test_questions_compare_like_with_like(study: Study, design: str) -> None:
    for pair in family(study, schedule(study, design, 1).cells):
        both = {pair.a.contender.endswith("-virtual"), pair.b.contender.endswith("-virtual")}
        protocols = {name.contender.partition("-")[0] for name in (pair.a, pair.b)}
        clients = {pair.a.load, pair.b.load}
        assert len(both) + len(protocols) + len(clients) == 4  # they differ in one of these


def test_the_sums_of_the_score_table_are_right(table: Any) -> None:
    total: Counter[str] = Counter()
    for group in table.groups:
        points: Counter[str] = Counter()
        for criterion in group.criteria:
            points.update({name: int(value) for name, value in criterion.points.items()})
        assert all(points[name] == value for name, value in group.subtotal.items())
        total.update(points)

    assert all(total[name] == value for name, value in table.total.items())
    assert dict(table.total) == {"gRPC": 8, "GraphQL": 11, "REST": 13}
    assert sum(len(group.criteria) for group in table.groups) == 12


def test_the_criteria_name_the_twelve_figures_of_the_paper(table: Any) -> None:
    named = {each.figure for group in table.groups for each in group.criteria}

    assert named == {f"Figure {number}" for number in range(1, 13)}


def test_every_criterion_is_one_cell_a_contender(study: Study, table: Any) -> None:
    cells = schedule(study, "paper", 1).cells
    for criterion in (each for group in table.groups for each in group.criteria):
        found = [cell for cell in cells if not cell.twin and cell.matches(criterion.where)]
        assert {cell.contender for cell in found} == {
            "rest-spring",
            "graphql-spring",
            "grpc-spring",
        }
        assert len(found) == 3
