"""Many comparisons at once: their p values, corrected for the family that they form."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wirelab.statistics.comparison import Comparison


def holm(p_values: ArrayLike) -> NDArray[np.float64]:
    """Adjust the p values of one family so that any false alarm among them stays below 5 %.

    Question: which differences remain significant when all of them are tested? Formula: with p in
    ascending order, adjusted p_(i) = max over j <= i of min(1, (m - j + 1) · p_(j)), returned in
    the given order. Source: Holm, Scandinavian Journal of Statistics 6 (1979) 65-70. Assumes
    nothing about dependence; the family must be fixed beforehand. Vector V5.

    Raises ValueError if a value is not a probability.
    """
    p = np.asarray(p_values, dtype=np.float64)
    if not np.all((p >= 0.0) & (p <= 1.0)):
        raise ValueError("every p value must lie between 0 and 1")
    order = np.argsort(p, kind="stable")
    steps = np.arange(p.size, 0, -1) * p[order]
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted


@dataclass(frozen=True, slots=True)
class FamilyPValues:
    """The p values of a comparison by Holm's method, and the factor that its own p value got.

    `equality` decides whether there is a difference, `within_margin` whether it exceeds the margin.
    A p value of its own below 0.05 / `factor` would be significant while the others stay as they
    are.
    """

    equality: float
    within_margin: float
    factor: float


def family_p_values(comparisons: Sequence[Comparison]) -> list[FamilyPValues]:
    """Correct the p values of all comparisons of one family, in the given order.

    Question: which differences, and which that exceed the margin, remain significant when all are
    tested? Formula: `holm` of the p values of equality, and of those of the hypotheses that the
    differences lie within the margin. With the repeated t, the level of the family holds after any
    block, however blocks are allotted to the comparisons: each p value is valid at any time, and
    Holm's method assumes nothing about their dependence. Source: as `holm`. Vectors A to D.
    """
    own = np.array([comparison.p_value for comparison in comparisons])
    beyond = [comparison.p_beyond_margin for comparison in comparisons]
    factors = np.empty(own.size)
    factors[np.argsort(own, kind="stable")] = np.arange(own.size, 0, -1)
    columns = (holm(own), holm(beyond), factors)
    return [FamilyPValues(*row) for row in zip(*(each.tolist() for each in columns), strict=True)]
