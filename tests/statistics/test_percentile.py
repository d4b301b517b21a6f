"""Percentiles: the table of what may be shown."""

import pytest

from wirelab.statistics import Reporting, minimum_requests, reporting


@pytest.mark.parametrize(
    ("quantile", "bounded_from", "printed_from"),
    [
        (0.50, 6, 200),
        (0.90, 36, 1_000),
        (0.95, 72, 2_000),
        (0.99, 368, 10_000),
        (0.999, 3_688, 100_000),
        (0.9999, 36_887, 1_000_000),
    ],
)
def test_table_of_what_may_be_reported(
    quantile: float, bounded_from: int, printed_from: int
) -> None:
    assert minimum_requests(quantile) == bounded_from
    assert reporting(quantile, bounded_from - 1) is Reporting.OMITTED
    assert reporting(quantile, bounded_from) is Reporting.GREY
    assert reporting(quantile, printed_from - 1) is Reporting.GREY
    assert reporting(quantile, printed_from) is Reporting.PRINTED


def test_low_quantiles_are_judged_by_their_mirror_image() -> None:
    assert reporting(0.01, 367) is Reporting.OMITTED
    assert reporting(0.01, 10_000) is Reporting.PRINTED


@pytest.mark.parametrize("quantile", [0.0, 1.0])
def test_invalid_quantiles_are_refused(quantile: float) -> None:
    with pytest.raises(ValueError, match="must lie between 0 and 1"):
        reporting(quantile, 1)
