"""The correlation of ranks, against scipy, which takes a second to import."""

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from wirelab.statistics import rank_correlation

PAIRS = st.lists(st.tuples(st.integers(-5, 5), st.floats(-1e6, 1e6)), min_size=3, max_size=40)


@given(PAIRS)
def test_coefficient_and_p_value_are_those_of_scipy(pairs: list[tuple[int, float]]) -> None:
    first, second = np.array(pairs, dtype=float).T
    result = rank_correlation(first, second)
    if np.unique(first).size == 1 or np.unique(second).size == 1:
        assert (result.coefficient, result.p_value) == (0.0, 1.0)
        return
    expected = scipy.stats.spearmanr(first, second)

    assert result.coefficient == pytest.approx(expected.statistic, abs=1e-12)
    assert result.p_value == pytest.approx(expected.pvalue, abs=1e-6)


@pytest.mark.parametrize(("second", "coefficient"), [([1, 4, 9, 16], 1.0), ([3, 2, 1, 0], -1.0)])
def test_perfect_agreement_is_exact(second: list[int], coefficient: float) -> None:
    result = rank_correlation([1, 2, 3, 4], second)

    assert (result.coefficient, result.p_value) == (coefficient, 0.0)


@pytest.mark.parametrize("second", [[1, 2], [1, 2, 3, 4]])
def test_lengths_that_do_not_fit_are_refused(second: list[int]) -> None:
    with pytest.raises(ValueError, match="two series of equal length, at least 3"):
        rank_correlation(second[:3], second)
