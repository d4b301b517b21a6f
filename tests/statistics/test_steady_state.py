"""Warm-up, slow-down, drift: constructed series whose class is known."""

import math

import numpy as np
import pytest
from scipy import stats

from wirelab.statistics import Settling, classify_settling, theil_sen_slope

NOISE = np.random.default_rng(9).normal(0.0, 1.0, 60)


def test_one_level_is_flat() -> None:
    result = classify_settling(100.0 + NOISE)

    assert (result.settling, result.start) == (Settling.FLAT, 0)


@pytest.mark.parametrize(
    ("first_level", "settling"), [(120.0, Settling.WARM_UP), (80.0, Settling.SLOW_DOWN)]
)
def test_an_early_change_leaves_a_steady_rest(first_level: float, settling: Settling) -> None:
    series = 100.0 + NOISE
    series[:12] += first_level - 100.0

    result = classify_settling(series)

    assert (result.settling, result.start) == (settling, 12)


def test_a_late_change_leaves_no_steady_state() -> None:
    series = 100.0 + NOISE
    series[40:] += 20.0

    result = classify_settling(series)

    assert (result.settling, result.start) == (Settling.NO_STEADY_STATE, None)
    assert result.reason == "the level changes at point 40 of 60 and the rest is too short"


def test_a_drift_is_no_steady_state() -> None:
    # Steep enough to drift in the last 70 %, whichever split is found.
    result = classify_settling(np.linspace(100.0, 130.0, 60) + 0.1 * NOISE)

    assert result.settling is Settling.NO_STEADY_STATE


def test_a_drift_that_noise_hides_from_the_split_is_measured() -> None:
    series = np.linspace(97.0, 103.0, 30) + 5.0 * NOISE[:30]

    result = classify_settling(series)

    assert result.settling is Settling.NO_STEADY_STATE
    assert result.reason.startswith("drifts by +")
    assert result.drift_ratio == pytest.approx(
        theil_sen_slope(series) * 30 / float(np.median(series))
    )


def test_an_exact_step_and_an_exact_constant() -> None:
    step = classify_settling([5.0] * 3 + [4.0] * 17)

    assert (step.settling, step.start) == (Settling.WARM_UP, 3)
    assert classify_settling([0.1] * 20).settling is Settling.FLAT
    assert classify_settling([0.0] * 20).settling is Settling.FLAT


def test_too_few_points_are_not_judged() -> None:
    assert classify_settling([1.0] * 9).settling is Settling.TOO_SHORT


def test_the_unit_of_the_series_does_not_matter() -> None:
    series = 100.0 + NOISE
    series[:12] += 20.0

    assert classify_settling(series * 1e-6).start == classify_settling(series).start


def test_gaps_are_refused() -> None:
    with pytest.raises(ValueError, match="not finite"):
        classify_settling([math.nan] * 20)


def test_theil_sen_agrees_with_scipy() -> None:
    series = 0.3 * np.arange(60) + NOISE

    assert theil_sen_slope(series) == pytest.approx(stats.theilslopes(series).slope)
    with pytest.raises(ValueError, match="two points"):
        theil_sen_slope([1.0])


@pytest.mark.slow
def test_false_alarms_on_steady_runs_are_rare() -> None:
    """One minute of per-second medians with 2 % noise is called flat in 95 % of runs or more."""
    rng = np.random.default_rng(10)
    classes = [classify_settling(rng.normal(100.0, 2.0, 60)).settling for _ in range(1000)]

    assert classes.count(Settling.FLAT) >= 950
