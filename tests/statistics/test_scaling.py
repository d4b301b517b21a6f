"""The Universal Scalability Law on published sweeps."""

import math

import numpy as np
import pytest
import scipy

from tests.statistics.constructed import known
from tests.support.wording import assert_worded
from wirelab.statistics import fit_scalability

SPECSDM91 = ([1, 18, 36, 72, 108, 144, 216], [64.9, 995.9, 1652.4, 1853.2, 1828.9, 1775.0, 1702.2])
RAYTRACER = ([1, 4, 8, 12, 16, 20], [20, 78, 130, 170, 190, 200])


def test_vector_10_specsdm91_by_its_logarithms() -> None:
    """The sweep is published; the figures are those of scipy's `curve_fit` of ln X."""
    fit = fit_scalability(*SPECSDM91)

    assert fit.contention.value == pytest.approx(0.01345247, abs=2e-8)
    assert fit.coherency.value == pytest.approx(1.151101e-4, abs=1e-9)
    assert fit.unit_throughput.value == pytest.approx(67.94232, abs=2e-4)
    assert fit.contention.standard_error == pytest.approx(0.00404219, abs=1e-7)
    assert fit.coherency.standard_error == pytest.approx(2.162095e-5, abs=1e-10)
    assert fit.unit_throughput.standard_error == pytest.approx(4.538268, abs=2e-5)
    assert fit.contention.degrees_of_freedom == 4
    assert fit.peak_concurrency == pytest.approx(
        math.sqrt((1 - 0.01345247) / 1.151101e-4), abs=0.01
    )
    assert fit.peak_throughput == pytest.approx(fit.throughput_at(92.577), abs=0.01)
    assert fit.applies
    assert fit.warnings == ()


def test_vector_10_raytracer_has_not_reached_its_peak() -> None:
    fit = fit_scalability(*RAYTRACER)

    assert fit.contention.value == pytest.approx(0.0167165, abs=1e-7)
    assert fit.coherency.value == pytest.approx(0.00189100, abs=1e-8)
    assert fit.unit_throughput.value == pytest.approx(20.28137, abs=1e-5)
    assert (fit.peak_concurrency, fit.peak_throughput) == (None, None)
    assert_worded("\n".join(fit.warnings))


@pytest.mark.parametrize(("levels", "throughput"), [SPECSDM91, RAYTRACER])
def test_agrees_with_scipy(levels: list[int], throughput: list[float]) -> None:
    fit = fit_scalability(levels, throughput)
    expected, covariance = scipy.optimize.curve_fit(
        lambda n, a, b, g: np.log(g * n / (1 + a * (n - 1) + b * n * (n - 1))),
        np.array(levels, dtype=float),
        np.log(throughput),
        p0=[0.01, 1e-4, throughput[0]],
        ftol=1e-14,
        xtol=1e-14,
        gtol=1e-14,
    )
    parameters = (fit.contention, fit.coherency, fit.unit_throughput)

    assert [each.value for each in parameters] == pytest.approx(expected, rel=1e-5)
    errors = [each.standard_error for each in parameters]
    assert errors == pytest.approx(np.sqrt(np.diag(covariance)), rel=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("levels", [(1, 2, 4, 8, 16, 32), (1, 4, 8, 16)])
@pytest.mark.parametrize(
    ("contention", "coherency"), [(0.02, 0.0005), (0.1, 0.0), (0.02, 0.0), (0.3, 0.002)]
)
def test_intervals_cover_the_parameters(
    levels: tuple[int, ...], contention: float, coherency: float
) -> None:
    """Least squares of X itself covered α in 88 to 90 % of sweeps, and β in 80 %."""
    rng = np.random.default_rng(30)
    n = np.array(levels, dtype=float)
    true = 100.0 * n / (1 + contention * (n - 1) + coherency * n * (n - 1))
    covered = []
    for _ in range(200):
        fit = fit_scalability(n, true * np.exp(rng.normal(0.0, 0.05, n.size)))
        for estimate, value in ((fit.contention, contention), (fit.coherency, coherency)):
            interval = known(estimate.interval())
            assert interval.low >= 0.0
            covered.append(interval.contains(value))

    assert np.mean(covered) >= 0.92


@pytest.mark.parametrize("levels", [[1, 2, 4, 8, 16], [4, 8, 16, 32]])
def test_constant_throughput_is_contention_alone(levels: list[int]) -> None:
    fit = fit_scalability(levels, [50.0] * len(levels))

    assert fit.contention.value == pytest.approx(1.0)
    assert fit.coherency.value == pytest.approx(0.0, abs=1e-9)
    assert (fit.r_squared, fit.applies, fit.peak_concurrency) == (1.0, True, None)


def test_vector_10_gunther() -> None:
    fit = fit_scalability([1, 2, 4, 6, 8, 10], [1, 1.8868, 3.0769, 3.5294, 3.5398, 3.3557])

    assert fit.contention.value == pytest.approx(0.02, abs=1e-5)
    assert fit.coherency.value == pytest.approx(0.02, abs=1e-5)
    assert fit.unit_throughput.value == pytest.approx(1.0, abs=1e-5)
    assert fit.peak_concurrency == pytest.approx(math.sqrt(0.98 / 0.02), abs=1e-3)


def test_perfect_scaling_has_no_contention_and_no_peak() -> None:
    levels = np.array([1, 2, 4, 8, 16])

    fit = fit_scalability(levels, 50.0 * levels)

    assert fit.unit_throughput.value == pytest.approx(50.0)
    assert fit.throughput_at(32) == pytest.approx(1600.0, rel=1e-6)
    assert fit.peak_concurrency is None
    assert fit.contention.value == pytest.approx(0.0, abs=5e-5)


def test_the_unit_of_throughput_does_not_matter() -> None:
    levels, throughput = SPECSDM91

    scaled = fit_scalability(levels, np.array(throughput) * 1e-3)

    assert scaled.contention.value == pytest.approx(0.01345247, abs=2e-8)
    assert scaled.unit_throughput.value == pytest.approx(0.06794232, abs=2e-7)


@pytest.mark.parametrize(
    "throughput",
    [(100, 20, 150, 10, 130, 60), (100, 60, 45, 40, 38, 37)],
    ids=["poor fit", "contention above 1"],
)
def test_a_law_that_does_not_apply_is_reported(throughput: tuple[int, ...]) -> None:
    fit = fit_scalability([1, 2, 4, 8, 16, 32], throughput)

    assert not fit.applies
    assert_worded("\n".join(fit.warnings))
