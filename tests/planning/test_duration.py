"""How long a design is said to take."""

import pytest

from tests.study.builder import given, study_of
from wirelab.planning.duration import (
    AROUND_SECONDS,
    AROUND_SLICE_SECONDS,
    AROUND_SLICE_SHARE,
    AROUND_SLICE_TRANSACTIONS,
    START_SECONDS,
    block_seconds,
)
from wirelab.planning.schedule import schedule
from wirelab.study import Window

ONE = START_SECONDS + AROUND_SECONDS
"""What a run takes that sends nothing."""


def seconds_of_one_run(
    clients: int = 1, transaction_seconds: float = 0.002, **design: object
) -> float:
    raw = given().contenders("rest").loads(u=clients).design(**design).raw
    raw["workload"]["fetch"] = raw["workload"]["fetch"] | {
        "transaction_seconds": transaction_seconds
    }
    study = study_of(raw)
    cell, _twin = schedule(study, "smoke", 1, blocks=1).cells
    return block_seconds(study, study.designs["smoke"], [cell], {})


@pytest.mark.parametrize(
    ("warm_up", "window", "clients", "seconds"),
    [
        ({"seconds": 0.1}, {"seconds": 0.5}, 1, 0.1 + 0.5),
        ({"transactions": 100, "seconds": 0.1}, {"seconds": 0.5}, 1, 0.2 + 0.1 + 0.5),
        ({}, {"transactions": 100, "seconds": 0.5}, 1, 0.2),
        ({}, {"transactions": 1000, "seconds": 0.5}, 1, 0.5),
        ({}, {"transactions": 1000}, 10, 0.2),
        ({}, {"transactions": 1000}, 1000, 0.2),  # the others wait in line
        ({}, {"transactions_per_client": 50}, 10, 0.1),
        ({"repetitions": 5}, {"repetitions": 20}, 1, 0.01 + 0.04),
    ],
)
def test_a_separate_run_takes_its_start_warm_up_and_window(
    warm_up: dict[str, float], window: dict[str, float], clients: int, seconds: float
) -> None:
    estimated = seconds_of_one_run(clients, warm_up=warm_up, separate=True, window=window)

    assert estimated == pytest.approx(ONE + seconds)


def test_a_window_holds_one_transaction_at_least_however_long_it_takes() -> None:
    estimated = seconds_of_one_run(
        transaction_seconds=3.0,
        warm_up={"repetitions": 1},
        separate=True,
        window={"seconds": 0.5},
    )

    assert estimated == pytest.approx(ONE + 3.0 + 3.0)


@pytest.mark.parametrize(
    ("slices", "transaction_seconds", "seconds"),
    [
        ({"permutations": 10}, 0.002, 0.05),  # 20 transactions need less
        ({"permutations": 10}, 0.01, 0.2),
        ({"permutations": 10}, 0.2, 1.0),  # five of them, by count
        ({"permutations": 10}, 3.0, 3.0),  # one
        ({"permutations": 10, "repetitions": 7}, 0.002, 0.014),
    ],
)
def test_slices_last_as_long_as_the_workload_needs(
    slices: dict[str, float], transaction_seconds: float, seconds: float
) -> None:
    estimated = seconds_of_one_run(
        transaction_seconds=transaction_seconds, warm_up={}, slices=slices
    )

    around = max(
        AROUND_SLICE_SECONDS,
        AROUND_SLICE_SHARE * seconds,
        AROUND_SLICE_TRANSACTIONS * transaction_seconds,
    )
    assert estimated == pytest.approx(ONE + 10 * (seconds + around))


def test_a_low_rate_makes_warm_up_rehearsal_and_slices_longer() -> None:
    """One request in two seconds: 20 and 10 for the warm-up, and one in each slice."""
    load = {"title": "low", "kind": "constant", "rate_per_s": 0.5}
    warm_up = {"transactions": 20, "seconds": 0.1, "longest_seconds": 0.5}
    design = {"warm_up": warm_up, "slices": {"permutations": 6}}
    raw = given().contenders("rest").design(**design).raw
    study = study_of(raw | {"load": {"u1": load}})
    cell, _twin = schedule(study, "smoke", 1, blocks=1).cells

    estimated = block_seconds(study, study.designs["smoke"], [cell], {})

    one_slice = 2.0 * (1 + AROUND_SLICE_TRANSACTIONS)
    assert estimated == pytest.approx(ONE + (20 + 10) * 2.0 + (1 + 6) * one_slice)


def test_the_estimate_takes_the_time_that_a_contender_needs_to_start() -> None:
    design = (
        given().contenders("quick", "slow").design(blocks=2, separate=True, window={"seconds": 1})
    )

    usual = design.scheduled().result.estimated_seconds
    known = design.scheduled(start_seconds={"slow": 4.8}).result.estimated_seconds

    assert known - usual == pytest.approx(2 * (4.8 - START_SECONDS))


def test_repetitions_count_every_parameter_set() -> None:
    study = study_of(
        given().design(warm_up={"repetitions": 2}, separate=True, window={"repetitions": 5}).raw
    )
    design = study.designs["smoke"]

    assert design.warm_up.transactions_of(4) == 8
    assert design.window is not None
    assert design.window.transactions_of(4) == 20
    assert Window(repetitions=5, transactions=12).transactions_of(4) == 12
    assert Window(seconds=1.0).transactions_of(4) is None
