"""The query counts of MLPerf."""

import pytest

from wirelab.statistics import Probe, judge_probe, requests_for_late, requests_for_margin

LATE = [0, 1, 2, 5, 10, 50, 100]


@pytest.mark.parametrize(
    ("quantile", "margin", "requests"),
    [
        (0.90, 0.005, 23_886),
        (0.95, 0.0025, 50_425),
        (0.97, 0.0015, 85_811),
        (0.99, 0.0005, 262_742),
    ],
)
def test_vector_13_requests_for_a_margin(quantile: float, margin: float, requests: int) -> None:
    assert requests_for_margin(quantile, margin) == requests


@pytest.mark.parametrize(
    ("quantile", "confidence", "requests"),
    [
        (0.99, 0.99, [459, 662, 838, 1307, 2010, 6898, 12571]),
        (0.99, 0.95, [299, 473, 628, 1049, 1693, 6323, 11799]),
        (0.95, 0.95, [59, 93, 124, 208, 336, 1260, 2353]),
    ],
)
def test_vector_13_early_stopping(quantile: float, confidence: float, requests: list[int]) -> None:
    assert [requests_for_late(late, quantile, confidence) for late in LATE] == requests


@pytest.mark.parametrize(
    ("late", "requests", "expected"),
    [
        (0, 299, Probe.PASSES),
        (0, 298, Probe.UNDECIDED),
        (1, 473, Probe.PASSES),
        (5, 500, Probe.UNDECIDED),
        (20, 1000, Probe.FAILS),
        (100, 100, Probe.FAILS),
    ],
)
def test_probes(late: int, requests: int, expected: Probe) -> None:
    assert judge_probe(late, requests, 0.99) is expected


def test_late_requests_cannot_be_negative() -> None:
    with pytest.raises(ValueError, match="late is -1"):
        requests_for_late(-1, 0.99)
