"""One value for a block, from many short comparisons, so that no single disturbance decides.

In a block the contenders take turns in slices. A permutation gives every contender one slice, so it
yields one log-ratio for each pair, ln(A/B), under nearly the same conditions. A pause of the host
affects some slices of a permutation and not others. Over the permutations of a block, pauses affect
all contenders about equally often, and trimming removes the remaining outliers.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wirelab.terminal.words import plural

TRIMMED_SHARE = 0.20
"""The share of permutations dropped at each end."""

LEAST_SHARE = 0.50
"""A block has no value if a smaller share of its permutations is valid."""


class BlockValue(NamedTuple):
    """The value of one block on the log scale, such as ln(A/B), and how much of it is chance.

    `variance` is the variance of the value that the permutations alone explain (T1²/P): however
    alike the starts of servers are, values of blocks vary by it. Both are NaN where unknown: the
    value if the block has none, the variance if it was not measured in permutations.
    """

    value: float
    variance: float = math.nan

    @classmethod
    def from_permutations(cls, log_ratios: ArrayLike) -> "BlockValue":
        """Summarise the log-ratios of a block's permutations: `block_value`, `variance_of_one`/P.

        A permutation without a value is NaN.
        """
        array = np.asarray(log_ratios, dtype=np.float64)
        valid = array[np.isfinite(array)]
        variance = variance_of_one(valid) / valid.size if valid.size > 1 else math.nan
        return cls(block_value(array), variance)

    def plus(self, log_factor: float) -> "BlockValue":
        """Return the value for A multiplied by a factor, given its logarithm."""
        return BlockValue(self.value + log_factor, self.variance)

    def minus(self, other: "BlockValue") -> "BlockValue":
        """Return the difference of two values whose permutations are independent."""
        return BlockValue(self.value - other.value, self.variance + other.variance)

    def inverted(self) -> "BlockValue":
        """Return the value of B relative to A."""
        return BlockValue(-self.value, self.variance)


def trimmed_mean(values: ArrayLike, share: float = TRIMMED_SHARE) -> float:
    """Return the mean without the smallest and the largest values.

    Question: what is the typical value if a few values are outliers? Formula: sort P values, drop
    floor(share · P) at each end, average the rest. Source: Tukey and McLaughlin, Sankhya A 25
    (1963) 331-352. Assumes that outliers occur on both sides, for reasons unrelated to what is
    measured. Vector TV1.

    Returns NaN without values. Raises ValueError for a share outside [0, 0.5).
    """
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    dropped = trimmed_count(ordered.size, share)
    kept = ordered[dropped : ordered.size - dropped]
    return float(np.mean(kept)) if kept.size else math.nan


def block_value(log_ratios: ArrayLike) -> float:
    """Return the value of one block from the log-ratios of its permutations.

    Question: how does A relate to B in this block? Formula: 20 % trimmed mean of d = ln(A/B) over
    the permutations; the same for the ln(time) of one contender. Source: as `trimmed_mean`. Assumes
    that the order within each permutation was random. Vector TV1.

    A permutation is NaN if either slice has no value (no transaction succeeded). The block has no
    value (NaN) if fewer than half of its permutations have one: the rest would not represent the
    block.
    """
    array = np.asarray(log_ratios, dtype=np.float64)
    valid = array[np.isfinite(array)]
    if valid.size < LEAST_SHARE * array.size:
        return math.nan
    return trimmed_mean(valid)


def variance_of_one(values: ArrayLike, share: float = TRIMMED_SHARE) -> float:
    """Return the variance that one value contributes to a trimmed mean.

    Question: how much does the value of a block vary because its permutations are few? Formula:
    s_w²/(1 - 2g/P)² with s_w² the variance (of P - 1) of the values after the g = floor(share · P)
    smallest and largest were set to the nearest value kept; divided by P it is the squared standard
    error of the trimmed mean. Without trimming, it is the usual variance. Source: Tukey and
    McLaughlin 1963. Assumes independent values. Vector TV3 (four permutations, none trimmed).

    Raises ValueError for fewer than two values.
    """
    ordered: NDArray[np.float64] = np.sort(np.asarray(values, dtype=np.float64))
    if ordered.size < 2:
        raise ValueError(f"{plural(ordered.size, 'value')}; a variance needs two")
    dropped = trimmed_count(ordered.size, share)
    winsorised = np.clip(ordered, ordered[dropped], ordered[ordered.size - 1 - dropped])
    return float(np.var(winsorised, ddof=1)) / (1.0 - 2.0 * dropped / ordered.size) ** 2


def trimmed_count(count: int, share: float = TRIMMED_SHARE) -> int:
    """Return how many of `count` values are dropped at each end.

    Question: how many values does the trimmed mean leave out? Formula: floor(share · count). No
    assumptions. No vector.

    Raises ValueError for a share outside [0, 0.5).
    """
    if not 0.0 <= share < 0.5:
        raise ValueError(f"share is {share}; it must be at least 0 and below 0.5")
    # In binary, 0.2 · 15 is slightly more than 3, and 0.29 · 100 slightly less than 29.
    return math.floor(share * count + 1e-9)
