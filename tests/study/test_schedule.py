"""The schedule, as a specification."""

from collections import Counter

import pytest

from tests.study.builder import given, minimal, study_of
from wirelab.problems import ProblemsError
from wirelab.schedule import estimated_seconds, next_look, schedule
from wirelab.study import Window


def test_every_block_holds_every_cell_once_and_the_twin_is_a_cell_of_its_own() -> None:
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


def test_blocks_follow_each_other_and_positions_count_within_a_block() -> None:
    places = [(run.block, run.position) for run in given().scheduled().result.runs]

    assert places == [(block, position) for block in range(1, 7) for position in range(1, 4)]


def test_the_same_seed_gives_the_same_schedule_and_another_seed_another_order() -> None:
    first = given().scheduled(seed=7).result

    assert first == given().scheduled(seed=7).result
    assert [run.cell for run in first.runs] != [
        run.cell for run in given().scheduled(seed=8).result.runs
    ]


def test_each_block_has_an_order_of_its_own() -> None:
    plan = given().workloads("a", "b", "c", "d").scheduled().result
    orders = {
        tuple(run.cell for run in plan.runs if run.block == block)
        for block in range(1, plan.blocks + 1)
    }

    assert len(orders) == plan.blocks


def test_over_many_blocks_a_cell_comes_first_as_often_as_any_other() -> None:
    plan = given().design(blocks=600).scheduled().result
    first = Counter(run.cell for run in plan.runs if run.position == 1)

    # Three cells, 600 blocks: 200 each, give or take three standard deviations (12).
    assert all(165 < count < 235 for count in first.values())


def test_runs_of_a_block_share_a_seed_so_that_contenders_meet_the_same_requests() -> None:
    seeds = {(run.block, run.seed) for run in given().scheduled().result.runs}

    assert len(seeds) == 6
    assert len({seed for _, seed in seeds}) == 6


def test_going_on_to_a_later_look_leaves_earlier_blocks_as_they_were() -> None:
    short = given().scheduled(seed=3).result
    long = given().scheduled(seed=3, blocks=20).result

    assert long.runs[: len(short.runs)] == short.runs
    assert long.blocks == 20


def test_a_resumed_study_walks_what_is_not_finished_in_the_same_order() -> None:
    plan = given().scheduled().result
    finished = {run.id for run in plan.runs[:5]} | {plan.runs[9].id}

    assert plan.remaining(finished) == plan.runs[5:9] + plan.runs[10:]
    assert plan.remaining({run.id for run in plan.runs}) == ()


def test_run_ids_say_block_position_and_the_levels_that_vary() -> None:
    runs = given().environments("native", "container").design(blocks=1).scheduled().result.runs

    assert sorted(run.id[8:] for run in runs) == [
        "grpc-fetch-container",
        "grpc-fetch-native",
        "rest-fetch-container",
        "rest-fetch-native",
        "rest~twin-fetch-container",
        "rest~twin-fetch-native",
    ]
    assert [run.id[:8] for run in runs] == [f"b01-{position:03}-" for position in range(1, 7)]


def test_a_run_keeps_its_name_whether_or_not_other_levels_take_part() -> None:
    study = given().environments("native", "container").design(blocks=1)

    names = {run.id[8:] for run in study.scheduled(only=["native", "grpc"]).result.runs}

    assert names == {"grpc-fetch-native"}


def test_a_design_leaves_out_levels_and_says_so() -> None:
    (
        given()
        .environments("native", "container")
        .design(environments=["native"])
        .scheduled()
        .expect_cells("rest fetch", "rest~twin fetch", "grpc fetch")
        .expect_skipped(container="no part of design smoke")
    )


def test_only_narrows_the_factors_that_it_names() -> None:
    (
        given()
        .contenders("rest", "grpc", "soap")
        .workloads("insert", "fetch")
        .scheduled(only=["grpc", "rest", "fetch"])
        .expect_cells("rest fetch", "rest~twin fetch", "grpc fetch")
        .expect_skipped(soap="left out by --only", insert="left out by --only")
    )


def test_only_takes_the_place_of_what_the_design_says_about_a_factor() -> None:
    (
        given()
        .stores("postgresql", "mongodb")
        .design(stores=["postgresql"])
        .scheduled(only=["mongodb"])
        .expect_cells("rest fetch", "rest~twin fetch", "grpc fetch")
        .expect(lambda plan: {cell.store for cell in plan.cells} == {"mongodb"})
        .expect_skipped(postgresql="left out by --only")
    )


def test_without_the_baseline_there_is_no_twin() -> None:
    given().scheduled(only=["grpc"]).expect_cells("grpc fetch").expect_skipped(
        rest="left out by --only"
    )


def test_what_the_machine_cannot_offer_is_skipped_with_its_reason() -> None:
    (
        given()
        .environments("native", "container")
        .scheduled(unavailable={"container": "no Docker engine", "grpc": "go is missing"})
        .expect_cells("rest fetch", "rest~twin fetch")
        .expect_skipped(container="no Docker engine", grpc="go is missing")
    )


def test_reasons_for_levels_that_take_no_part_anyway_are_not_needed() -> None:
    (
        given()
        .environments("native", "container")
        .design(environments=["native"])
        .scheduled(unavailable={"container": "no Docker engine"})
        .expect_skipped(container="no part of design smoke")
    )


def test_when_nothing_is_left_there_are_no_runs() -> None:
    plan = given().scheduled(unavailable={"native": "no"}).result

    assert (plan.runs, plan.cells, plan.estimated_seconds) == ((), (), 0)


def test_unknown_names_are_all_reported_with_the_nearest_known_one() -> None:
    with pytest.raises(ProblemsError) as caught:
        given().scheduled(only=["fetsh", "rest", "grpcc"])

    assert [problem.value for problem in caught.value.problems] == ["fetsh", "grpcc"]
    assert [problem.hint for problem in caught.value.problems] == [
        "did you mean 'fetch'?",
        "did you mean 'grpc'?",
    ]


def test_an_unknown_design_is_reported() -> None:
    with pytest.raises(ProblemsError, match="design is 'smok'; expected one of smoke"):
        schedule(study_of(minimal()), "smok", 1)


@pytest.mark.parametrize(
    ("warm_up", "window", "clients", "seconds"),
    [
        ({"seconds": 0.1}, {"seconds": 0.5}, 1, 1.0 + 0.1 + 0.5),
        ({"transactions": 100, "seconds": 0.1}, {"seconds": 0.5}, 1, 1.0 + 0.2 + 0.5),
        ({}, {"transactions": 100, "seconds": 0.5}, 1, 1.0 + 0.2),
        ({}, {"transactions": 1000, "seconds": 0.5}, 1, 1.0 + 0.5),
        ({}, {"transactions": 1000}, 10, 1.0 + 0.2),
        ({}, {"transactions_per_client": 50}, 10, 1.0 + 0.1),
        ({"repetitions": 5}, {"repetitions": 20}, 1, 1.0 + 0.01 + 0.04),
    ],
)
def test_a_run_is_estimated_from_its_start_warm_up_and_window(
    warm_up: dict[str, float], window: dict[str, float], clients: int, seconds: float
) -> None:
    study = study_of(given().loads(u=clients).design(warm_up=warm_up, window=window).raw)

    estimated = estimated_seconds(
        study.designs["smoke"], study.loads["u"], study.workloads["fetch"]
    )
    assert estimated == pytest.approx(seconds)


def test_a_window_holds_one_transaction_at_least_however_long_it_takes() -> None:
    study = study_of(given().design(warm_up={"repetitions": 1}, window={"seconds": 0.5}).raw)
    slow = study.workloads["fetch"].model_copy(update={"transaction_seconds": 3.0})

    estimated = estimated_seconds(study.designs["smoke"], study.loads["u1"], slow)
    assert estimated == pytest.approx(1.0 + 3.0 + 3.0)


def test_the_estimate_takes_the_time_that_a_contender_needs_to_start() -> None:
    design = given().contenders("quick", "slow").design(blocks=2)

    usual = design.scheduled().result.estimated_seconds
    known = design.scheduled(start_seconds={"slow": 4.8}).result.estimated_seconds

    assert known - usual == pytest.approx(2 * (4.8 - 0.8))


def test_repetitions_count_every_parameter_set() -> None:
    study = study_of(given().design(warm_up={"repetitions": 2}, window={"repetitions": 5}).raw)
    design = study.designs["smoke"]

    assert design.warm_up.transactions_of(4) == 8
    assert design.window.transactions_of(4) == 20
    assert Window(repetitions=5, transactions=12).transactions_of(4) == 12
    assert Window(seconds=1.0).transactions_of(4) is None


def test_looks_go_on_until_the_intervals_are_narrow_enough() -> None:
    design = study_of(given().design(blocks=10, looks=[20, 30], precision=0.02).raw).designs[
        "smoke"
    ]

    assert next_look(design, 10, half_width=0.05) == 20
    assert next_look(design, 20, half_width=0.021) == 30
    assert next_look(design, 20, half_width=0.02) is None
    assert next_look(design, 30, half_width=0.05) is None
    assert next_look(design, 10, half_width=None) == 20


def test_without_looks_there_is_nothing_to_go_on_to() -> None:
    assert next_look(study_of(minimal()).designs["smoke"], 6, half_width=0.5) is None
