"""From permutations to the value of a block."""

import math

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from wirelab.statistics import BlockValue, block_value, trimmed_mean, variance_of_one

A = np.array([1.02, 1.10, 0.98, 1.05, 2.90, 1.01, 1.04, 0.99, 1.07, 1.03, 1.00, 1.06])
B = np.array([0.95, 1.00, 0.93, 0.97, 1.02, 0.94, 1.30, 0.92, 1.01, 0.96, 0.95, 0.97])
LOG_RATIOS = np.log(A / B)
KEPT = np.delete(LOG_RATIOS, [1, 4, 6])
"""Without the permutations in which time was stolen: the second, the fifth and the seventh."""

values = st.lists(st.floats(-10.0, 10.0), min_size=1, max_size=60)


@pytest.mark.parametrize(
    ("log_ratios", "mean", "trimmed", "median"),
    [
        (LOG_RATIOS, 0.12775463, 0.07058594, 0.07146083),
        (KEPT, 0.06844231, 0.06799420, 0.07109592),
    ],
)
def test_vector_tv1(log_ratios: np.ndarray, mean: float, trimmed: float, median: float) -> None:
    assert np.mean(log_ratios) == pytest.approx(mean, abs=1e-8)
    assert trimmed_mean(log_ratios) == pytest.approx(trimmed, abs=1e-8)
    assert block_value(log_ratios) == trimmed_mean(log_ratios)
    assert np.median(log_ratios) == pytest.approx(median, abs=1e-8)


@given(values, st.sampled_from([0.0, 0.1, 0.2, 0.25, 0.4]))
def test_agrees_with_scipy(sample: list[float], share: float) -> None:
    assert trimmed_mean(sample, share) == pytest.approx(
        scipy.stats.trim_mean(sample, share), abs=1e-9
    )


@pytest.mark.parametrize(("count", "dropped"), [(1, 0), (4, 0), (5, 1), (14, 2), (15, 3), (30, 6)])
def test_the_number_dropped_at_each_end(count: int, dropped: int) -> None:
    sample = np.arange(count, dtype=float)
    sample[count - dropped :] = 1e9
    sample[:dropped] = -1e9

    assert trimmed_mean(sample) == pytest.approx((count - 1) / 2)


@given(values)
def test_swapping_the_sides_changes_the_sign(sample: list[float]) -> None:
    assert block_value([-value for value in sample]) == pytest.approx(-block_value(sample))


def test_permutations_without_a_value_are_left_out() -> None:
    assert block_value([0.1, math.nan, 0.2, -math.inf]) == pytest.approx(0.15)


def test_a_block_with_less_than_half_of_its_permutations_has_no_value() -> None:
    assert math.isnan(block_value([0.1, math.nan, math.nan]))
    assert math.isnan(block_value([math.nan]))
    assert math.isnan(block_value([]))


def test_without_trimming_it_is_the_usual_variance() -> None:
    assert variance_of_one([1.0, 2.0, 4.0, 7.0]) == pytest.approx(np.var([1, 2, 4, 7], ddof=1))


def test_the_error_of_a_trimmed_mean_is_known() -> None:
    """Heavy tails: t with three degrees of freedom."""
    samples = np.random.default_rng(22).standard_t(3, (3000, 30))

    observed = np.var([trimmed_mean(sample) for sample in samples])
    expected = np.mean([variance_of_one(sample) for sample in samples]) / 30

    assert expected == pytest.approx(observed, rel=0.1)


def test_a_block_value_has_the_variance_that_its_permutations_explain() -> None:
    block = BlockValue.from_permutations([*LOG_RATIOS, math.nan])

    assert block.value == block_value(LOG_RATIOS)
    assert block.variance == pytest.approx(variance_of_one(LOG_RATIOS) / LOG_RATIOS.size)


@pytest.mark.parametrize("log_ratios", [[], [0.1], [0.1, math.nan], [math.nan, math.nan]])
def test_too_few_permutations_leave_the_variance_unknown(log_ratios: list[float]) -> None:
    assert math.isnan(BlockValue.from_permutations(log_ratios).variance)


def test_block_values_are_shifted_inverted_and_subtracted() -> None:
    block = BlockValue(0.1, 0.04)
    difference = block.minus(BlockValue(0.3, 0.01))

    assert block.plus(0.5) == (0.6, 0.04)
    assert block.inverted() == (-0.1, 0.04)
    assert (difference.value, difference.variance) == pytest.approx((-0.2, 0.05))
