"""Blocks compared: figures of published examples, and what must hold for any data."""

import math

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from wirelab.statistics import (
    Estimate,
    Interval,
    Nuance,
    Outcome,
    blocks_for,
    compare,
    decide,
    holm,
)

MORE_EXPENSIVE = np.log([11.0, 11.2, 10.9, 11.3, 10.8, 11.4]) - np.log(
    [10.1, 10.5, 9.8, 10.2, 10.0, 10.4]
)

CLEARLY_SLOWER = (0.081, 0.102, 0.064, 0.095, 0.110, 0.073)
THE_SAME = (0.012, -0.008, 0.021, 0.004, -0.015, 0.010)
WITHIN_THE_MARGIN = (0.031, 0.019, 0.027, 0.035, 0.022, 0.028)
UNDECIDED = (0.09, -0.02, 0.14, 0.03, 0.11, 0.05)

MAIZE = [6, 8, 14, 16, 23, 24, 28, 29, 41, -48, 49, 56, 60, -67, 75]

block_values = st.lists(st.floats(min_value=-3.0, max_value=3.0), min_size=6, max_size=20)


@pytest.mark.parametrize(
    ("log_ratios", "ratio", "interval", "p_value", "blocks_needed"),
    [
        (CLEARLY_SLOWER, 1.0914423, (1.0712858, 1.1119780), 6.9015e-5, 4),
        (THE_SAME, 1.0040080, (0.9900175, 1.0181962), 0.49661, 3),
        (WITHIN_THE_MARGIN, 1.0273678, (1.0211003, 1.0336738), 9.3175e-5, 3),
        (UNDECIDED, 1.0689391, (1.0056104, 1.1362560), 0.037723, 15),
    ],
)
def test_vector_tv2_comparisons(
    log_ratios: tuple[float, ...],
    ratio: float,
    interval: tuple[float, float],
    p_value: float,
    blocks_needed: int,
) -> None:
    comparison = compare(log_ratios)

    assert comparison.ratio == pytest.approx(ratio, abs=5e-8)
    assert comparison.interval95 == pytest.approx(interval, abs=5e-8)
    assert comparison.p_value == pytest.approx(p_value, rel=4e-5)
    assert comparison.standard_deviation is not None
    assert blocks_for(comparison.standard_deviation, 0.05) == blocks_needed


def test_vector_tv2_family() -> None:
    family = [compare(d) for d in (CLEARLY_SLOWER, THE_SAME, WITHIN_THE_MARGIN, UNDECIDED)]

    adjusted = holm([comparison.p_value for comparison in family])
    verdicts = [
        decide(comparison, p_holm=float(p)) for comparison, p in zip(family, adjusted, strict=True)
    ]

    assert adjusted == pytest.approx([2.7606e-4, 0.49661, 2.7952e-4, 0.075445], rel=4e-5)
    assert [verdict.words for verdict in verdicts] == [
        "clearly slower",
        "practically the same",
        "practically the same",
        "cannot tell",
    ]
    assert verdicts[2].nuance is Nuance.NEGLIGIBLY
    assert family[1].p_within_margin == pytest.approx(2.1885e-4, rel=4e-5)
    assert family[2].p_within_margin == pytest.approx(1.3041e-4, rel=4e-5)


def test_vector_11_block_example() -> None:
    comparison = compare(MORE_EXPENSIVE)

    assert comparison.ratio == pytest.approx(1.0918903, abs=1e-7)
    assert comparison.interval95 == pytest.approx((1.0739981, 1.1100806), abs=1e-7)
    assert isinstance(comparison.mean, Estimate)
    assert comparison.mean.t_statistic() == pytest.approx(13.677405, abs=1e-6)
    assert comparison.blocks == 6


def test_vector_8_equivalence_on_the_log_scale() -> None:
    from statsmodels.stats.weightstats import ttost_paired  # noqa: PLC0415, slow

    rng = np.random.default_rng(1)
    a, b = rng.lognormal(0.0, 0.05, 12), rng.lognormal(0.01, 0.05, 12)
    expected = ttost_paired(a, b, 1 / 1.05, 1.05, transform=np.log)[0]

    assert compare(np.log(a / b)).p_within_margin == pytest.approx(expected, rel=1e-9)


def test_agrees_with_scipy_on_the_same_differences() -> None:
    differences = np.random.default_rng(2).normal(-0.1, 0.14, 10)

    comparison = compare(differences)

    one_sample = scipy.stats.ttest_1samp(differences, 0.0)
    assert comparison.p_value == pytest.approx(one_sample.pvalue, rel=1e-9)
    assert comparison.interval95 is not None
    assert np.log(comparison.interval95) == pytest.approx(
        tuple(one_sample.confidence_interval(0.95)), abs=1e-9
    )


@given(block_values)
def test_swapping_the_sides_inverts_the_ratio(log_ratios: list[float]) -> None:
    forth, back = compare(log_ratios), compare([-d for d in log_ratios])

    assert forth.ratio * back.ratio == pytest.approx(1.0, rel=1e-9)
    assert forth.p_value == pytest.approx(back.p_value, abs=1e-9)
    assert forth.p_within_margin == pytest.approx(back.p_within_margin, abs=1e-9)


@given(block_values, st.randoms(use_true_random=False))
def test_the_order_of_the_blocks_does_not_matter(log_ratios: list[float], random: object) -> None:
    shuffled = list(log_ratios)
    random.shuffle(shuffled)  # type: ignore[attr-defined]

    assert compare(shuffled).p_value == pytest.approx(compare(log_ratios).p_value, abs=1e-9)


def test_the_half_width_is_that_of_the_interval() -> None:
    comparison = compare(THE_SAME)
    assert comparison.interval95 is not None
    low, high = comparison.interval95

    assert comparison.half_width_ratio == pytest.approx(math.sqrt(high / low) - 1.0)
    assert compare([0.1]).half_width_ratio is None


def test_blocks_without_a_value_are_dropped_and_reported() -> None:
    comparison = compare([*MORE_EXPENSIVE, math.nan, math.inf, -math.inf])

    assert comparison.ratio == compare(MORE_EXPENSIVE).ratio
    assert (comparison.blocks, comparison.dropped_blocks) == (6, 3)
    assert comparison.lost_many_blocks
    assert not compare([*MORE_EXPENSIVE, math.nan]).lost_many_blocks


def test_no_verdict_is_given_without_a_valid_block() -> None:
    comparison = compare([math.nan, math.nan])

    assert math.isnan(comparison.ratio)
    assert comparison.interval95 is None
    assert (comparison.p_value, comparison.p_beyond_margin, comparison.p_within_margin) == (1, 1, 1)
    assert comparison.standard_deviation is None


def test_two_blocks_that_differ_widely_allow_almost_anything() -> None:
    comparison = compare([60.0, -60.0])

    assert comparison.interval95 is not None
    assert comparison.interval95.high == math.inf


@pytest.mark.parametrize(
    ("log_ratios", "ratio", "interval", "p_value"),
    [
        ([math.log(2.0)], 2.0, None, 1.0),
        ([math.log(2.0)] * 6, 2.0, Interval(2.0, 2.0), 0.0),
        ([0.0] * 6, 1.0, Interval(1.0, 1.0), 1.0),
    ],
    ids=["one block", "constant", "identical"],
)
def test_blocks_that_do_not_vary(
    log_ratios: list[float], ratio: float, interval: Interval | None, p_value: float
) -> None:
    comparison = compare(log_ratios)

    assert comparison.ratio == pytest.approx(ratio)
    assert comparison.interval95 == (interval and pytest.approx(interval))
    assert comparison.p_value == p_value


def test_a_constant_ratio_has_a_verdict() -> None:
    different, same = compare([math.log(2.0)] * 6), compare([0.0] * 6)

    assert different.has_spread
    assert decide(different).outcome is Outcome.SLOWER
    assert same.p_within_margin == 0.0


def test_vector_11_maize_interval_of_ranks() -> None:
    """Hodges and Lehmann's interval in R: [4.0, 41.5], here in hundredths."""
    comparison = compare(np.array(MAIZE) / 100)

    assert comparison.rank_interval is not None
    assert np.log(comparison.rank_interval) == pytest.approx((0.04, 0.415), abs=1e-9)


def test_five_blocks_allow_no_interval_of_ranks_at_95_percent() -> None:
    six = compare([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])

    assert compare([0.1, 0.2, 0.3, 0.4, 0.5]).rank_interval is None
    assert six.rank_interval == pytest.approx((math.exp(0.1), math.exp(0.6)))


def test_disagreement_with_the_interval_of_ranks_is_seen() -> None:
    comparison = compare(
        [0.02, 0.03, 0.025, 0.015, 0.04, 0.035, 0.01, 0.022, 0.018, 0.028, 0.033, 1.5]
    )

    assert comparison.interval95 is not None
    assert comparison.interval95.contains(1.0)
    assert comparison.rank_interval is not None
    assert not comparison.rank_interval.contains(1.0)
    assert comparison.methods_disagree
