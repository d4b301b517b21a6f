"""Two independent groups of runs, such as bundles of different sessions, or published summaries.

Without common blocks, nothing can be paired: any change between the sessions is part of the
difference. Prefer `comparison.compare` if both sides ran in the same blocks. Used for a paper's
summaries and for `wirelab compare --baseline`.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from wirelab.statistics.estimate import Estimate


@dataclass(frozen=True, slots=True)
class Summary:
    """The published summary of a group: mean, standard deviation (of n - 1) and size."""

    mean: float
    standard_deviation: float
    count: int

    @classmethod
    def of(cls, values: ArrayLike) -> "Summary":
        """Summarise values; raises ValueError for fewer than two."""
        array = np.asarray(values, dtype=np.float64)
        if array.size < 2:
            raise ValueError(f"{array.size} values; a standard deviation needs two")
        return cls(float(array.mean()), float(array.std(ddof=1)), array.size)

    @property
    def squared_error(self) -> float:
        """Squared standard error of the mean."""
        return self.standard_deviation**2 / self.count


def difference_of_means(first: Summary, second: Summary) -> Estimate:
    """Estimate the first mean minus the second, by Welch's method.

    Question: do two separate groups differ on average, and by how much? Formula: difference of
    means over √(s1²/n1 + s2²/n2), degrees of freedom by Welch and Satterthwaite; on logarithms, the
    log of the ratio of two costs. Source: Welch, Biometrika 34 (1947) 28-35. Assumes independent
    values, roughly normal means. Vectors V2 (on logs), V8, V11, V14.
    """
    difference = first.mean - second.mean
    variance = first.squared_error + second.squared_error
    if variance == 0.0:
        return Estimate(difference, 0.0, first.count + second.count - 2)
    freedom = variance**2 / (
        first.squared_error**2 / (first.count - 1) + second.squared_error**2 / (second.count - 1)
    )
    return Estimate(difference, math.sqrt(variance), freedom)
