"""Where the trials of contenders lie."""

import math
from itertools import pairwise

import pytest
from numpy.random import PCG64, Generator

from tests.support.capacity_searches import search
from wirelab.engine.errors import NoCapacityError
from wirelab.experiment.blocks.trial_grid import (
    OFFSETS,
    SHIFT,
    STEP,
    TrialGrid,
    center_of,
    permutations,
)
from wirelab.study import Cell

A, B = (Cell(name, "fetch", "own", "native", "sustained") for name in "ab")


@pytest.fixture
def grid() -> TrialGrid:
    """Return a grid around the capacity of A."""
    begun = TrialGrid()
    begun.begin(A, 1000.0)
    return begun


def test_contenders_that_are_alike_are_tried_at_the_same_rates(grid: TrialGrid) -> None:
    grid.begin(B, 1010.0)

    assert [grid.rate(A, it) for it in OFFSETS] == [grid.rate(B, it) for it in OFFSETS]
    rates = [grid.rate(A, it) for it in OFFSETS]
    steps = [high / low for low, high in pairwise(rates)]
    assert steps == pytest.approx([1 + STEP] * (len(OFFSETS) - 1), rel=1e-3)
    assert rates[0] < 1000 < rates[-1]


def test_the_grid_follows_what_blocks_have_found(grid: TrialGrid) -> None:
    grid.learn(A, 1200.0, [True, False])

    assert grid.rate(A, 0) == pytest.approx(1200.0, rel=STEP / 2)
    grid.learn(A, 1000.0, [True, False])
    assert grid.rate(A, 0) == pytest.approx(math.sqrt(1200.0 * 1000.0), rel=STEP / 2)
    grid.learn(A, None, [True, True])  # what two blocks have shown outweighs one that shows none
    assert grid.rate(A, 0) == pytest.approx(math.sqrt(1200.0 * 1000.0), rel=STEP / 2)
    expected = grid.rate(A, SHIFT)
    grid.learn(A, None, [True, True])  # but not two in a row
    assert grid.rate(A, 0) == expected
    grid.learn(A, 1300.0, [True, False])
    center = grid.rate(A, 0)
    grid.learn(A, None, [True, True])
    assert grid.rate(A, 0) == center


@pytest.mark.parametrize(("kept", "moved"), [(True, 4), (False, -4)])
def test_trials_that_are_all_alike_move_the_grid(grid: TrialGrid, kept: bool, moved: int) -> None:
    expected = grid.rate(A, moved)

    grid.learn(A, None, [kept] * 5)

    assert grid.rate(A, 0) == expected


def test_a_grid_that_moves_repeatedly_in_one_direction_moves_faster(grid: TrialGrid) -> None:
    expected = [grid.rate(A, SHIFT * lines) for lines in (1, 3, 2, 0)]

    found = []
    for kept in ([True, True], [True, True], [False, False], [False, False]):
        grid.learn(A, None, kept)
        found.append(grid.rate(A, 0))

    assert found == expected
    grid.learn(A, None, [True, False])  # it is near, though no curve can be laid through that
    assert grid.rate(A, 0) == expected[-1]


def test_trials_that_end_either_way_at_all_rates_are_spread(grid: TrialGrid) -> None:
    further = [grid.rate(A, 2 * offset) for offset in OFFSETS]

    grid.learn(A, None, [True, False])

    assert [grid.rate(A, offset) for offset in OFFSETS] == further


def test_every_turn_has_all_contenders_at_one_line() -> None:
    turns = permutations(Generator(PCG64(7)), ["a", "b", "c"], repeats=2)

    assert sorted(turn[0][1] for turn in turns) == sorted(2 * OFFSETS)
    for turn in turns:
        assert sorted(name for name, _ in turn) == ["a", "b", "c"]
        assert len({offset for _, offset in turn}) == 1
    assert len({tuple(name for name, _ in turn) for turn in turns}) > 1
    assert turns == permutations(Generator(PCG64(7)), ["a", "b", "c"], repeats=2)


def test_the_best_guess_is_what_a_search_had_time_for() -> None:
    assert center_of(search(100.0, 400.0)) == pytest.approx(200.0)
    assert center_of(search(None, 400.0)) == pytest.approx(400.0)
    between = center_of(search(None, None, (100.0, True), (200.0, True), (300.0, False)))
    assert 200.0 < between < 300.0
    assert center_of(search(None, None, (100.0, True))) == 90.0


def test_a_ladder_without_a_success_has_no_rate_to_try() -> None:
    found = search(None, None)
    rung = found.ladder[0].model_copy(update={"rate_per_s": 0.0})

    with pytest.raises(NoCapacityError, match="no successful transaction"):
        center_of(found.model_copy(update={"ladder": [rung]}))
