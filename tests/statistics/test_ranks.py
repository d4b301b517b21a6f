"""Signed ranks and rank sums: exact tests and the intervals that go with them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from wirelab.statistics import mann_whitney, sign_flip, signed_rank, superiority

MAIZE = [6, 8, 14, 16, 23, 24, 28, 29, 41, -48, 49, 56, 60, -67, 75]
JSON_OLD = [1726, 1723, 1707, 1707, 1713, 1729, 1736, 1707, 1705, 1774]
JSON_NEW = [1423, 1416, 1411, 1413, 1412, 1426, 1422, 1424, 1447, 1425]
GOB_OLD = [3069, 3075, 3069, 3067, 3207, 3064, 3064, 3058, 3059, 3062]
GOB_NEW = [3075, 3065, 3059, 3065, 3060, 3081, 3186, 3135, 3087, 3062]


def test_vector_11_maize_signed_ranks() -> None:
    result = signed_rank(MAIZE)

    assert result.estimate == 25.0
    assert result.interval == (4.0, 41.5)
    assert result.coverage == pytest.approx(0.9521, abs=1e-4)
    assert result.statistic == 24.0
    assert result.p_value == pytest.approx(0.0412598, abs=1e-7)


def test_vector_11_fishers_sign_flip() -> None:
    assert sign_flip(MAIZE) == 1726 / 32768


def test_more_pairs_than_can_be_flipped_are_refused() -> None:
    with pytest.raises(ValueError, match="17 differences; exact sign flips end at 16"):
        sign_flip(np.ones(17))


def test_five_pairs_allow_no_interval_at_95_percent() -> None:
    five, six = signed_rank([1, 2, 3, 4, 5]), signed_rank([1, 2, 3, 4, 5, 6])

    assert (five.interval, five.coverage) == (None, 0.0)
    assert six.interval == (1.0, 6.0)
    assert six.coverage == pytest.approx(1 - 2 / 64)


def test_signed_ranks_need_a_difference() -> None:
    with pytest.raises(ValueError, match="at least one"):
        signed_rank([])


@settings(deadline=None)
@given(st.lists(st.integers(min_value=-6, max_value=6), min_size=1, max_size=10))
def test_wilcoxon_is_exact_with_ties_and_zeros(differences: list[int]) -> None:
    """Against every sign pattern, counted one by one."""
    kept = np.array([value for value in differences if value], dtype=float)
    if kept.size == 0:
        assert signed_rank(differences).p_value == 1.0
        return
    ranks = stats.rankdata(np.abs(kept))
    patterns = (np.arange(2**kept.size)[:, None] >> np.arange(kept.size)) & 1
    sums = patterns @ ranks
    observed = ranks[kept > 0].sum()
    tail = min(np.mean(sums <= observed + 1e-9), np.mean(sums >= observed - 1e-9))

    assert signed_rank(differences).p_value == pytest.approx(min(1.0, 2 * tail))


def test_vector_2_mann_whitney_exact_with_ties() -> None:
    assert mann_whitney(JSON_OLD, JSON_NEW).p_value == pytest.approx(1.0825e-05, abs=1e-9)
    assert mann_whitney(GOB_OLD, GOB_NEW).p_value == pytest.approx(0.4461019, abs=1e-7)


def test_vector_3_mann_whitney() -> None:
    males, females = [19, 22, 16, 29, 24], [20, 11, 17, 12]

    result = mann_whitney(males, females)

    assert result.statistic == 17.0
    assert result.p_value == pytest.approx(0.1111111, abs=1e-7)
    assert superiority(females, males).probability == pytest.approx(0.85)
    assert superiority(females, males).cliffs_delta == pytest.approx(0.70)


def test_vector_4_brunner_munzel() -> None:
    x = [1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 2, 4, 1, 1]
    y = [3, 3, 4, 3, 1, 2, 3, 1, 1, 5, 4]

    result = superiority(x, y)

    assert result.estimate.t_statistic(0.5) == pytest.approx(3.1374674823029505, abs=1e-12)
    assert result.estimate.p_value(0.5) == pytest.approx(0.0057862086661515, abs=1e-14)
    assert result.probability == pytest.approx(0.7889610390, abs=1e-10)
    assert result.interval == pytest.approx((0.5952169, 0.9827052), abs=1e-7)


def test_vector_4_munzel_and_hauschke() -> None:
    levels = [-2, -1, 0, 1, 2]
    new = np.repeat(levels, [24, 37, 21, 19, 6])
    active = np.repeat(levels, [11, 51, 22, 21, 7])

    result = superiority(new, active)

    assert result.estimate.t_statistic(0.5) == pytest.approx(1.1757561456582, abs=1e-12)
    assert result.estimate.degrees_of_freedom == pytest.approx(204.2984239868, abs=1e-9)
    assert result.estimate.p_value(0.5) == pytest.approx(0.2410606649547, abs=1e-12)
    assert result.probability == pytest.approx(0.5442256341789, abs=1e-12)
    assert result.interval == pytest.approx((0.4700629828, 0.6183882856), abs=1e-10)
    assert result.estimate.p_equivalence(0.4, 0.6) == pytest.approx(0.0698364, abs=1e-7)


def test_groups_that_do_not_overlap_have_no_interval() -> None:
    result = superiority([1, 2, 3], [4, 5, 6])

    assert result.probability == 1.0
    assert result.interval is None


def test_single_values_have_a_probability_and_no_interval() -> None:
    result = superiority([1], [2])

    assert (result.probability, result.interval) == (1.0, None)


@pytest.mark.parametrize("function", [superiority, mann_whitney])
def test_empty_groups_are_refused(function: object) -> None:
    with pytest.raises(ValueError, match="at least one value"):
        function([], [1.0])  # type: ignore[operator]
