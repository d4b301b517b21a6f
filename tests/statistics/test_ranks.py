"""Signed ranks and sign flips: exact tests and the intervals that go with them."""

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

from wirelab.statistics import sign_flip, signed_rank

MAIZE = [6, 8, 14, 16, 23, 24, 28, 29, 41, -48, 49, 56, 60, -67, 75]


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
    ranks = scipy.stats.rankdata(np.abs(kept))
    patterns = (np.arange(2**kept.size)[:, None] >> np.arange(kept.size)) & 1
    sums = patterns @ ranks
    observed = ranks[kept > 0].sum()
    tail = min(np.mean(sums <= observed + 1e-9), np.mean(sums >= observed - 1e-9))

    assert signed_rank(differences).p_value == pytest.approx(min(1.0, 2 * tail))
