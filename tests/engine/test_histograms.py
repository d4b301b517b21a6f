"""Quantiles of histograms, by the load engine's definition."""

import math
import random

import pytest
from hdrh.histogram import HdrHistogram

from wirelab.engine.histograms import add_up, quantiles_ns
from wirelab.inputs.problems import ProblemsError

LONGEST_NS = 3_600_000_000_000


def encoded(values: list[int]) -> str:
    histogram = HdrHistogram(1, LONGEST_NS, 3)
    for value in values:
        histogram.record_value(value)
    text: str = histogram.encode().decode()
    return text


@pytest.mark.parametrize("count", [1, 2, 7, 1000])
def test_a_quantile_is_the_smallest_value_with_that_share_at_or_below(count: int) -> None:
    values = [random.Random(at).randrange(1_000, 50_000_000) for at in range(count)]
    shares = [0.0, 0.25, 0.5, 0.99, 1.0]
    first, second = values[::2], values[1::2]

    histogram = add_up([encoded(part) for part in (first, second) if part])

    assert histogram is not None
    ordered = sorted(values)
    expected = [ordered[max(1, math.ceil(share * count)) - 1] for share in shares]
    assert quantiles_ns(histogram, shares) == pytest.approx(expected, rel=1e-3)


def test_a_histogram_without_values_has_no_quantiles() -> None:
    histogram = add_up([encoded([])])

    assert histogram is not None
    assert quantiles_ns(histogram, [0.5]) == []
    assert add_up([]) is None


def test_a_damaged_histogram_is_named() -> None:
    with pytest.raises(ProblemsError, match="is damaged"):
        add_up(["HISTFAAA"])
