"""Claims about one quantity of one contender: a limit that it meets, the shape of its curve."""

import math
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike

from wirelab.statistics.claim_verdict import ClaimResult, ClaimVerdict
from wirelab.statistics.comparison import MINIMUM_BLOCKS, compare, too_few_blocks
from wirelab.statistics.estimate import mean_estimate


class Side(StrEnum):
    """The side of a limit on which a claim places a value."""

    BELOW = "below"
    ABOVE = "above"


def threshold(values: ArrayLike, limit: float, claimed: Side) -> ClaimResult:
    """Judge the claim that a value lies below (or above) a limit, from one value per block.

    Question: is the typical value beyond the limit? Rule: the 95 % interval of the geometric mean
    over blocks, wholly on the claimed side: reproduced; wholly on the other: contradicted;
    otherwise, or with fewer than six blocks: cannot tell. A value that is not above 0 has no
    logarithm: its block is dropped. Source: as `compare`. Vector V11.

    Raises ValueError if the limit is not positive.
    """
    if limit <= 0.0:
        raise ValueError(f"limit is {limit}; it must be above 0")
    array = np.asarray(values, dtype=np.float64)
    positive = np.where(array > 0.0, array, np.nan)
    comparison = compare(np.log(positive) - math.log(limit))
    interval = comparison.interval95
    if interval is None or comparison.blocks < MINIMUM_BLOCKS:
        return _too_few(comparison.blocks)
    low, high = interval.low * limit, interval.high * limit
    if interval.contains(1.0):
        found = ClaimVerdict.CANNOT_TELL
    elif (high < limit) is (claimed is Side.BELOW):
        found = ClaimVerdict.REPRODUCED
    else:
        found = ClaimVerdict.CONTRADICTED
    return ClaimResult(found, f"claimed {claimed} {limit:g}, measured [{low:.4g}, {high:.4g}]")


def shape(contrasts: ArrayLike, low: float, high: float) -> ClaimResult:
    """Judge a claim about a shape by a contrast declared beforehand, one value per block.

    Question: does the curve behave as published? Rule: the contrast (such as `log_log_slope` for
    "stagnates": near zero) must lie in (low, high). 90 % interval of its mean inside: reproduced;
    95 % interval wholly outside: contradicted; otherwise, or with fewer than six blocks: cannot
    tell. Blocks without a finite contrast are dropped. Source: Schuirmann 1987 (two one-sided
    tests). Assumes independent blocks. Vector V8.

    Raises ValueError if the limits are not in order.
    """
    if not low < high:
        raise ValueError(f"limits {low} and {high} are not in order")
    array = np.asarray(contrasts, dtype=np.float64)
    array = array[np.isfinite(array)]
    mean = mean_estimate(array)
    interval90, interval95 = mean.interval(0.90), mean.interval(0.95)
    if interval90 is None or interval95 is None or array.size < MINIMUM_BLOCKS:
        return _too_few(array.size)
    if interval90.lies_within(low, high):
        found = ClaimVerdict.REPRODUCED
    elif interval95.high < low or interval95.low > high:
        found = ClaimVerdict.CONTRADICTED
    else:
        found = ClaimVerdict.CANNOT_TELL
    measured = f"{mean.value:.3g} [{interval95.low:.3g}, {interval95.high:.3g}]"
    return ClaimResult(found, f"claimed between {low:g} and {high:g}, measured {measured}")


def log_log_slope(levels: ArrayLike, values: ArrayLike) -> float:
    """Return the least-squares slope of ln(value) on ln(level): the exponent of a power law.

    Question: by which power does the value grow with the level? 0 means stagnation, 1
    proportionality. Formula: covariance over variance of the logarithms. Assumes positive levels
    and values, and at least two different levels. No vector.
    """
    x = np.log(np.asarray(levels, dtype=np.float64))
    y = np.log(np.asarray(values, dtype=np.float64))
    centred = x - x.mean()
    return float(centred @ y) / float(centred @ centred)


def _too_few(blocks: int) -> ClaimResult:
    reason = too_few_blocks(blocks)
    return ClaimResult(ClaimVerdict.CANNOT_TELL, reason)
