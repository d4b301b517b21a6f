"""Percentiles: definition, table of what may be shown, exact intervals."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirelab.statistics import (
    QuantileRanks,
    Reporting,
    Sides,
    minimum_requests,
    percentile,
    quantile_interval,
    quantile_ranks,
    quantile_test,
    reporting,
)

EXPONENTIALS = np.exp(np.linspace(0.0, 1.0, 101))
CONOVER = [189, 233, 195, 160, 212, 176, 231, 185, 199, 213, 202, 193, 174, 166, 248]


def test_a_percentile_is_an_observed_value() -> None:
    values = np.arange(1.0, 101.0)

    assert [percentile(values, q) for q in (0.5, 0.9, 0.99, 0.999)] == [50.0, 90.0, 99.0, 100.0]
    assert percentile([1.0, 2.0], 0.5) == 1.0


@given(st.lists(st.floats(0, 1e9), min_size=1, max_size=50), st.randoms(use_true_random=False))
def test_the_order_of_requests_within_a_run_does_not_matter(
    values: list[float], random: object
) -> None:
    shuffled = list(values)
    random.shuffle(shuffled)  # type: ignore[attr-defined]

    assert percentile(shuffled, 0.9) == percentile(values, 0.9)
    assert quantile_interval(shuffled, 0.5) == quantile_interval(values, 0.5)


@given(st.lists(st.floats(0, 1e9), min_size=1, max_size=50), st.floats(0.01, 0.99))
def test_at_least_the_share_lies_at_or_below(values: list[float], quantile: float) -> None:
    share = np.mean(np.array(values) <= percentile(values, quantile))

    assert share >= quantile - 1e-12


@pytest.mark.parametrize(
    ("quantile", "two_sided", "one_sided", "printed_from"),
    [
        (0.50, 6, 5, 200),
        (0.90, 36, 29, 1_000),
        (0.95, 72, 59, 2_000),
        (0.99, 368, 299, 10_000),
        (0.999, 3_688, 2_995, 100_000),
        (0.9999, 36_887, 29_956, 1_000_000),
    ],
)
def test_table_of_what_may_be_reported(
    quantile: float, two_sided: int, one_sided: int, printed_from: int
) -> None:
    assert minimum_requests(quantile) == two_sided
    assert minimum_requests(quantile, Sides.UPPER) == one_sided
    assert reporting(quantile, two_sided - 1) is Reporting.OMITTED
    assert reporting(quantile, two_sided) is Reporting.GREY
    assert reporting(quantile, printed_from - 1) is Reporting.GREY
    assert reporting(quantile, printed_from) is Reporting.PRINTED
    assert quantile_ranks(two_sided - 1, quantile) is None
    assert quantile_ranks(two_sided, quantile) is not None


def test_low_quantiles_are_judged_by_their_mirror_image() -> None:
    assert reporting(0.01, 367) is Reporting.OMITTED
    assert reporting(0.01, 10_000) is Reporting.PRINTED


@pytest.mark.parametrize(
    ("quantile", "confidence", "sides", "expected"),
    [
        (0.3, 0.95, Sides.BOTH, (1.221402758160170, 1.476980793882643)),
        (0.5, 0.90, Sides.BOTH, (1.506817785112854, 1.803988415397857)),
        (0.25, 0.95, Sides.UPPER, (-math.inf, 1.39096812846378)),
        (0.8, 0.90, Sides.LOWER, (2.117000016612675, math.inf)),
    ],
)
def test_vector_6_intervals(
    quantile: float, confidence: float, sides: Sides, expected: tuple[float, float]
) -> None:
    result = quantile_interval(EXPONENTIALS, quantile, confidence, sides)

    assert result.interval == pytest.approx(expected, rel=1e-14)
    assert result.coverage >= confidence


def test_vector_6_conover() -> None:
    assert quantile_test(CONOVER, 0.75, 193) == pytest.approx(0.0346, abs=5e-5)


@pytest.mark.parametrize(
    ("count", "quantile", "low", "high"),
    [
        (6, 0.5, 1, 6),
        (7, 0.5, 1, 7),
        (8, 0.5, 1, 8),
        (9, 0.5, 2, 8),
        (10, 0.5, 2, 9),
        (12, 0.5, 3, 10),
        (15, 0.5, 4, 12),
        (20, 0.5, 6, 15),
        (1_000, 0.99, 983, 997),
        (10_000, 0.99, 9_880, 9_920),
        (100_000, 0.99, 98_938, 99_062),
    ],
)
def test_vector_6_ranks(count: int, quantile: float, low: int, high: int) -> None:
    ranks = quantile_ranks(count, quantile)

    assert ranks is not None
    assert (ranks.low, ranks.high) == (low, high)


@pytest.mark.parametrize(
    ("count", "coverage"),
    [(6, 0.96875), (7, 0.984375), (8, 0.9921875), (9, 0.9609375), (10, 0.9785156),
     (12, 0.9614258), (15, 0.9648438), (20, 0.9586105)],
)  # fmt: skip
def test_vector_6_coverage_of_the_median(count: int, coverage: float) -> None:
    ranks = quantile_ranks(count, 0.5)

    assert ranks is not None
    assert ranks.coverage == pytest.approx(coverage, abs=1e-7)


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5])
def test_vector_6_five_values_bound_no_median(count: int) -> None:
    result = quantile_interval(np.arange(count), 0.5)

    assert quantile_ranks(count, 0.5) is None
    assert (result.interval, result.coverage) == (None, 0.0)


def test_an_error_met_exactly_is_used_to_the_full() -> None:
    # P(X <= 0) = 1/64 on each side, and exactly that error is allowed.
    assert quantile_ranks(6, 0.5, confidence=1 - 2 / 64) == QuantileRanks(1, 6, 0.96875)


@pytest.mark.parametrize(
    ("values", "quantile", "message"),
    [([], 0.5, "at least one value"), ([1.0], 0.0, "must lie between 0 and 1"),
     ([1.0], 1.0, "must lie between 0 and 1")],
)  # fmt: skip
def test_senseless_quantiles_are_refused(
    values: list[float], quantile: float, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        quantile_interval(values, quantile)
