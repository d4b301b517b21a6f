"""Paired blocks: figures of published examples, and what must hold for any data."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.weightstats import ttost_paired

from wirelab.statistics import Comparison, Interval, compare, decide

SMALLER = [10.1, 10.5, 9.8, 10.2, 10.0, 10.4]
LARGER = [11.0, 11.2, 10.9, 11.3, 10.8, 11.4]

costs = st.floats(min_value=0.1, max_value=1e6)
paired_costs = st.lists(st.tuples(costs, costs), min_size=6, max_size=20).map(
    lambda pairs: tuple(np.array(pairs).T)
)


def test_vector_11_block_example() -> None:
    comparison = compare(LARGER, SMALLER)

    assert comparison.ratio == pytest.approx(1.0918903, abs=1e-7)
    assert comparison.interval95 == pytest.approx((1.0739981, 1.1100806), abs=1e-7)
    assert comparison.t_statistic == pytest.approx(13.677405, abs=1e-6)
    assert comparison.blocks == 6
    assert comparison.warnings == ()


def test_vector_8_equivalence_on_the_log_scale() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.lognormal(0.0, 0.05, 12), rng.lognormal(0.01, 0.05, 12)

    expected = ttost_paired(a, b, 1 / 1.05, 1.05, transform=np.log)[0]

    assert compare(a, b, margin_ratio=0.05).p_equivalence == pytest.approx(expected, rel=1e-9)


def test_agrees_with_scipy_on_the_same_differences() -> None:
    rng = np.random.default_rng(2)
    a, b = rng.lognormal(0.0, 0.1, 10), rng.lognormal(0.1, 0.1, 10)
    differences = np.log(a) - np.log(b)

    comparison = compare(a, b, confidence=0.99)

    paired = stats.ttest_rel(np.log(a), np.log(b))
    assert comparison.p_value == pytest.approx(paired.pvalue, rel=1e-9)
    assert comparison.interval is not None
    assert np.log(comparison.interval) == pytest.approx(
        tuple(paired.confidence_interval(0.99)), abs=1e-9
    )
    assert comparison.p_wilcoxon == pytest.approx(
        stats.wilcoxon(differences, method="exact").pvalue
    )
    flips = stats.permutation_test(
        (differences,), np.mean, permutation_type="samples", n_resamples=np.inf, vectorized=True
    )
    assert comparison.p_sign_flip == pytest.approx(flips.pvalue)


@given(paired_costs)
def test_swapping_the_sides_inverts_the_ratio(pair: tuple[np.ndarray, np.ndarray]) -> None:
    forth, back = compare(*pair), compare(*reversed(pair))

    assert forth.ratio * back.ratio == pytest.approx(1.0, rel=1e-9)
    assert forth.hodges_lehmann * back.hodges_lehmann == pytest.approx(1.0, rel=1e-9)
    assert forth.p_value == pytest.approx(back.p_value, abs=1e-9)
    assert forth.p_equivalence == pytest.approx(back.p_equivalence, abs=1e-9)
    assert forth.superiority + back.superiority == pytest.approx(1.0)


@given(paired_costs, st.floats(min_value=1e-3, max_value=1e3))
def test_the_unit_of_the_costs_does_not_matter(
    pair: tuple[np.ndarray, np.ndarray], scale: float
) -> None:
    a, b = pair
    before, after = compare(a, b), compare(a * scale, b * scale)

    # One rounding unit of twelve decimals is all that a change of unit may cost.
    assert before.log_ratios == pytest.approx(after.log_ratios, abs=2e-12)
    if min(abs(before.p_value - 0.05), abs(before.p_equivalence - 0.05)) > 1e-6:
        assert _words(before) == _words(after)


@given(paired_costs, st.lists(costs, min_size=20, max_size=20))
def test_what_slows_a_whole_block_changes_no_difference(
    pair: tuple[np.ndarray, np.ndarray], effects: list[float]
) -> None:
    a, b = pair
    effect = np.array(effects[: a.size])

    assert compare(a * effect, b * effect).log_ratios == pytest.approx(
        compare(a, b).log_ratios, abs=2e-12
    )


@given(paired_costs, st.randoms(use_true_random=False))
def test_the_order_of_the_blocks_does_not_matter(
    pair: tuple[np.ndarray, np.ndarray], random: object
) -> None:
    a, b = pair
    order = list(range(a.size))
    random.shuffle(order)  # type: ignore[attr-defined]

    assert compare(a[order], b[order]).p_value == pytest.approx(compare(a, b).p_value, abs=1e-9)


def test_blocks_without_both_runs_are_dropped_and_reported() -> None:
    a = [*LARGER, math.nan, 12.0, -1.0]
    b = [*SMALLER, 10.0, 0.0, 10.0]

    comparison = compare(a, b)

    assert comparison.ratio == compare(LARGER, SMALLER).ratio
    assert (comparison.blocks, comparison.dropped_blocks) == (6, 3)
    assert comparison.warnings == ("3 of 9 blocks had no valid run of both sides",)


def test_without_any_valid_block_nothing_is_claimed() -> None:
    comparison = compare([math.nan, 1.0], [1.0, math.inf])

    assert math.isnan(comparison.ratio)
    assert comparison.interval95 is None
    assert (comparison.p_value, comparison.p_equivalence) == (1.0, 1.0)
    assert comparison.p_sign_flip is None
    assert comparison.blocks_needed is None


def test_one_block_gives_a_ratio_without_interval() -> None:
    comparison = compare([2.0], [1.0])

    assert comparison.ratio == pytest.approx(2.0)
    assert comparison.interval95 is None
    assert comparison.p_value == 1.0


def test_two_blocks_at_a_high_confidence_allow_almost_anything() -> None:
    comparison = compare([2.0, 1.0], [1.0, 1.0], confidence=0.9999)

    assert comparison.interval == (0.0, math.inf)


def test_a_constant_ratio_is_a_point() -> None:
    comparison = compare([2.0, 4.0, 6.0, 8.0, 10.0, 12.0], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0])

    assert comparison.interval95 == pytest.approx(Interval(2.0, 2.0))
    assert comparison.p_value == 0.0
    assert comparison.warnings == ("the ratio is the same in every block; its interval is a point",)


def test_identical_costs_are_no_difference() -> None:
    comparison = compare(SMALLER, SMALLER)

    assert comparison.ratio == 1.0
    assert comparison.p_value == 1.0
    assert comparison.p_equivalence == 0.0
    assert comparison.p_wilcoxon == 1.0


def test_disagreement_with_the_robust_twin_is_a_warning() -> None:
    b = np.ones(12)
    a = np.exp([0.02, 0.03, 0.025, 0.015, 0.04, 0.035, 0.01, 0.022, 0.018, 0.028, 0.033, 1.5])

    comparison = compare(a, b)

    assert comparison.interval95 is not None
    assert comparison.interval95.contains(1.0)
    assert comparison.p_wilcoxon < 0.05
    assert any("rank-based interval" in warning for warning in comparison.warnings)


def test_blocks_needed_shrink_the_half_width_to_the_margin() -> None:
    a, b = np.exp([0.1, -0.1, 0.12, -0.08, 0.09, -0.11]), np.ones(6)
    comparison = compare(a, b)
    assert comparison.interval95 is not None
    half_width = math.log(comparison.interval95.high / comparison.interval95.low) / 2

    assert comparison.blocks_needed == math.ceil(6 * (half_width / math.log(1.05)) ** 2)
    assert compare(SMALLER, SMALLER).blocks_needed == 6


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"a": [1.0, 2.0], "b": [1.0]}, "pair by block"),
        ({"a": [1.0], "b": [1.0], "margin_ratio": 0.0}, "margin_ratio is 0.0"),
        ({"a": [1.0], "b": [1.0], "confidence": 1.0}, "confidence is 1.0"),
    ],
)
def test_senseless_arguments_are_refused(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        compare(**arguments)  # type: ignore[arg-type]


def _words(comparison: Comparison) -> str:
    return decide(comparison, p_holm=comparison.p_value).words
