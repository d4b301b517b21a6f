"""Student's t: means, amounts, separate groups, equivalence."""

import math

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike

from tests.statistics.constructed import known
from wirelab.statistics import (
    Amount,
    Estimate,
    Summary,
    difference_of_means,
    geometric_mean,
    mean_estimate,
)

SLEEP_FIRST = np.array([0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0])
SLEEP_SECOND = np.array([1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4])
MAIZE = [6, 8, 14, 16, 23, 24, 28, 29, 41, -48, 49, 56, 60, -67, 75]
JSON_OLD = [1726, 1723, 1707, 1707, 1713, 1729, 1736, 1707, 1705, 1774]
JSON_NEW = [1423, 1416, 1411, 1413, 1412, 1426, 1422, 1424, 1447, 1425]
GOB_OLD = [3069, 3075, 3069, 3067, 3207, 3064, 3064, 3058, 3059, 3062]
GOB_NEW = [3075, 3065, 3059, 3065, 3060, 3081, 3186, 3135, 3087, 3062]
# First variable of the data set "clinic", patients 1-15 and 16-30.
CLINIC_FIRST = np.array(
    [2.84, 2.51, 2.41, 2.95, 3.14, 3.79, 4.14, 3.85, 3.02, 3.45, 5.37, 3.81, 4.19, 3.16, 3.84]
)
CLINIC_SECOND = np.array(
    [2.60, 2.82, 2.18, 3.46, 4.01, 3.04, 3.47, 4.06, 2.91, 3.59, 4.51, 3.16, 3.86, 3.31, 3.02]
)


def separate(first: ArrayLike, second: ArrayLike) -> Estimate:
    return difference_of_means(Summary.from_values(first), Summary.from_values(second))


@pytest.mark.parametrize(
    ("estimate", "t_statistic", "freedom", "p_value", "interval"),
    [
        (
            mean_estimate(SLEEP_FIRST - SLEEP_SECOND),
            *(-4.0621277, 9, 0.00283289, (-2.4598858, -0.7001142)),
        ),
        (
            separate(SLEEP_FIRST, SLEEP_SECOND),
            *(-1.8608135, 17.776474, 0.0793941, (-3.3654832, 0.2054832)),
        ),
        (mean_estimate(MAIZE), 2.1479875, 14, 0.0497029, (0.0311933, 41.8354733)),
    ],
    ids=["sleep, paired", "sleep, unpaired", "maize"],
)
def test_vector_11(
    estimate: Estimate,
    t_statistic: float,
    freedom: float,
    p_value: float,
    interval: tuple[float, float],
) -> None:
    assert estimate.t_statistic() == pytest.approx(t_statistic, abs=1e-7)
    assert estimate.degrees_of_freedom == pytest.approx(freedom, abs=1e-6)
    assert estimate.p_value() == pytest.approx(p_value, abs=1e-7)
    assert estimate.interval() == pytest.approx(interval, abs=1e-7)


LOGS = np.log(CLINIC_FIRST), np.log(CLINIC_SECOND)


@pytest.mark.parametrize(
    ("estimate", "limits", "p_value"),
    [
        (separate(CLINIC_FIRST, CLINIC_SECOND), (-0.6, 0.6), 0.04853083976),
        (mean_estimate(CLINIC_FIRST - CLINIC_SECOND), (-0.6, 0.6), 0.00316688149),
        (separate(*LOGS), np.log((0.8, 1.25)), 0.01047085593),
        (mean_estimate(LOGS[0] - LOGS[1]), np.log((0.8, 1.25)), 0.00016641579),
    ],
    ids=["groups", "pairs", "logs of groups", "logs of pairs"],
)
def test_vector_8_equivalence(
    estimate: Estimate, limits: tuple[float, float], p_value: float
) -> None:
    assert estimate.p_inside(*limits) == pytest.approx(p_value, abs=1e-11)


def test_vector_8_degrees_of_freedom() -> None:
    found = separate(CLINIC_FIRST, CLINIC_SECOND).degrees_of_freedom

    assert found == pytest.approx(26.7484787582, abs=1e-10)


def test_vector_2_welch_on_logs() -> None:
    json = separate(np.log(JSON_NEW), np.log(JSON_OLD))
    gob = separate(np.log(GOB_NEW), np.log(GOB_OLD))
    json_interval, gob_interval = json.interval(), gob.interval(0.90)
    assert json_interval is not None
    assert gob_interval is not None

    assert math.exp(json.value) == pytest.approx(0.8254253, abs=1e-7)
    assert np.exp(json_interval) == pytest.approx((0.8175561, 0.8333702), abs=1e-7)
    assert np.exp(gob_interval) == pytest.approx((0.9919391, 1.0134667), abs=1e-7)
    assert gob.p_inside(-math.log(1.02), math.log(1.02)) == pytest.approx(0.0062974, abs=1e-7)


@given(
    st.floats(-10, 10), st.floats(0.01, 10), st.floats(1, 100), st.floats(-5, 0), st.floats(0.1, 5)
)
def test_equivalence_is_the_90_percent_interval_inside_the_limits(
    value: float, error: float, freedom: float, low: float, high: float
) -> None:
    estimate = Estimate(value, error, freedom)
    interval = known(estimate.interval(0.90))
    p_value = estimate.p_inside(low, high)

    if abs(p_value - 0.05) > 1e-9:
        assert interval.lies_within(low, high) == (p_value < 0.05)


def test_agrees_with_statsmodels_on_random_groups() -> None:
    from statsmodels.stats.weightstats import CompareMeans  # noqa: PLC0415, slow

    rng = np.random.default_rng(5)
    for size in (2, 5, 30):
        first, second = rng.normal(1.0, 1.0, size), rng.normal(1.3, 3.0, size + 1)
        reference = CompareMeans.from_data(first, second)

        estimate = separate(first, second)

        assert estimate.interval() == pytest.approx(reference.tconfint_diff(usevar="unequal"))
        assert estimate.p_value() == pytest.approx(reference.ttest_ind(usevar="unequal")[1])


def test_values_that_do_not_vary_have_a_point_for_an_interval() -> None:
    estimate = mean_estimate([0.1, 0.1, 0.1])

    assert estimate.interval() == (0.1, 0.1)
    assert (estimate.p_value(), estimate.p_value(0.1)) == (0.0, 1.0)
    assert estimate.p_inside(-1.0, 1.0) == 0.0
    assert estimate.p_inside(-1.0, 0.0) == 1.0
    same = difference_of_means(Summary(2.0, 0.0, 5), Summary(1.0, 0.0, 5))
    assert same.interval() == (1.0, 1.0)


@pytest.mark.parametrize("values", [[], [3.0]])
def test_without_a_spread_nothing_can_be_rejected(values: list[float]) -> None:
    estimate = mean_estimate(values)

    assert estimate.interval() is None
    assert estimate.p_value() == 1.0
    assert estimate.p_inside(-10.0, 10.0) >= 0.5


def test_value_and_interval_of_an_amount_are_one_estimand() -> None:
    values = np.array([100.0, 120.0, 90.0, 150.0, 110.0, 80.0])
    logs = known(mean_estimate(np.log(values)).interval())

    amount = geometric_mean(values)

    assert amount.value == pytest.approx(scipy.stats.gmean(values))
    assert amount.interval == pytest.approx(tuple(np.exp(logs)))
    assert amount.interval is not None
    assert math.sqrt(amount.interval.low * amount.interval.high) == pytest.approx(amount.value)


def test_missing_blocks_of_an_amount_are_counted() -> None:
    amount = geometric_mean([10.0, math.nan, 40.0])

    assert (amount.blocks, amount.dropped_blocks) == (2, 1)
    assert amount.value == pytest.approx(20.0)
    assert geometric_mean([1.0]) == Amount(1.0, None, 1, 0)
    assert math.isnan(geometric_mean([]).value)


def test_the_interval_of_an_amount_covers_it() -> None:
    """The blocks of a spread-out quantity; an arithmetic mean with this interval would not do."""
    rng = np.random.default_rng(12)
    covered, covered_by_the_old_way = 0, 0
    for values in rng.lognormal(0.0, 0.8, (2000, 10)):
        interval = geometric_mean(values).interval
        assert interval is not None
        covered += interval.contains(1.0)
        covered_by_the_old_way += interval.contains(math.exp(0.8**2 / 2))

    assert 0.94 <= covered / 2000 <= 0.96
    assert covered_by_the_old_way / 2000 < 0.85
