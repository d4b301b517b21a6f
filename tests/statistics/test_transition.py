"""The rate that half of the trials sustain, from trials whose curve is known."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.statistics.constructed import known
from wirelab.statistics import fit_transition

GRID = 500.0 * 1.04 ** np.arange(-4, 5)


def trials(
    middle: float, slope: float, each: int, seed: int
) -> tuple[np.ndarray[tuple[int], np.dtype[np.float64]], np.ndarray[tuple[int], np.dtype[np.bool]]]:
    """Draw trials at each rate of the grid."""
    rates = np.repeat(GRID, each)
    share = 1.0 / (1.0 + np.exp(-slope * (math.log(middle) - np.log(rates))))
    return rates, np.random.default_rng(seed).random(rates.size) < share


def test_the_curve_is_the_one_of_statsmodels() -> None:
    import statsmodels.api as sm  # noqa: PLC0415, slow

    rates, kept = trials(500.0, 25.0, 20, seed=3)
    oracle = sm.Logit(kept.astype(float), sm.add_constant(np.log(rates))).fit(disp=False)

    found = known(fit_transition(rates, kept))

    assert found.slope == pytest.approx(-oracle.params[1], rel=1e-3)
    assert found.rate == pytest.approx(math.exp(-oracle.params[0] / oracle.params[1]), rel=1e-5)
    assert found.trials == 180


def test_the_middle_of_many_searches_is_not_biased() -> None:
    middles = []
    for seed in range(100):
        found = known(fit_transition(*trials(510.0, 40.0, 3, seed)))
        middles.append(math.log(found.rate / 510.0))

    assert abs(float(np.mean(middles))) < 0.004
    assert float(np.std(middles)) < 0.02


@pytest.mark.parametrize("slope", [25.0, 80.0, 400.0])
def test_the_variance_is_that_of_the_error(slope: float) -> None:
    """Also where one rate separates the trials, so that equal searches have equal values."""
    errors, variances = [], []
    for seed in range(60):
        middle = 500.0 * 1.04 ** (seed / 60 - 0.5)
        found = known(fit_transition(*trials(middle, slope, 3, seed)))
        errors.append(math.log(found.rate / middle))
        variances.append(found.variance)

    assert 0.7 <= math.sqrt(np.mean(variances)) / np.std(errors) <= 1.6
    assert min(variances) > 0.0


def test_trials_that_one_rate_separates_have_its_middle() -> None:
    rates = np.repeat([400.0, 420.0, 440.0, 460.0], 5)

    found = known(fit_transition(rates, rates < 430.0))

    assert found.rate == pytest.approx(math.sqrt(420.0 * 440.0), rel=0.002)


@pytest.mark.parametrize("kept", [True, False])
def test_without_both_kinds_of_trials_there_is_no_middle(kept: bool) -> None:
    assert fit_transition(GRID, np.full(GRID.size, kept)) is None
    assert fit_transition([500.0] * 4, [True, False, True, False]) is None


def test_a_curve_that_rises_with_the_rate_has_no_middle() -> None:
    assert fit_transition(GRID, GRID > 500.0) is None


@settings(deadline=None, max_examples=10)
@given(st.floats(0.01, 1e6))
def test_the_unit_of_rates_does_not_matter(unit: float) -> None:
    rates, kept = trials(500.0, 30.0, 3, seed=1)
    usual, other = fit_transition(rates, kept), fit_transition(unit * rates, kept)

    assert usual is not None
    assert other is not None
    assert other.rate == pytest.approx(unit * usual.rate, rel=1e-4)
