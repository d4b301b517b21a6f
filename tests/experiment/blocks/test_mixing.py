"""What a run of a mixed workload sends: the declared number of each part, in the declared order."""

from collections.abc import Collection

import pytest

from tests.study.builder import minimal, study_of
from tests.support.wording import raises_worded
from wirelab.experiment.blocks.mixing import mix_plans, transactions
from wirelab.experiment.place import Place
from wirelab.study import Cell, Study
from wirelab.verify import Plan


def study(order: str) -> Study:
    fetch = {"operation": "read", "state": "hundred", "parameter_sets": 6}
    return study_of(
        minimal(
            workload={
                "fetch": {"title": "fetch", **fetch},
                "list": {"title": "list", **fetch, "operation": "list", "parameter_sets": 3},
                "mixed": {
                    "title": "mixed",
                    "state": "hundred",
                    "mix": {"fetch": 2, "list": 1},
                    "parameter_sets": 2,
                    "order": order,
                },
            }
        )
    )


CELL = Cell("rest", "mixed", "postgresql", "native", "u1")
PLANS = {
    (Place.from_cell(CELL), name): tuple(Plan(name, name, number, ()) for number in range(6))
    for name in ("fetch", "list")
}


def sent(order: str, seed: int, changed: Collection[tuple[str, int]] = ()) -> list[tuple[str, int]]:
    mixed, plans = study(order), dict(PLANS)
    mix_plans(plans, "mixed", mixed.parts("mixed"), changed)
    return [(plan.workload, plan.parameter_set) for plan in transactions(mixed, plans, CELL, seed)]


LISTED = [("fetch", 0), ("fetch", 1), ("fetch", 2), ("fetch", 3), ("list", 0), ("list", 1)]


def test_each_part_contributes_its_first_requests_times_its_weight() -> None:
    assert sent("listed", 1) == LISTED


def test_parameter_sets_that_the_writes_of_a_mix_change_are_replaced_by_the_next() -> None:
    rest = [("fetch", 0), ("fetch", 2), ("fetch", 4), ("fetch", 5), ("list", 0), ("list", 1)]

    assert sent("listed", 1, {("fetch", 1), ("fetch", 3), ("list", 5)}) == rest


def test_a_random_order_is_the_same_in_every_block() -> None:
    assert sent("random", 1) == sent("random", 2) != LISTED
    assert sorted(sent("random", 1)) == LISTED


def test_a_random_order_by_block_is_another_in_each_and_the_same_for_all_contenders() -> None:
    assert sent("random_by_block", 1) != sent("random_by_block", 2)
    assert sent("random_by_block", 1) == sent("random_by_block", 1)


@pytest.mark.parametrize(
    "changes",
    [
        {"operation": "read"},
        {"mix": {"fetch": 1, "mixed": 1}},
        {"state": "thousand"},
        {"inline": True},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_an_invalid_mix_is_refused(changes: dict[str, object]) -> None:
    raw = minimal()
    mixed = {"title": "mixed", "state": "hundred", "mix": {"fetch": 1}} | changes
    raw["workload"] = {**raw["workload"], "mixed": mixed}

    with raises_worded(ValueError):
        study_of(raw)
