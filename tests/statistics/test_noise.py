"""The twin: how well a machine tells a contender from itself."""

import math

import numpy as np
import pytest

from wirelab.statistics import compare, margin_from, noise_floor, twin_check

QUIET = np.array([1.00, 1.01, 0.99, 1.005, 0.995, 1.0])
STEADY = np.ones(6)


def test_the_floor_is_the_half_width_of_the_interval() -> None:
    floor = noise_floor(QUIET, STEADY)
    interval = compare(QUIET, STEADY).interval95
    assert interval is not None

    assert floor.half_width_ratio is not None
    assert 1.0 + floor.half_width_ratio == pytest.approx(math.sqrt(interval.high / interval.low))
    assert floor.warnings == ()


def test_a_twin_that_differs_from_itself_is_a_warning() -> None:
    floor = noise_floor(QUIET * 1.1, STEADY)

    assert any("told apart" in warning for warning in floor.warnings)


def test_the_margin_is_twice_the_floor_but_at_least_five_percent() -> None:
    noisy = noise_floor(np.exp([0.1, -0.1, 0.1, -0.1, 0.1, -0.1]), STEADY)
    assert noisy.half_width_ratio is not None

    assert margin_from(noise_floor(QUIET, STEADY)) == 0.05
    assert margin_from(noisy) == pytest.approx(2 * noisy.half_width_ratio)
    assert margin_from(noise_floor(QUIET, STEADY), floor=0.2) == 0.2


def test_an_unknown_floor_leaves_the_margin_alone() -> None:
    floor = noise_floor([1.0], [1.0])

    assert floor.half_width_ratio is None
    assert margin_from(floor) == 0.05


@pytest.mark.parametrize(
    ("alarms", "comparisons", "reliable"),
    # Exact binomial tails at 5 %: P(X >= 4 | 20) = 0.0159, P(X >= 5 | 20) = 0.0026.
    [(0, 20, True), (4, 20, True), (5, 20, False), (1, 1, True), (2, 2, False)],
)
def test_too_many_false_alarms_make_a_study_unreliable(
    alarms: int, comparisons: int, reliable: bool
) -> None:
    check = twin_check([0.001] * alarms + [0.5] * (comparisons - alarms))

    assert (check.false_positives, check.comparisons) == (alarms, comparisons)
    assert check.reliable is reliable


def test_without_twins_nothing_speaks_against_the_study() -> None:
    assert twin_check([]).reliable
