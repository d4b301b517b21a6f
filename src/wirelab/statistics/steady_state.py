"""Did a run settle? Classify its per-second series before its figures are believed."""

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

MINIMUM_POINTS = 10
STEADY_SHARE = 0.70
DRIFT_LIMIT = 0.05
_SHORTEST_SEGMENT = 2


class Settling(StrEnum):
    """How a run behaved over time."""

    FLAT = "flat"
    WARM_UP = "warm-up"
    SLOW_DOWN = "slow-down"
    NO_STEADY_STATE = "no steady state"
    TOO_SHORT = "too short to judge"


@dataclass(frozen=True, slots=True)
class SteadyState:
    """The class of a run and the part of it that counts as steady.

    `start` is the index of the first steady point (0 when flat, None without a steady state).
    `drift_ratio` is what the last level gains or loses over its length, as a share of its median.
    A run without a steady state may be prolonged once; after that it is kept, flagged and shown.
    """

    settling: Settling
    start: int | None
    drift_ratio: float
    reason: str


def classify_settling(series: ArrayLike) -> SteadyState:
    """Classify a series of per-second costs (median latency, CPU per request) of one window.

    Question: from when on was the run steady, if ever? Formula: the best split into two levels is
    accepted if T · ln(RSS1/RSS2) > 3 ln T (twice the gain in Gaussian log-likelihood against a
    penalty); the last level must cover at least 70 % of the window and may not drift, i.e.
    |Theil-Sen slope| · length <= 5 % of its median. Sources: Barrett et al., OOPSLA 2017 (the
    classes); Killick, Fearnhead and Eckley, JASA 107 (2012) 1590-1598 (penalised splits); Sen,
    JASA 63 (1968) 1379-1389 (slope). Assumes one change at most and noise of one size; a series
    that changes more often shows up as a short last level or a drift. No vector; the tests hold
    constructed series.

    Fewer than ten points are too short to judge. Raises ValueError for values that are not finite.
    """
    values = np.asarray(series, dtype=np.float64)
    if not np.all(np.isfinite(values)):
        raise ValueError("the series holds values that are not finite")
    if values.size < MINIMUM_POINTS:
        reason = f"{values.size} points; {MINIMUM_POINTS} are needed"
        return SteadyState(Settling.TOO_SHORT, None, math.nan, reason)
    start = _best_split(values)
    last = values[start:]
    drift = _drift_ratio(last)
    if last.size < STEADY_SHARE * values.size:
        reason = f"the level changes at point {start} of {values.size} and the rest is too short"
        return SteadyState(Settling.NO_STEADY_STATE, None, drift, reason)
    if abs(drift) > DRIFT_LIMIT:
        reason = f"drifts by {drift:+.1%} over {last.size} points"
        return SteadyState(Settling.NO_STEADY_STATE, None, drift, reason)
    if start == 0:
        return SteadyState(Settling.FLAT, 0, drift, "one level throughout")
    before, after = float(values[:start].mean()), float(last.mean())
    settling = Settling.WARM_UP if after < before else Settling.SLOW_DOWN
    reason = f"level changes at point {start} from {before:.4g} to {after:.4g}"
    return SteadyState(settling, start, drift, reason)


def theil_sen_slope(series: ArrayLike) -> float:
    """Return the median of the slopes between all pairs of points, per step of the series.

    Question: which way does the series tend, whatever its outliers? Formula: median over i < j of
    (y_j - y_i)/(j - i). Source: Sen, JASA 63 (1968) 1379-1389. Assumes equal steps. No vector; the
    tests compare with scipy.

    Raises ValueError for fewer than two points.
    """
    values = np.asarray(series, dtype=np.float64)
    if values.size < 2:
        raise ValueError("a slope needs two points")
    first, second = np.triu_indices(values.size, k=1)
    return float(np.median((values[second] - values[first]) / (second - first)))


def _best_split(values: NDArray[np.float64]) -> int:
    """Return where the last level starts: the best accepted split, or 0."""
    count = values.size
    # Centred first, so that the running sums of squares keep their digits.
    centred = values - values.mean()
    left_sizes = np.arange(1, count)
    left_sums = np.cumsum(centred)[:-1]
    explained = left_sums**2 / left_sizes + left_sums**2 / (count - left_sizes)
    candidates = explained[_SHORTEST_SEGMENT - 1 : count - _SHORTEST_SEGMENT]
    split = int(np.argmax(candidates)) + _SHORTEST_SEGMENT
    total = float(centred @ centred)
    rest = total - float(explained[split - 1])
    penalty = 3.0 * math.log(count)
    if total <= 1e-18 * count * float(np.abs(values).max()) ** 2:
        return 0
    if rest <= 1e-12 * total:
        return split
    return split if count * math.log(total / rest) > penalty else 0


def _drift_ratio(level: NDArray[np.float64]) -> float:
    median = float(np.median(level))
    if level.size < 2 or median == 0.0:
        return 0.0
    return theil_sen_slope(level) * level.size / median
