"""How many permutations and blocks: the worked examples of Kalibera and Jones, and others."""

import math

import numpy as np
import pytest
import scipy

from tests.statistics.constructed import known
from wirelab.statistics import (
    Comparison,
    Interval,
    Method,
    VarianceComponents,
    block_value,
    blocks_for,
    blocks_needed,
    blocks_to_decide,
    compare,
    expected_half_width,
    mean_estimate,
    most_blocks_to_decide,
    optimal_permutations,
    pooled,
    variance_components,
)
from wirelab.statistics.repeated_t import half_width_factor
from wirelab.statistics.repetition import blocks_to_show

BLOCKS = ([0.10, 0.02, 0.07, 0.05], [-0.04, 0.01, 0.03, 0.06], [0.12, 0.05, 0.15, 0.04])


def components(permutation: float, block: float) -> VarianceComponents:
    return VarianceComponents(permutation, block, block)


def test_vector_tv3() -> None:
    found = variance_components(BLOCKS)

    assert found.permutation == pytest.approx(0.0019222222, abs=1e-10)
    assert found.blocks_observed == pytest.approx(0.001425, abs=1e-10)
    assert found.block == pytest.approx(0.00094444444, abs=1e-11)
    mean = mean_estimate([block_value(block) for block in BLOCKS])
    assert mean.value == pytest.approx(0.055)
    assert mean.interval() == pytest.approx((-0.0387741, 0.1487741), abs=1e-7)
    ratio = found.permutation / found.block
    assert math.sqrt(10 / 0.5 * ratio) == pytest.approx(6.3801162, abs=1e-7)
    assert optimal_permutations(found, permutation_cost=0.5, block_cost=10) == 7
    assert expected_half_width(found.standard_deviation(20), 6) == pytest.approx(
        0.0344318, abs=1e-7
    )


def test_vector_1_two_levels() -> None:
    blocks = [[9, 5, 8, 3], [10, 6, 7, 11], [1, 12, 2, 4]]

    found = variance_components(blocks)

    mean = mean_estimate([block_value(block) for block in blocks])
    assert mean.value == 6.5
    assert found.permutation == pytest.approx(12.7222222, abs=1e-7)
    assert found.blocks_observed == pytest.approx(3.5625, abs=1e-7)
    assert found.block == pytest.approx(0.3819444, abs=1e-7)
    assert mean.half_width() == pytest.approx(4.6887071, abs=1e-7)


@pytest.mark.parametrize(
    ("low", "high", "costs", "repetitions"),
    # The paper's three levels, two at a time: 4.2936602 and 1.3022859.
    [(0.7266667, 0.2627778, (3, 20), 5), (0.2627778, 0.7747222, (20, 100), 2)],
)
def test_vector_1_optimum(
    low: float, high: float, costs: tuple[float, float], repetitions: int
) -> None:
    found = optimal_permutations(
        components(low, high), permutation_cost=costs[0], block_cost=costs[1]
    )

    assert found == repetitions


def test_trimming_keeps_a_burst_out_of_the_plan() -> None:
    rng = np.random.default_rng(20)
    quiet = rng.normal(0.0, 0.05, (6, 30))
    noisy = quiet.copy()
    noisy[:, :3] += 1.0

    expected, found = variance_components(list(quiet)), variance_components(list(noisy))

    assert found.permutation < 2.0 * expected.permutation
    assert found.blocks_observed < 3.0 * expected.blocks_observed


def test_permutations_without_a_value_are_left_out() -> None:
    gaps = [[*block, math.nan] for block in BLOCKS]

    assert variance_components(gaps) == variance_components(BLOCKS)


def test_levels_without_variation_of_their_own() -> None:
    plan = {"permutation_cost": 1.0, "block_cost": 1.0}

    assert optimal_permutations(components(1.0, 0.0), **plan) is None
    assert optimal_permutations(components(1.0, -5.0), **plan) is None
    assert optimal_permutations(components(0.0, 0.0), **plan) == 1
    assert optimal_permutations(components(0.0, 1.0), **plan) == 1
    assert components(0.04, -5.0).standard_deviation(4) == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("deviation", "margin", "blocks"),
    # 8.57 · (0.05/ln 1.05)² = 9.0003, and 2.
    [(0.0, 0.05, 2), (0.02, 0.05, 4), (0.05, 0.05, 12), (0.05, 0.10, 5), (0.10, 0.05, 39)],
)
def test_blocks_that_settle_a_pair(deviation: float, margin: float, blocks: int) -> None:
    assert blocks_for(deviation, margin) == blocks


@pytest.mark.slow
@pytest.mark.parametrize("deviation", [0.05, 0.08])
def test_the_number_of_blocks_shows_sameness_in_some_80_percent_of_studies(
    deviation: float,
) -> None:
    rng = np.random.default_rng(21)
    blocks = blocks_for(deviation, 0.05)

    shown = [
        compare(rng.normal(0.0, deviation, blocks)).p_within_margin < 0.05 for _ in range(2000)
    ]

    assert 0.78 <= np.mean(shown) <= 0.90


def test_expected_precision_is_that_of_a_comparison() -> None:
    comparison = compare([0.1, -0.1, 0.05, -0.05, 0.02, -0.02, 0.0])
    assert comparison.standard_deviation is not None

    expected = expected_half_width(comparison.standard_deviation, 7)

    assert expected == pytest.approx(comparison.half_width_ratio)


@pytest.mark.parametrize(
    ("difference", "significance", "blocks"),
    # Equal: as `blocks_for`. Inside the margin: 8.57 · (0.05/0.0388)² + 2 = 16.2. Beyond it:
    # (2.802 · 0.05/0.1)² + 1.92 = 3.9, and (3.865 · 0.05/0.1)² + 4.57 = 8.3.
    [(0.0, 0.05, 12), (-0.01, 0.05, 17), (0.1, 0.05, 4), (-0.1, 0.0025, 9)],
)
def test_blocks_that_decide_a_pair(difference: float, significance: float, blocks: int) -> None:
    assert blocks_to_decide(0.05, difference, 0.05, significance) == blocks


@pytest.mark.parametrize(
    ("interval", "significance", "blocks"),
    # Differences of 0.0239 take longest: (0.05 · (2.802 + 2.927)/ln 1.05)² + 2 = 36.5. Otherwise
    # the end that is nearest to it: 16.2 and 3.9 as above, (2.802 · 0.05/0.03)² + 1.92 = 23.7.
    [
        ((-0.05, 0.05), 0.05, 37),
        ((-0.01, 0.01), 0.05, 17),
        ((0.1, 0.2), 0.05, 4),
        ((-0.2, -0.03), 0.05, 24),
        ((0.0, 0.0), 0.05, 12),
    ],
)
def test_blocks_that_decide_a_pair_wherever_its_difference_lies(
    interval: tuple[float, float], significance: float, blocks: int
) -> None:
    assert most_blocks_to_decide(0.05, Interval(*interval), 0.05, significance) == blocks


@pytest.mark.parametrize("significance", [0.05, 0.0025])
@pytest.mark.parametrize("interval", [(-0.02, 0.07), (0.01, 0.3), (-0.3, -0.04), (-0.015, 0.01)])
def test_no_difference_in_the_interval_takes_more_blocks(
    interval: tuple[float, float], significance: float
) -> None:
    every = [
        blocks_to_decide(0.1, each, 0.05, significance) for each in np.linspace(*interval, 1001)
    ]

    most = most_blocks_to_decide(0.1, Interval(*interval), 0.05, significance)
    assert most == pytest.approx(max(every), rel=0.03)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("deviation", "difference", "significance"),
    [(0.17, 0.37, 0.0025), (0.1, 0.2, 0.001), (0.05, 0.05, 0.05), (0.05, 0.01, 0.05)],
)
def test_the_number_of_blocks_decides_at_least_80_percent_of_studies(
    deviation: float, difference: float, significance: float
) -> None:
    rng = np.random.default_rng(22)
    blocks = blocks_to_decide(deviation, difference, 0.05, significance)

    studies = [compare(rng.normal(difference, deviation, blocks)) for _ in range(2000)]
    decided = [each.p_value < significance or each.p_within_margin < 0.05 for each in studies]

    assert 0.78 <= np.mean(decided) <= 0.99


SETTING = [
    VarianceComponents(0.04, 0.005, 0.003, 5, 100),
    VarianceComponents(0.02, 0.001, -0.001, 5, 100),
]


def test_pooled_pairs_share_their_variances_whatever_their_sign() -> None:
    found = pooled(SETTING)

    assert (found.permutation, found.blocks_observed, found.block) == pytest.approx(
        (0.03, 0.003, 0.001)
    )
    assert (found.block_freedom, found.permutation_freedom) == (5, 100)


def test_pooled_pairs_weigh_as_much_as_their_blocks_tell() -> None:
    few = VarianceComponents(0.1, 0.1, 0.1, 1, 20)
    many = VarianceComponents(0.2, 0.2, 0.2, 9, 20)

    assert pooled([few, many]).permutation == pytest.approx(0.19)


@pytest.mark.slow
def test_pooling_chooses_about_the_right_number_of_permutations() -> None:
    """Half of the variance is that of starts; the pair that varies most would say much less."""
    rng = np.random.default_rng(23)
    costs = {"permutation_cost": 0.2, "block_cost": 2.0}
    right = math.sqrt(10 * 0.05**2 / 0.01**2)
    by_pool, by_widest = [], []
    for _ in range(200):
        pairs = [
            variance_components([*rng.normal(rng.normal(0.0, 0.01, 6)[:, None], 0.05, (6, 25))])
            for _ in range(10)
        ]
        widest = max(pairs, key=lambda pair: pair.blocks_observed)
        by_pool.append(optimal_permutations(pooled(pairs), **costs) or math.inf)
        by_widest.append(optimal_permutations(widest, **costs) or math.inf)

    assert np.median(by_pool) == pytest.approx(right, rel=0.15)
    assert np.median(by_widest) < 0.8 * right


def test_blocks_that_differ_by_more_than_their_permutations() -> None:
    """Without trimming it is the F test of an analysis of variance."""
    blocks = [[0.1, 0.2, 0.15, 0.12], [0.3, 0.28, 0.35, 0.31], [0.2, 0.25, 0.22, 0.18]]

    found = variance_components(blocks)

    assert found.p_no_difference == pytest.approx(scipy.stats.f_oneway(*blocks).pvalue)
    assert variance_components([[0.1, 0.1], [0.1, 0.1]]).p_no_difference == 1.0
    assert variance_components([[0.1, 0.1], [0.2, 0.2]]).p_no_difference == 0.0


@pytest.mark.slow
@pytest.mark.parametrize("permutations", [12, 30])
def test_equal_starts_seem_to_differ_in_some_5_percent_of_settings(permutations: int) -> None:
    rng = np.random.default_rng(24)

    p_values = [
        variance_components([*rng.normal(0.0, 0.05, (6, permutations))]).p_no_difference
        for _ in range(2000)
    ]

    assert 0.03 <= np.mean(np.array(p_values) < 0.05) <= 0.07


def repeated(centre: float, spread: float, blocks: int = 6) -> Comparison:
    values = centre + spread * np.array([1.0, -1.0] * 10)[:blocks]
    return compare(values, method=Method.REPEATED_T)


def test_with_the_repeated_t_the_nearer_of_two_verdicts_counts() -> None:
    """Equality is excluded, or the 90 % interval lies inside the margin, whichever comes first."""
    deviation = 0.1 * math.sqrt(6 / 5)
    counts = range(4, 1000)
    to_differ = next(n for n in counts if deviation * half_width_factor(n, 0.05) <= 0.1)
    to_be_same = next(n for n in counts if deviation * half_width_factor(n, 0.10) <= math.log(1.05))

    differing, same = (blocks_needed(repeated(d, 0.1), 0.05) for d in (0.1, 0.0))

    assert differing is not None
    assert same is not None
    assert (differing.expected, same.expected) == (to_differ, to_be_same)


@pytest.mark.parametrize("centre", [0.0, 0.02, 0.2])
def test_no_ratio_in_the_interval_takes_more_blocks_of_the_repeated_t(centre: float) -> None:
    comparison = repeated(centre, 0.1)
    log_interval = known(comparison.mean.interval(0.95))
    every = [
        min(
            blocks_to_show(comparison, abs(d), 0.025),
            blocks_to_show(comparison, math.log(1.05) - abs(d), 0.05),
        )
        for d in np.linspace(*log_interval, 501)
    ]

    needed = known(blocks_needed(comparison, 0.05))

    assert needed.most == pytest.approx(max(every), rel=0.03)
    assert needed.expected <= needed.most


def test_blocks_needed_are_more_than_those_so_far() -> None:
    needed = blocks_needed(repeated(0.3, 0.01), 0.05)

    assert needed == (7, 7)
    assert blocks_needed(repeated(0.3, 0.0), 0.05) is None
    assert blocks_needed(repeated(0.3, 0.01, blocks=3), 0.05) is None
