"""Papers against themselves: what rounding allows, and figures of the five studies.

Those that the studies check themselves are in `tests/claims/test_arithmetic.py`.
"""

import math

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from tests.support.wording import assert_worded
from wirelab.statistics import (
    Summary,
    check_gain,
    check_same,
    compare,
    difference_of_means,
    size_from_interval,
)

DOCKER_GRAPHQL, LOCAL_GRAPHQL = [224.33, 289.60, 682.20, 2140.51], [318.83, 481.02, 857.44, 2302.71]
DOCKER_REST, LOCAL_REST = [222.75, 281.54, 711.95, 2158.57], [363.91, 496.79, 898.11, 2697.58]


@pytest.mark.parametrize(
    ("mean", "deviation", "low", "high"),
    [
        (1025.328, 2319.840, 552.753, 1497.904),
        (1149.820, 2709.509, 597.865, 1701.775),
        (866.262, 2108.299, 436.780, 1295.745),
        (876.39, 2132.421, 441.994, 1310.787),
    ],
)
def test_vector_14_intervals_take_95_values(
    mean: float, deviation: float, low: float, high: float
) -> None:
    finding = size_from_interval(mean, deviation, low, high)

    assert (finding.smallest, finding.count, finding.largest) == (95, 95, 95)
    assert not finding.admits(380)
    assert finding.recomputed_half_width == pytest.approx(finding.half_width, rel=1e-4)


def test_an_interval_that_no_size_makes() -> None:
    # Six values of deviation 10 give ±10.49, five ±12.42.
    finding = size_from_interval("50.00", "10.00", "39.00", "61.00")

    assert finding.count is None
    assert_worded(finding.note)


@given(
    count=st.integers(2, 100_000),
    mean=st.floats(-1000.0, 1000.0),
    deviation=st.floats(0.6, 1000.0),
    decimals=st.integers(0, 4),
)
def test_an_honest_interval_admits_its_number_of_values(
    count: int, mean: float, deviation: float, decimals: int
) -> None:
    half_width = float(scipy.stats.t.ppf(0.975, count - 1)) * deviation / math.sqrt(count)
    figures = (mean, deviation, mean - half_width, mean + half_width)
    centre, sd, low, high = (f"{figure:.{decimals}f}" for figure in figures)

    finding = size_from_interval(centre, sd, low, high)

    assert finding.admits(count), finding.note


def test_an_interval_without_width_has_no_largest_number_of_values() -> None:
    finding = size_from_interval("3", "1", "3", "3")

    assert (finding.smallest, finding.largest) == (7, None)
    assert finding.admits(10**9)
    assert_worded(finding.note)


def test_an_interval_beside_its_mean() -> None:
    finding = size_from_interval(55.0, 10.0, 39.51, 60.49)

    assert finding.count is None
    assert_worded(finding.note)


def test_a_gain_is_not_relative_to_a_figure_that_may_be_zero() -> None:
    assert check_gain("100", "0", "10").consistent
    assert not check_gain("50", "0", "10").consistent


def test_vector_14_ratios_of_the_means() -> None:
    """S1: the geometric mean of the cells' ratios."""
    graphql = compare(np.log(DOCKER_GRAPHQL) - np.log(LOCAL_GRAPHQL))
    rest = compare(np.log(DOCKER_REST) - np.log(LOCAL_REST))

    assert graphql.ratio == pytest.approx(0.748, abs=5e-4)
    assert rest.ratio == pytest.approx(0.685, abs=5e-4)


def test_vector_14_published_throughputs_by_welch() -> None:
    """S4: naive to caching is a step, batching to both is undecided within ±7 %."""
    naive, caching = Summary(200, 38.84, 5), Summary(312, 15.41, 5)
    batching, both = Summary(729, 33.39, 5), Summary(735, 32.77, 5)

    step = difference_of_means(naive, caching)
    assert step.t_statistic() == pytest.approx(-5.99, abs=0.005)
    assert step.p_value() == pytest.approx(0.0016, abs=5e-5)
    assert difference_of_means(caching, batching).p_value() < 1e-6
    last = difference_of_means(both, batching)
    assert last.p_value() == pytest.approx(0.78, abs=0.005)
    assert last.interval() == pytest.approx((-42, 54), abs=0.5)


def test_a_percentage_of_the_other_side_is_named() -> None:
    # 80 is 20 % less than 100; 100 is 25 % more than 80.
    findings = [check_gain(gain, "80.0", "100.0") for gain in ("20", "25", "22")]

    assert [finding.consistent for finding in findings] == [True, True, False]
    assert_worded("\n".join(finding.note for finding in findings))


@given(st.floats(1, 1000), st.floats(1, 1000), st.integers(0, 3))
def test_rounding_alone_is_never_a_finding(first: float, second: float, places: int) -> None:
    improved, base = sorted((first, second))
    gain = 100 * (1 - improved / base)
    printed = [f"{value:.{places}f}" for value in (gain, improved, base)]

    if float(printed[1]) > 0.5:
        assert check_gain(*printed).consistent


@given(st.floats(100, 1e4), st.integers(2, 200))
def test_the_size_behind_a_printed_interval_is_found(deviation: float, count: int) -> None:
    half_width = scipy.stats.t.ppf(0.975, count - 1) * deviation / math.sqrt(count)
    low, high = 5000.0 - half_width, 5000.0 + half_width

    finding = size_from_interval("5000.000", f"{deviation:.3f}", f"{low:.3f}", f"{high:.3f}")

    assert finding.count == count


def test_two_places_that_print_one_figure() -> None:
    assert check_same("0.70", "0.7").consistent
    finding = check_same("2.79", "-2.79", "tables 6 and 10")
    assert not finding.consistent
    assert_worded(finding.note)
