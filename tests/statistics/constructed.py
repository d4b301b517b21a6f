"""Comparisons whose ratio and spread are known, and results that must exist."""

import math
from typing import TypeVar

import numpy as np

from wirelab.statistics import Comparison, Interval, Method, compare

T = TypeVar("T")
ALTERNATING = np.array([1.0, -1.0] * 5)


def measured(ratio: float, spread: float = 0.02, method: Method = Method.PAIRED_T) -> Comparison:
    """Compare ten blocks whose log-ratios lie a spread above and below that of a ratio."""
    return compare(math.log(ratio) + spread * ALTERNATING, method=method)


def once(ratio: float) -> Interval:
    """Return a published ratio that is no range."""
    return Interval(ratio, ratio)


def known(result: T | None) -> T:
    """Return a result that is expected to exist."""
    assert result is not None
    return result
