"""Warm-up, drift and noise: courses whose class is known."""

import math

import numpy as np
import pytest
import scipy
from numpy.typing import NDArray

from tests.support.wording import assert_worded
from wirelab.statistics import Settling, classify_settling, rank_correlation, trend_p_value

NOISE = np.random.default_rng(9).normal(0.0, 1.0, 60)
FALSE_ALARMS = 0.036
"""So many flat courses may be called anything else."""


def flat(rng: np.random.Generator, kind: str, points: int) -> NDArray[np.float64]:
    """A flat course of times whose noise has an sd of about 15 %."""
    noise = rng.normal(0.0, 0.15, points)
    if kind.startswith("AR(1)"):
        keep = float(kind.split()[1])
        noise = scipy.signal.lfilter(
            [math.sqrt(1.0 - keep**2)], [1.0, -keep], rng.normal(0.0, 0.15, 200)
        )
    elif kind == "heavy tails":
        noise = 0.08 * rng.standard_t(2.5, points)
    elif kind == "bursts":
        noise /= 3.0
        for start in rng.integers(0, points, rng.poisson(points / 12)):
            noise[start : start + rng.integers(1, 8)] += np.log(rng.uniform(1.5, 4.0))
    course: NDArray[np.float64] = np.exp(noise[-points:])
    return course


def warm_up(rate: float, share: float, points: int) -> NDArray[np.float64]:
    """A course that falls by a share: evenly, or by a number of e-foldings."""
    time = np.arange(points) / points
    fall = 1.0 - time if rate == 0.0 else np.exp(-rate * time)
    course: NDArray[np.float64] = 1.0 + share * fall
    return course


@pytest.mark.parametrize(
    ("course", "settling", "start"),
    [
        (100.0 + NOISE, Settling.FLAT, 0),
        (np.full(30, 0.1), Settling.FLAT, 0),
        (np.zeros(30), Settling.FLAT, 0),
        (100.0 * warm_up(8.0, 0.5, 60) + NOISE, Settling.SETTLED_LATER, 30),
        (100.0 * warm_up(8.0, -0.3, 60) + NOISE, Settling.SETTLED_LATER, 15),
        (100.0 * warm_up(6.0, 0.5, 60) + NOISE, Settling.SETTLED_LATER, 30),
        # From the half on, 28 points leave 14, and these are too few: only the quarter is tried.
        (100.0 * warm_up(6.0, 0.5, 28) + NOISE[:28], Settling.NO_STEADY_STATE, None),
        (100.0 * warm_up(0.0, 0.2, 60) + NOISE, Settling.NO_STEADY_STATE, None),
        (np.linspace(130.0, 100.0, 30), Settling.NO_STEADY_STATE, None),
        (np.ones(19), Settling.TOO_SHORT, None),
    ],
)
def test_a_course_is_flat_settled_or_neither(
    course: NDArray[np.float64], settling: Settling, start: int | None
) -> None:
    result = classify_settling(course)

    assert (result.settling, result.start) == (settling, start)
    assert result.is_settled is (start is not None)
    assert_worded(result.reason)


def test_a_drift_is_the_change_over_the_whole_course() -> None:
    result = classify_settling(100.0 * warm_up(0.0, 0.2, 60) + NOISE)

    assert result.drift_ratio == pytest.approx(-0.18, abs=0.01)


def test_a_trend_that_changes_little_is_flat() -> None:
    result = classify_settling(100.0 * warm_up(0.0, 0.04, 60) + 0.01 * NOISE)

    assert result.settling is Settling.FLAT
    assert result.p_value < 1e-6


def test_the_unit_of_the_series_does_not_matter() -> None:
    series = 100.0 * warm_up(8.0, 0.5, 60) + NOISE
    result, scaled = classify_settling(series), classify_settling(series * 1e-6)

    assert scaled.start == result.start
    assert scaled.drift_ratio == pytest.approx(result.drift_ratio)


def test_in_white_noise_a_trend_is_kendalls() -> None:
    # Alternating noise has no positive correlation that would have to be allowed for.
    series = 0.02 * np.arange(40) + np.abs(NOISE[:40]) * (-1.0) ** np.arange(40)
    expected = scipy.stats.kendalltau(np.arange(40), series, method="asymptotic")

    assert trend_p_value(series) == pytest.approx(expected.pvalue, rel=0.05)


def alarms(kind: str, points: int, courses: int) -> float:
    rng = np.random.default_rng(10)
    found = [classify_settling(flat(rng, kind, points)).settling for _ in range(courses)]
    return 1.0 - found.count(Settling.FLAT) / courses


KINDS = ["white", "AR(1) 0.3", "AR(1) 0.6", "heavy tails", "bursts"]


@pytest.mark.parametrize("kind", KINDS)
def test_flat_but_noisy_courses_are_rarely_called_unsettled(kind: str) -> None:
    # Three standard errors of a share of 3.6 % of 400 courses.
    assert alarms(kind, 30, 400) <= FALSE_ALARMS + 3.0 * math.sqrt(0.036 * 0.964 / 400)


@pytest.mark.thorough(reason="60,000 courses: a minute")
@pytest.mark.parametrize("points", [20, 30, 60, 120])
@pytest.mark.parametrize("kind", KINDS)
def test_flat_courses_of_any_length_raise_few_alarms(kind: str, points: int) -> None:
    assert alarms(kind, points, 3000) <= FALSE_ALARMS


@pytest.mark.parametrize(
    ("rate", "points", "least"),
    # A fall of 10 % in noise of 2 %, even or in three e-foldings.
    [(0.0, 30, 0.85), (0.0, 60, 0.98), (3.0, 60, 0.95)],
)
def test_a_warm_up_of_10_percent_is_found(rate: float, points: int, least: float) -> None:
    rng = np.random.default_rng(11)
    found = [
        classify_settling(warm_up(rate, 0.1, points) * rng.lognormal(0.0, 0.02, points)).settling
        is not Settling.FLAT
        for _ in range(200)
    ]

    assert np.mean(found) >= least


def test_an_unfinished_warm_up_is_rarely_called_settled() -> None:
    rng = np.random.default_rng(12)
    settled = [
        classify_settling(warm_up(0.0, 0.3, 60) * rng.lognormal(0.0, 0.05, 60)).is_settled
        for _ in range(200)
    ]

    assert np.mean(settled) <= 0.15


@pytest.mark.parametrize(("second", "coefficient"), [([1, 4, 9, 16], 1.0), ([3, 2, 1, 0], -1.0)])
def test_series_that_rise_together_correlate_in_their_ranks(
    second: list[int], coefficient: float
) -> None:
    result = rank_correlation([1, 2, 3, 4], second)

    assert (result.coefficient, result.p_value) == pytest.approx((coefficient, 0.0))


def test_ties_share_their_mean_rank() -> None:
    """By hand: ranks 1, 2.5, 2.5, 4 against 1, 2, 3, 4: 4.5/√(4.5 · 5)."""
    assert rank_correlation([1, 5, 5, 9], [1, 2, 3, 4]).coefficient == pytest.approx(0.9486833)


def test_a_constant_series_correlates_with_nothing() -> None:
    result = rank_correlation([1, 1, 1], [1, 2, 3])

    assert (result.coefficient, result.p_value) == (0.0, 1.0)
