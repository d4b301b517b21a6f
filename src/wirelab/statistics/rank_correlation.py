"""Whether two series rise together, whatever the shape of their relation."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special


@dataclass(frozen=True, slots=True)
class RankCorrelation:
    """Spearman's coefficient, from -1 to 1, and its two-sided p value."""

    coefficient: float
    p_value: float


def doubled_mean_ranks(values: ArrayLike) -> NDArray[np.int64]:
    """Return twice the rank of every value, from 2 on; ties get twice their mean rank.

    Twice the mean rank is a whole number, so sums of ranks stay exact.
    """
    given = np.asarray(values)
    ordered = np.sort(given)
    first = np.searchsorted(ordered, given) + 1
    last = np.searchsorted(ordered, given, side="right")
    doubled: NDArray[np.int64] = first + last
    return doubled


def rank_correlation(first: ArrayLike, second: ArrayLike) -> RankCorrelation:
    """Correlate the ranks of two series of equal length.

    Question: does one series rise or fall with the other? Formula: Pearson's coefficient r of the
    mean ranks, and Student's t = r √((n - 2)/(1 - r²)) with n - 2 degrees of freedom. Source:
    Spearman, American Journal of Psychology 15 (1904) 72-101; Kendall and Stuart, The Advanced
    Theory of Statistics, volume 2 (1973), section 31.19. Assumes independent pairs. No vector; the
    tests compare with scipy.

    The coefficient of a series of equal values is not defined: it is 0 here, with a p value of 1.
    Raises ValueError for fewer than three pairs or different lengths.
    """
    ranks = [doubled_mean_ranks(series) for series in (first, second)]
    count = ranks[0].size
    if count < 3 or ranks[1].size != count:
        raise ValueError("a rank correlation needs two series of equal length, at least 3")
    # The mean of the doubled ranks is n + 1, ties or not.
    x, y = (series - (count + 1) for series in ranks)
    scale = math.sqrt(int(x @ x) * int(y @ y))
    if scale == 0.0:
        return RankCorrelation(0.0, 1.0)
    coefficient = int(x @ y) / scale
    unexplained = 1.0 - coefficient**2
    if unexplained <= 0.0:
        return RankCorrelation(coefficient, 0.0)
    t_statistic = abs(coefficient) * math.sqrt((count - 2) / unexplained)
    return RankCorrelation(coefficient, 2.0 * float(special.stdtr(count - 2, -t_statistic)))
