"""The query counts of MLPerf."""

import numpy as np
import pytest

from wirelab.statistics import Probe, judge_probe, requests_for_late, requests_for_margin

SIZES = [300, 600, 1200, 2400]
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
    assert judge_probe(late, requests, 0.99, looks=1) is expected


def test_late_requests_cannot_be_negative() -> None:
    with pytest.raises(ValueError, match="late is -1"):
        requests_for_late(-1, 0.99)


def test_four_looks_share_the_error() -> None:
    # 0.99^n <= 0.05/4 from 437 requests on; 299 would do for a single look.
    assert judge_probe(0, 436, 0.99) is Probe.UNDECIDED
    assert judge_probe(0, 437, 0.99) is Probe.PASSES
    with pytest.raises(ValueError, match="looks is 0"):
        judge_probe(0, 437, 0.99, looks=0)


def test_a_service_exactly_at_its_limit_rarely_passes() -> None:
    """With the whole error at each of four looks, it passes in some 11 % of cases."""
    rng = np.random.default_rng(13)
    passed, passed_with_the_whole_error = 0, 0
    for _ in range(1000):
        late = np.cumsum(rng.binomial([300, 300, 600, 1200], 0.01))
        looks = [
            [judge_probe(int(t), n, 0.99, looks=k) for t, n in zip(late, SIZES, strict=True)]
            for k in (4, 1)
        ]
        passed += Probe.PASSES in looks[0]
        passed_with_the_whole_error += Probe.PASSES in looks[1]

    assert passed / 1000 <= 0.05
    assert passed_with_the_whole_error / 1000 > 0.08
