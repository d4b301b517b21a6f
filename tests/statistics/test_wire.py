"""Set-up and marginal bytes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.wording import assert_worded
from wirelab.statistics import fit_bytes

COUNTS = np.repeat([1, 2, 10, 100, 1000], 3)


@given(st.floats(0, 1e5), st.floats(1, 1e5))
def test_a_line_is_recovered(setup: float, marginal: float) -> None:
    fit = fit_bytes(COUNTS, setup + marginal * COUNTS)

    assert fit.setup == pytest.approx(setup, abs=1e-9 * (setup + 1000 * marginal))
    assert fit.marginal == pytest.approx(marginal, rel=1e-9)
    assert fit.r_squared == pytest.approx(1.0)
    assert fit.warnings == ()


def test_agrees_with_polyfit_and_its_errors() -> None:
    noise = np.random.default_rng(6).normal(0.0, 20.0, COUNTS.size)
    total = 5000.0 + 300.0 * COUNTS + noise
    (slope, intercept), covariance = np.polyfit(COUNTS, total, 1, cov=True)

    fit = fit_bytes(COUNTS, total)

    assert (fit.marginal, fit.setup) == pytest.approx((slope, intercept))
    assert fit.marginal_interval is not None
    assert fit.setup_interval is not None
    # t with 13 degrees of freedom at 97.5 %: 2.160369.
    assert fit.marginal_interval.high - slope == pytest.approx(2.160369 * covariance[0, 0] ** 0.5)
    assert fit.setup_interval.high - intercept == pytest.approx(2.160369 * covariance[1, 1] ** 0.5)


def test_bytes_of_a_connection() -> None:
    fit = fit_bytes([1, 11], [1100.0, 2100.0])

    assert (fit.setup, fit.marginal) == pytest.approx((1000.0, 100.0))
    assert fit.bytes_at(1) == pytest.approx(1100.0)
    assert fit.setup_interval is None


@pytest.mark.parametrize(
    ("counts", "total"),
    [
        ([1, 1, 100, 100], [1000.0, 1010.0, 20_000.0, 20_000.0]),
        # The first transaction fills a compression context; later ones are five times smaller.
        ([1, 2, 10, 100], [500.0, 2200.0, 3000.0, 12_000.0]),
        ([1, 2], [100.0, 300.0]),
    ],
    ids=["repeats differ", "bent line", "negative set-up"],
)
def test_what_is_no_line_has_a_warning(counts: list[int], total: list[float]) -> None:
    assert_worded("\n".join(fit_bytes(counts, total).warnings))


def test_the_largest_difference_between_repeats_is_their_spread() -> None:
    fit = fit_bytes([1, 1, 100, 100], [1000.0, 1010.0, 20_000.0, 20_000.0])

    assert fit.repeat_spread == pytest.approx(10 / 1005)


def test_a_direction_that_carries_nothing_is_a_flat_line() -> None:
    fit = fit_bytes([1, 1, 10], [0.0, 0.0, 0.0])

    assert (fit.setup, fit.marginal, fit.r_squared, fit.warnings) == (0.0, 0.0, 1.0, ())
