"""How many runs, and of what: the worked examples of Kalibera and Jones."""

import math

import numpy as np
import pytest

from wirelab.statistics import (
    blocks_for,
    compare,
    expected_half_width,
    optimal_repetitions,
    variance_components,
)

NESTED = [[[9, 5], [8, 3]], [[10, 6], [7, 11]], [[1, 12], [2, 4]]]


def test_vector_1_three_levels() -> None:
    components = variance_components(NESTED)

    assert components.mean.value == 6.5
    assert components.repetitions == (2, 2, 3)
    assert components.observed == pytest.approx((16.5, 2.5833333, 3.5625), abs=1e-7)
    assert components.own == pytest.approx((16.5, -5.6666667, 2.2708333), abs=1e-7)


def test_vector_1_two_levels() -> None:
    components = variance_components(np.reshape(NESTED, (3, 4)))

    assert components.observed == pytest.approx((12.7222222, 3.5625), abs=1e-7)
    assert components.own == pytest.approx((12.7222222, 0.3819444), abs=1e-7)
    assert components.mean.half_width() == pytest.approx(4.6887071, abs=1e-7)


def test_vector_1_optimum() -> None:
    components = variance_components(
        [[[3.0, 4.0, 3.0], [1.2, 3.1, 3.0]], [[0.2, 1.0, 1.5], [1.0, 2.0, 3.0]]]
    )
    own = components.own

    assert own == pytest.approx((0.7266667, 0.2627778, 0.7747222), abs=1e-7)
    assert math.sqrt(20 / 3 * own[0] / own[1]) == pytest.approx(4.2936602, abs=1e-7)
    assert math.sqrt(100 / 20 * own[1] / own[2]) == pytest.approx(1.3022859, abs=1e-7)
    assert optimal_repetitions(own, (3, 20, 100)) == (5, 2)


def test_levels_without_variation_of_their_own() -> None:
    assert optimal_repetitions((1.0, 0.0, 1.0), (1, 1, 1)) == (None, 1)
    assert optimal_repetitions((1.0, -5.0), (1, 1)) == (None,)


@pytest.mark.parametrize("measurements", [[[1.0], [2.0]], [1.0], 3.0])
def test_every_level_must_be_repeated(measurements: object) -> None:
    with pytest.raises(ValueError, match="at least two repetitions"):
        variance_components(measurements)  # type: ignore[arg-type]


@pytest.mark.parametrize("costs", [(1.0,), (1.0, 0.0), ()])
def test_every_level_must_have_a_cost(costs: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="positive cost"):
        optimal_repetitions((1.0, 1.0), costs)


@pytest.mark.parametrize(
    ("deviation", "half_width", "blocks"),
    [(0.02, 0.05, 6), (0.02, 0.02, 7), (0.05, 0.05, 7), (0.05, 0.02, 27),
     (0.10, 0.05, 19), (0.10, 0.02, 101)],
)  # fmt: skip
def test_quick_table_of_blocks(deviation: float, half_width: float, blocks: int) -> None:
    assert blocks_for(deviation, half_width) == blocks


def test_expected_precision_is_that_of_a_comparison() -> None:
    a = np.exp([0.1, -0.1, 0.05, -0.05, 0.02, -0.02, 0.0])
    comparison = compare(a, np.ones(7))
    assert comparison.interval95 is not None

    expected = expected_half_width(float(np.std(comparison.log_ratios, ddof=1)), 7)

    assert 1.0 + expected == pytest.approx(comparison.interval95.high / comparison.ratio)


def test_impossible_precision_is_refused() -> None:
    with pytest.raises(ValueError, match="needs more than 1000 blocks"):
        blocks_for(1.0, 0.001)
    with pytest.raises(ValueError, match="1 blocks; an interval needs two"):
        expected_half_width(0.1, 1)
