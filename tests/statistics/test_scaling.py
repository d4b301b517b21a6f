"""The Universal Scalability Law on published sweeps."""

import math

import numpy as np
import pytest

from wirelab.statistics import fit_scalability

SPECSDM91 = ([1, 18, 36, 72, 108, 144, 216], [64.9, 995.9, 1652.4, 1853.2, 1828.9, 1775.0, 1702.2])
RAYTRACER = ([1, 4, 8, 12, 16, 20], [20, 78, 130, 170, 190, 200])


def test_vector_10_specsdm91() -> None:
    fit = fit_scalability(*SPECSDM91)

    assert fit.contention.value == pytest.approx(0.0277284, abs=2e-7)
    assert fit.coherency.value == pytest.approx(1.043658e-4, abs=1e-9)
    assert fit.unit_throughput.value == pytest.approx(89.99518, abs=2e-4)
    assert fit.contention.standard_error == pytest.approx(0.0091218, abs=1e-6)
    assert fit.coherency.standard_error == pytest.approx(1.98767e-5, abs=1e-8)
    assert fit.unit_throughput.standard_error == pytest.approx(14.21352, abs=2e-4)
    assert fit.contention.degrees_of_freedom == 4
    assert fit.residual_error == pytest.approx(82.846, abs=5e-4)
    assert fit.peak_concurrency == pytest.approx(96.519, abs=1e-3)
    assert fit.peak_throughput == pytest.approx(1883.90, abs=0.005)
    assert fit.warnings == ()


def test_vector_10_raytracer_has_not_reached_its_peak() -> None:
    fit = fit_scalability(*RAYTRACER)

    assert fit.contention.value == pytest.approx(0.024444, abs=5e-7)
    assert fit.coherency.value == pytest.approx(0.0016268, abs=5e-8)
    assert fit.unit_throughput.value == pytest.approx(20.85605, abs=5e-6)
    assert fit.contention.interval() == pytest.approx((-0.0023, 0.0511), abs=1e-4)
    assert fit.coherency.interval() == pytest.approx((0.0008, 0.0025), abs=1e-4)
    assert fit.unit_throughput.interval() == pytest.approx((18.35, 23.36), abs=1e-2)
    assert (fit.peak_concurrency, fit.peak_throughput) == (None, None)
    assert fit.warnings == ("no peak observed: the fitted one lies beyond all levels",)


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

    assert scaled.contention.value == pytest.approx(0.0277284, abs=2e-7)
    assert scaled.unit_throughput.value == pytest.approx(0.08999518, abs=2e-7)


def test_a_poor_fit_is_reported() -> None:
    fit = fit_scalability([1, 2, 4, 8, 16, 32], [100, 20, 150, 10, 130, 60])

    assert any("explains only" in warning for warning in fit.warnings)
    assert not fit.applies


def test_contention_beyond_the_law_is_a_warning() -> None:
    fit = fit_scalability([1, 2, 4, 8, 16], [100, 60, 45, 40, 38])

    assert any("does not apply" in warning for warning in fit.warnings)
    assert not fit.applies


@pytest.mark.parametrize(
    ("levels", "throughput", "message"),
    [
        ([1, 2, 4], [1.0, 2.0, 3.0], "at least four levels"),
        ([1, 2, 4, 8], [1.0, 2.0], "at least four levels"),
        ([1, 2, 4, 8], [1.0, 2.0, 3.0, 0.0], "above 0"),
    ],
)
def test_sweeps_that_cannot_be_fitted_are_refused(
    levels: list[int], throughput: list[float], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        fit_scalability(levels, throughput)
