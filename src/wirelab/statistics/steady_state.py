"""Has a server reached a steady state, did the machine drift? Tests for trends in series."""

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from wirelab.terminal.words import percent

MINIMUM_POINTS = 20
"""With fewer points, a trend cannot be distinguished from noise."""

LEAST_REST = 15
"""The minimum number of points in the rest of a course for it to count as steady."""

TREND_P = 0.01
DRIFT_LIMIT = 0.05
"""A trend counts only if it is significant and changes the level by more than this share."""

REST_P = 0.10
_LATER_STARTS = (0.25, 0.50)
_HIGHEST_CORRELATION = 0.80


class Settling(StrEnum):
    """How a server behaved over the course of its times."""

    FLAT = "flat"
    SETTLED_LATER = "settled later"
    NO_STEADY_STATE = "no steady state"
    TOO_SHORT = "too short to judge"


@dataclass(frozen=True, slots=True)
class SteadyState:
    """The class of a course, and the part of it that counts as steady.

    `start` is the index of the first steady point: 0 if flat, None if nothing is steady or the
    course is too short. `drift_ratio` is the change of the level over as many points as the whole
    course has, as a share; `p_value` is that of the trend. Both are about the part from `start` on,
    or about the whole course if there is no such part.
    """

    settling: Settling
    start: int | None
    drift_ratio: float
    p_value: float
    reason: str

    @property
    def is_settled(self) -> bool:
        """Whether the course ends in a steady part."""
        return self.start is not None


def classify_settling(series: ArrayLike) -> SteadyState:
    """Classify a course of times: medians of consecutive slices, or of parts of a window.

    Question: is the server steady, and from which point on? Rule: there is a trend if Mann and
    Kendall's test gives p < 0.01 and the Theil-Sen drift exceeds 5 % of the median. Without a
    trend, the course is flat. With a trend, the rest after the first quarter, then after the first
    half, is steady if it shows no trend with p < 0.10 and more than 5 % (over the length of the
    whole course); at least 15 points must remain. Otherwise there is no steady state yet. Sources:
    Mann, Econometrica 13 (1945) 245-259; Kendall, Rank Correlation Methods (1975); Sen, JASA 63
    (1968) 1379-1389; Barrett et al., OOPSLA 2017 (some programs never settle). Assumes that the
    noise around the trend has constant size and correlates at most as in `trend_p_value`; a step
    that affects less than about a third of the points is no trend. No vector; the tests simulate.

    To extend a warm-up by rule, classify after 20 slices, and again whenever their number has grown
    by half, until `is_settled` or the warm-up's time limit. Fewer than 20 points are too short to
    judge. Raises ValueError for values that are not finite.
    """
    values = np.asarray(series, dtype=np.float64)
    if not np.all(np.isfinite(values)):
        raise ValueError("the series holds values that are not finite")
    count = values.size
    if count < MINIMUM_POINTS:
        reason = f"{count} points; {MINIMUM_POINTS} are needed"
        return SteadyState(Settling.TOO_SHORT, None, math.nan, math.nan, reason)
    drift, p_value = _trend(values, count)
    if p_value >= TREND_P or abs(drift) <= DRIFT_LIMIT:
        return SteadyState(Settling.FLAT, 0, drift, p_value, "one level throughout")
    for share in _LATER_STARTS:
        start = int(share * count)
        if count - start < LEAST_REST:
            break
        rest_drift, rest_p = _trend(values[start:], count)
        if rest_p >= REST_P or abs(rest_drift) <= DRIFT_LIMIT:
            reason = f"{_changes(drift)} over {count} points, and no more from point {start} on"
            return SteadyState(Settling.SETTLED_LATER, start, rest_drift, rest_p, reason)
    reason = f"{_changes(drift)} over {count} points, and still does at the end"
    return SteadyState(Settling.NO_STEADY_STATE, None, drift, p_value, reason)


def trend_p_value(series: ArrayLike) -> float:
    """Return the two-sided p value of a trend in a series whose noise may be correlated.

    Question: does the series rise or fall, or is it noise? Formula: Mann and Kendall's S = Σ sign
    (y_j - y_i), i < j, normal with the variance of ties taken into account, times 1 + 2 Σ (1 - k/n)
    ρ^k for noise that follows an AR(1) process. ρ is the lag-1 correlation of the last two thirds
    (m points) about their own Theil-Sen line, so that a steep start is not taken for correlation.
    It is corrected to (mρ + 2.5)/(m - 4) for the removed line (2 and a little more, so that false
    alarms stay below 3.6 % from 20 points on) and clipped to [0, 0.8]. Sources: Mann 1945;
    Kendall 1975; Yue and Wang, Water Resources Management 18 (2004) 201-218 (variance); Marriott
    and Pope, Biometrika 41 (1954) 390-402 (bias of ρ). No vector; the tests compare white noise
    with scipy and simulate the rest.

    Raises ValueError for fewer than 15 points.
    """
    values = np.asarray(series, dtype=np.float64)
    count = values.size
    if count < LEAST_REST:
        raise ValueError(f"{count} points; a trend in correlated noise needs {LEAST_REST}")
    first, second = np.triu_indices(count, k=1)
    score = float(np.sign(values[second] - values[first]).sum())
    if score == 0.0:
        return 1.0
    _, ties = np.unique(values, return_counts=True)
    pairs = count * (count - 1) * (2 * count + 5)
    variance = (pairs - float((ties * (ties - 1) * (2 * ties + 5)).sum())) / 18.0
    lags = np.arange(1, count)
    inflation = 1.0 + 2.0 * float(((1.0 - lags / count) * _correlation(values) ** lags).sum())
    z = (abs(score) - 1.0) / math.sqrt(variance * inflation)
    return 2.0 * float(special.ndtr(-z))


@dataclass(frozen=True, slots=True)
class RankCorrelation:
    """Spearman's coefficient, from -1 to 1, and its two-sided p value."""

    coefficient: float
    p_value: float


def rank_correlation(first: ArrayLike, second: ArrayLike) -> RankCorrelation:
    """Correlate the ranks of two series of equal length.

    Question: does one series rise or fall with the other, whatever the shape of their relation?
    Formula: `scipy.stats.spearmanr`. Source: Spearman, American Journal of Psychology 15 (1904)
    72-101. Assumes independent pairs. No vector.

    The coefficient of a series of equal values is not defined: it is 0 here, with a p value of 1.
    Raises ValueError for fewer than three pairs or different lengths.
    """
    x, y = (np.asarray(series, dtype=np.float64) for series in (first, second))
    if x.size < 3 or x.size != y.size:
        raise ValueError("a rank correlation needs two series of equal length, at least 3")
    if np.ptp(x) == 0.0 or np.ptp(y) == 0.0:
        return RankCorrelation(0.0, 1.0)
    from scipy.stats import spearmanr  # noqa: PLC0415  (takes a second, and few reports need it)

    correlation = spearmanr(x, y)
    return RankCorrelation(float(correlation.statistic), float(correlation.pvalue))


def _trend(values: NDArray[np.float64], length: int) -> tuple[float, float]:
    """Return the drift over `length` points, as a share of the median, and the trend's p value."""
    median = float(np.median(values))
    drift = _slope(values) * length / median if median != 0.0 else 0.0
    return drift, trend_p_value(values)


def _slope(values: NDArray[np.float64]) -> float:
    """Return the Theil-Sen slope per step: the median of the slopes between all pairs of points.

    That of scipy takes fifty times as long for thirty points, since it also makes an interval.
    """
    first, second = np.triu_indices(values.size, k=1)
    return float(np.median((values[second] - values[first]) / (second - first)))


def _correlation(values: NDArray[np.float64]) -> float:
    later = values[values.size // 3 :]
    residuals = later - _slope(later) * np.arange(later.size)
    residuals -= residuals.mean()
    total = float(residuals @ residuals)
    # The residue that rounding leaves of a straight line is not noise.
    if total <= 1e-18 * later.size * float(np.abs(later).max()) ** 2:
        return 0.0
    raw = float(residuals[1:] @ residuals[:-1]) / total
    corrected = (later.size * raw + 2.5) / (later.size - 4.0)
    return min(max(corrected, 0.0), _HIGHEST_CORRELATION)


def _changes(drift: float) -> str:
    return f"{'rises' if drift > 0.0 else 'falls'} by {percent(abs(drift))}"
