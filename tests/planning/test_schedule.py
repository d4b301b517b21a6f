"""The schedule, as a specification."""

from collections import Counter
from collections.abc import Collection

import pytest

from tests.study.builder import given, minimal, study_of
from tests.support.wording import raises_worded
from wirelab.inputs.problems import ProblemsError
from wirelab.planning.schedule import Block, extend, schedule


def test_every_block_contains_every_cell_once_and_the_twin_is_a_separate_cell() -> None:
    (
        given()
        .contenders("rest", "grpc")
        .workloads("insert", "fetch")
        .design(blocks=6)
        .scheduled()
        .expect_cells(
            "rest insert", "rest~twin insert", "grpc insert",
            "rest fetch", "rest~twin fetch", "grpc fetch",
        )
        .expect_runs(6 * 6)
        .expect_every_cell_once_in_every_block()
    )  # fmt: skip


def test_all_factors_are_crossed() -> None:
    (
        given()
        .contenders("rest", "grpc")
        .workloads("insert", "fetch")
        .stores("postgresql", "mongodb")
        .environments("native", "container")
        .loads(u1=1, u10=10, u50=50)
        .design(blocks=2)
        .scheduled()
        .expect_runs((2 + 1) * 2 * 2 * 2 * 3 * 2)
        .expect_every_cell_once_in_every_block()
    )


def test_a_block_contains_the_contenders_of_one_workload_load_and_place() -> None:
    (
        given()
        .workloads("insert", "fetch")
        .loads(u1=1, u10=10)
        .environments("native", "container")
        .scheduled()
        .expect_groups(
            insert__native__u1=3, insert__native__u10=3, insert__container__u1=3,
            insert__container__u10=3, fetch__native__u1=3, fetch__native__u10=3,
            fetch__container__u1=3, fetch__container__u10=3,
        )
    )  # fmt: skip


@pytest.mark.parametrize(
    ("factor", "groups"),
    [
        ("environment", {"fetch__u1": 6, "fetch__u10": 6}),
        ("load", {"fetch__native": 6, "fetch__container": 6}),
    ],
)
def test_levels_that_a_question_compares_take_turns_in_one_block(
    factor: str, groups: dict[str, int]
) -> None:
    (
        given()
        .loads(u1=1, u10=10)
        .environments("native", "container")
        .comparing(factor)
        .scheduled()
        .expect_groups(**groups)
    )


def test_blocks_of_a_number_come_before_those_of_the_next_and_positions_count_within() -> None:
    blocks = given().workloads("insert", "fetch").scheduled().result.blocks

    assert [(block.number, block.position) for block in blocks] == [
        (number, position) for number in range(1, 7) for position in (1, 2)
    ]


def test_the_same_seed_gives_the_same_schedule_and_another_seed_another_order() -> None:
    first = given().scheduled(seed=7).result

    assert first == given().scheduled(seed=7).result
    assert [run.cell for run in first.runs] != [
        run.cell for run in given().scheduled(seed=8).result.runs
    ]


def test_each_block_has_its_own_order() -> None:
    names = [f"c{number}" for number in range(6)]
    plan = given().contenders(*names).scheduled().result
    orders = {tuple(run.cell for run in block.runs) for block in plan.blocks}

    assert len(orders) == len(plan.blocks) == 6


def test_over_many_blocks_a_cell_comes_first_as_often_as_any_other() -> None:
    plan = given().design(blocks=600).scheduled().result
    first = Counter(block.runs[0].cell for block in plan.blocks)

    # Three cells, 600 blocks: 200 each, give or take three standard deviations (12).
    assert all(165 < count < 235 for count in first.values())


def test_every_block_has_its_own_seed() -> None:
    blocks = given().workloads("insert", "fetch").scheduled().result.blocks

    assert len({block.seed for block in blocks}) == 12


def test_a_block_is_the_same_whatever_else_is_measured() -> None:
    both = given().workloads("insert", "fetch").scheduled(seed=3).result.blocks
    alone = given().workloads("fetch").scheduled(seed=3).result.blocks

    def content(block: Block) -> tuple[object, ...]:
        return block.id, block.runs, block.seed

    assert [content(block) for block in both if block.group == "fetch"] == [
        content(block) for block in alone
    ]


def test_continuing_to_a_later_look_leaves_earlier_blocks_unchanged() -> None:
    study = study_of(given().workloads("insert", "fetch").raw)
    short = schedule(study, "smoke", 3)

    long = extend(study, short, {"fetch": 9, "insert": 6})

    assert long.blocks[: len(short.blocks)] == short.blocks
    assert [block.id for block in long.blocks[12:]] == ["b07-fetch", "b08-fetch", "b09-fetch"]
    assert long.repetitions == {"insert": 6, "fetch": 9}
    assert long.blocks[12:] == tuple(
        block
        for block in schedule(study, "smoke", 3, only=["fetch"], blocks=9).blocks
        if block.number > 6
    )
    assert long.estimated_seconds > short.estimated_seconds


def test_a_resumed_study_measures_unfinished_blocks_in_the_same_order() -> None:
    plan = given().workloads("insert", "fetch").scheduled().result
    finished = {block.id for block in plan.blocks[:5]} | {plan.blocks[9].id}

    assert plan.remaining(finished) == plan.blocks[5:9] + plan.blocks[10:]
    assert plan.remaining({block.id for block in plan.blocks}) == ()


def test_run_ids_contain_the_block_and_the_levels_that_vary_in_the_study() -> None:
    study = given().environments("native", "container").design(blocks=1)
    runs = study.scheduled().result.runs
    fewer = study.scheduled(only=["native", "grpc"]).result.runs

    assert {run.id for run in fewer} == {"b01-grpc-fetch-native"}
    assert sorted(run.id for run in runs) == [
        "b01-grpc-fetch-container",
        "b01-grpc-fetch-native",
        "b01-rest-fetch-container",
        "b01-rest-fetch-native",
        "b01-rest~twin-fetch-container",
        "b01-rest~twin-fetch-native",
    ]


BY_DESIGN, BY_ONLY = "not part of design smoke", "left out by --only"


@pytest.mark.parametrize(
    ("design", "only", "unavailable", "cells", "skipped"),
    [
        (
            {"environments": ["native"]},
            (),
            {},
            {"rest", "rest~twin", "grpc"},
            {"container": BY_DESIGN},
        ),
        # The reason of a level that does not take part is not needed.
        (
            {"environments": ["native"]},
            (),
            {"container": "no engine"},
            {"rest", "rest~twin", "grpc"},
            {"container": BY_DESIGN},
        ),
        (
            {"environments": ["native"]},
            ["container"],
            {},
            {"rest", "rest~twin", "grpc"},
            {"native": BY_ONLY},
        ),
        (
            {},
            ["rest", "native"],
            {},
            {"rest", "rest~twin"},
            {"grpc": BY_ONLY, "container": BY_ONLY},
        ),
        # Without the baseline, there is no twin.
        ({}, ["grpc"], {}, {"grpc"}, {"rest": BY_ONLY}),
        (
            {},
            (),
            {"container": "no engine", "grpc": "go is missing"},
            {"rest", "rest~twin"},
            {"container": "no engine", "grpc": "go is missing"},
        ),
    ],
    ids=["design", "design and machine", "only replaces", "only narrows", "no baseline", "machine"],
)
def test_levels_are_left_out_with_the_reason(
    design: dict[str, object],
    only: Collection[str],
    unavailable: dict[str, str],
    cells: set[str],
    skipped: dict[str, str],
) -> None:
    (
        given()
        .environments("native", "container")
        .design(**design)
        .scheduled(only=only, unavailable=unavailable)
        .expect(lambda plan: {cell.registration for cell in plan.cells} == cells)
        .expect_skipped(**skipped)
    )


def test_a_schedule_without_cells_has_no_runs() -> None:
    plan = given().scheduled(unavailable={"native": "no"}).result

    assert (plan.runs, plan.cells, plan.estimated_seconds) == ((), (), 0)


def test_unknown_names_are_reported_together_with_the_closest_known_ones() -> None:
    with raises_worded(ProblemsError):
        given().scheduled(only=["fetsh", "rest", "grpcc"])


def test_an_unknown_design_is_reported() -> None:
    with raises_worded(ProblemsError):
        schedule(study_of(minimal()), "smok", 1)
