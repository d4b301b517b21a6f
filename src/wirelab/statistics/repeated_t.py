"""The repeated t test: a mean of block values, tested again after every block.

A t test that is repeated until it rejects is wrong in a quarter of all cases, not in 5 %. Here the
smallest p value so far is calibrated instead, for looks after every block from the fourth on and
without an end. So p values and intervals are valid at every number of blocks, whatever rule stops,
extends or resumes a study.
"""

import math
from bisect import bisect_left
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from wirelab.statistics.estimate import Interval, LimitTests

FIRST_LOOK = 4
"""The number of blocks from which on the mean is tested."""

GUARD = 4.0
"""The variance of block values counts as at least this part of what their permutations explain.

Of four blocks, the variance is sometimes almost 0 by accident. At the level of one pair of 30, the
guard halves false alarms there, and costs 0.1 block at most.
"""

CALIBRATION = (
    (0.0000151, 0.0001),
    (0.0000310, 0.0002),
    (0.0000832, 0.0005),
    (0.000174, 0.001),
    (0.000370, 0.002),
    (0.00101, 0.005),
    (0.00220, 0.01),
    (0.00480, 0.02),
    (0.0140, 0.05),
    (0.0325, 0.1),
    (0.078, 0.2),
)
"""Values of x, and the probability F(x) that the smallest p · k/4 ever reaches x.

`benches/noise/any_time/calibration.py` computes it; rounded by 2 to 3 % to the safe side.
"""
_X, _F = (np.array(column) for column in zip(*CALIBRATION, strict=True))
_EXPONENT = math.log(_F[-1] / _F[-2]) / math.log(_X[-1] / _X[-2])
"""The slope of the logarithms at the end of the table: 0.792."""
_SCALE_BELOW = 10.0
_MOST_BLOCKS = 10**9


class Looks(NamedTuple):
    """Means and standard deviations of the first 4, 5, ... values, along the last axis.

    A deviation of 0 means that nothing is known about the spread.
    """

    means: NDArray[np.float64]
    deviations: NDArray[np.float64]

    def scaled_tails(self, limit: float) -> NDArray[np.float64]:
        """Return at each look 2 T(-t) · k/4, of the test that the mean exceeds a limit."""
        count = FIRST_LOOK + np.arange(self.means.shape[-1])
        known = self.deviations > 0.0
        errors = np.where(known, self.deviations, 1.0) / np.sqrt(count)
        tails = special.stdtr(count - 1, (limit - self.means) / errors)
        scaled: NDArray[np.float64] = np.where(known, 2.0 * tails * count / FIRST_LOOK, math.inf)
        return scaled


def looks(values: ArrayLike, variances: ArrayLike = math.nan) -> Looks:
    """Return the mean and the standard deviation after each block from the fourth on.

    Question: what do the first k blocks say? Formula: mean d̄; s̃² = max(s², ŵ/4) with s² the
    variance of the values and ŵ the mean of `variances`, the part that permutations explain; NaN
    where that is unknown. Source: as `RepeatedT`. Vectors A to D.

    Blocks are along the last axis; others are for many comparisons at once.
    """
    d = np.asarray(values, dtype=np.float64)
    w = np.broadcast_to(np.asarray(variances, dtype=np.float64), d.shape)
    count = np.arange(1, d.shape[-1] + 1)
    # From the first value on, so that equal values have a deviation of exactly zero.
    offsets = d - d[..., :1]
    means = offsets.cumsum(axis=-1) / count
    squares = (offsets**2).cumsum(axis=-1) - count * means**2
    known = np.isfinite(w)
    explained = np.where(known, w, 0.0).cumsum(axis=-1) / np.maximum(known.cumsum(axis=-1), 1)
    variance = np.maximum(squares / np.maximum(count - 1, 1), explained / GUARD)
    from_first = slice(FIRST_LOOK - 1, None)
    deviations = np.sqrt(np.maximum(variance, 0.0))
    return Looks((means + d[..., :1])[..., from_first], deviations[..., from_first])


def calibrated(smallest: ArrayLike) -> NDArray[np.float64]:
    """Return F(x), from interpolated logarithms of the table; above 1 where x is large.

    Below the table it is the smaller of 0.0001 and 10 x, above it 0.2 (x/0.078)^0.792, both on the
    safe side. A one-sided p value is half of it: the two sides are hardly ever both reached.
    """
    x = np.asarray(smallest, dtype=np.float64)
    with np.errstate(divide="ignore"):
        inside = np.exp(np.interp(np.log(x), np.log(_X), np.log(_F)))
    above: NDArray[np.float64] = _F[-1] * (x / _X[-1]) ** _EXPONENT
    below = np.minimum(_F[0], _SCALE_BELOW * x)
    return np.where(x > _X[-1], above, np.where(x < _X[0], below, inside))


def smallest_at(probability: float) -> float:
    """Return the x at which F(x) has a value: what `calibrated` inverts."""
    if probability < _F[0]:
        return probability / _SCALE_BELOW
    if probability > _F[-1]:
        return float(_X[-1] * (probability / _F[-1]) ** (1.0 / _EXPONENT))
    return float(np.exp(np.interp(math.log(probability), np.log(_F), np.log(_X))))


@dataclass(frozen=True, slots=True)
class RepeatedT(LimitTests):
    """A mean of block values so far; its p values and intervals hold at every number of blocks.

    `means` and `deviations` are those after 4, 5, ... blocks; empty below four. `value` is the
    mean, NaN without a block. No hypothesis can be rejected below four blocks, or without any
    spread.
    """

    value: float
    blocks: int
    means: tuple[float, ...]
    deviations: tuple[float, ...]

    @classmethod
    def from_blocks(cls, values: ArrayLike, variances: ArrayLike = math.nan) -> "RepeatedT":
        """Test the mean of block values, in the order of their measurement.

        Question: what is the mean, and is it zero, asked after every block? Formula: t_n = d̄ √n/s̃
        with s̃ of `looks`; p_n = 2 T_(n-1)(-|t_n|); x_n = min over 4 <= k <= n of p_k · k/4; the p
        value is F(x_n), see `calibrated`. Source: the t statistic does not depend on the unknown
        variance, and neither does the whole sequence of t_n, so that the distribution of x is
        known (Rushton, Biometrika 37 (1950) 326-333, for sequential t tests); the boundary and its
        table are wirelab's. Assumes independent, roughly normal blocks; starts whose times are
        one-sided or have two modes, and correlated blocks, raise false alarms, as in any t test.
        Vectors A to D.
        """
        d = np.asarray(values, dtype=np.float64)
        after = looks(d, variances)
        mean = float(d.mean()) if d.size else math.nan
        return cls(mean, d.size, tuple(after.means.tolist()), tuple(after.deviations.tolist()))

    @property
    def deviation(self) -> float:
        """The standard deviation of a block value, with the guard; 0 below four blocks."""
        return self.deviations[-1] if self.deviations else 0.0

    def p_above(self, limit: float) -> float:
        """Return the one-sided p value of the hypothesis that the true mean is at most `limit`."""
        return self._one_sided(self._looks().scaled_tails(limit))

    def p_below(self, limit: float) -> float:
        """Return the one-sided p value of the hypothesis that it is at least `limit`."""
        mirrored = Looks(-self._looks().means, self._looks().deviations)
        return self._one_sided(mirrored.scaled_tails(-limit))

    def interval(self, confidence: float = 0.95) -> Interval | None:
        """Return the interval after the latest block, d̄ ± t · s̃/√n; None if there is none.

        The tail beyond t on either side is 2 x/n with F(x) = 1 - confidence: 0.028/n for 95 %,
        0.065/n for 90 %.
        """
        if self.deviation == 0.0:
            return None
        half_width = self.deviation * half_width_factor(self.blocks, 1.0 - confidence)
        return Interval(self.value - half_width, self.value + half_width)

    def running_interval(self, confidence: float = 0.95) -> Interval | None:
        """Return what the intervals after every block have in common; None if that is nothing."""
        intervals = [
            Interval(mean - half_width, mean + half_width)
            for number, (mean, deviation) in enumerate(
                zip(self.means, self.deviations, strict=True), start=FIRST_LOOK
            )
            if deviation > 0.0
            for half_width in [deviation * half_width_factor(number, 1.0 - confidence)]
        ]
        if not intervals:
            return None
        low, high = max(each.low for each in intervals), min(each.high for each in intervals)
        return Interval(low, high) if low <= high else None

    def _looks(self) -> Looks:
        return Looks(np.array(self.means), np.array(self.deviations))

    @staticmethod
    def _one_sided(scaled: NDArray[np.float64]) -> float:
        smallest = float(scaled.min(initial=math.inf))
        return min(1.0, float(calibrated(smallest)) / 2.0)


def half_width_factor(blocks: int, probability: float) -> float:
    """Return half the width of an interval after so many blocks, in standard deviations of a block.

    `probability`: that the true mean ever lies outside such an interval.
    """
    tail = min(0.5, 2.0 * smallest_at(probability) / blocks)
    return -float(special.stdtrit(blocks - 1, tail)) / math.sqrt(blocks)


def blocks_until(deviation: float, distance: float, significance: float) -> float:
    """Return the number of blocks after which a mean is shown to lie on one side of a limit.

    Question: when will the one-sided test of `RepeatedT` reject at a level? Formula: the smallest n
    from four on with t · s/√n <= |d|, t as in `RepeatedT.interval` at 1 - 2 · `significance`.
    Assumes that the standard deviation of a block value, and the `distance` of the mean from the
    limit, stay as they are. No vector; the tests simulate.

    Infinite if the mean is not on that side (the distance is not above 0).
    """
    if distance <= 0.0:
        return math.inf
    needed = bisect_left(
        range(FIRST_LOOK, _MOST_BLOCKS),
        -distance,
        key=lambda blocks: -deviation * half_width_factor(blocks, 2.0 * significance),
    )
    return float(FIRST_LOOK + needed)
