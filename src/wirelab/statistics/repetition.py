"""How many runs are needed, and of what: where the variation arises and what repeating costs."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from wirelab.statistics.comparison import MINIMUM_BLOCKS
from wirelab.statistics.estimate import Estimate


@dataclass(frozen=True, slots=True)
class VarianceComponents:
    """Variation by level, from the lowest (windows in a run) to the highest (runs, blocks).

    `observed` (S²) is the variance of the means at a level; it contains what the levels below
    leave in those means. `own` (T²) is what the level adds itself. An own variance of zero or
    less means that the level adds nothing that these data can see. `mean` carries the interval.
    """

    observed: tuple[float, ...]
    own: tuple[float, ...]
    repetitions: tuple[int, ...]
    mean: Estimate


def variance_components(measurements: ArrayLike) -> VarianceComponents:
    """Split the variation of a nested experiment into its levels.

    Question: do windows differ, or runs? Formula: at level i, S_i² = mean over all higher levels
    of the sample variance of the means below; T_1² = S_1², T_i² = S_i² - S_(i-1)²/r_(i-1); the
    mean of all has the variance S_n²/r_n with r_n - 1 degrees of freedom. Source: Kalibera and
    Jones, Rigorous benchmarking in reasonable time, ISMM 2013, doi 10.1145/2464157.2464160: the
    estimators S_i² and T_i² as corrected in the authors' revised version, kar.kent.ac.uk/33611.
    Assumes a balanced experiment with random levels. Vector V1.

    `measurements` has one axis per level, the highest first. Raises ValueError where a level has
    fewer than two repetitions.
    """
    table = np.asarray(measurements, dtype=np.float64)
    if table.ndim == 0 or min(table.shape) < 2:
        raise ValueError(f"shape {table.shape}: every level needs at least two repetitions")
    observed = []
    means = table
    for axis in range(table.ndim - 1, -1, -1):
        observed.append(float(np.var(means, axis=axis, ddof=1).mean()))
        means = means.mean(axis=axis)
    repetitions = tuple(reversed(table.shape))
    own = [observed[0]]
    own += [
        upper - lower / count
        for lower, upper, count in zip(observed, observed[1:], repetitions, strict=False)
    ]
    error = math.sqrt(observed[-1] / repetitions[-1])
    return VarianceComponents(
        observed=tuple(observed),
        own=tuple(own),
        repetitions=repetitions,
        mean=Estimate(float(table.mean()), error, repetitions[-1] - 1),
    )


def optimal_repetitions(
    own_variances: Sequence[float], costs: Sequence[float]
) -> tuple[int | None, ...]:
    """Return how often to repeat every level but the highest, for the least error per cost.

    Question: more windows per run, or more runs? Formula:
    r_i = ⌈√(c_(i+1)/c_i · T_i²/T_(i+1)²)⌉, costs and own variances from the lowest level up.
    Source: Kalibera and Jones, ISMM 2013, optimal repetition counts. Assumes costs per repetition
    that do not depend on the others. Vector V1.

    1 where the level itself does not vary; None (as often as affordable) where the level above
    does not. Raises ValueError when lengths differ or a cost is not positive.
    """
    if len(own_variances) != len(costs) or min(costs, default=0.0) <= 0.0:
        raise ValueError("needs one positive cost for every level")
    plan: list[int | None] = []
    for level in range(len(costs) - 1):
        own, above = own_variances[level], own_variances[level + 1]
        if own <= 0.0:
            plan.append(1)
        elif above <= 0.0:
            plan.append(None)
        else:
            plan.append(math.ceil(math.sqrt(costs[level + 1] / costs[level] * own / above)))
    return tuple(plan)


def expected_half_width(standard_deviation: float, blocks: int) -> float:
    """Return the half-width, as a share, to expect of a ratio's 95 % interval after so many blocks.

    Question: how precise will the study be? Formula: exp(t · s/√B) - 1 with s the standard
    deviation of the per-block log-ratio and B - 1 degrees of freedom. Source: as `compare`.
    Assumes that the pilot's standard deviation holds. No vector; the tests hold a table.

    Raises ValueError for fewer than two blocks.
    """
    if blocks < 2:
        raise ValueError(f"{blocks} blocks; an interval needs two")
    quantile = float(special.stdtrit(blocks - 1, 0.975))
    return math.expm1(quantile * standard_deviation / math.sqrt(blocks))


def blocks_for(standard_deviation: float, half_width_ratio: float, at_most: int = 1000) -> int:
    """Return the number of blocks after which a ratio's 95 % interval is narrow enough.

    Question: how many blocks for ±5 %? Formula: the smallest B with
    t · s/√B <= ln(1 + half_width_ratio); never fewer than six. Assumes that the pilot's standard
    deviation holds. Stop on precision or budget, never on a p value. No vector; the tests hold a
    table.

    Raises ValueError where even `at_most` blocks are too few.
    """
    for blocks in range(MINIMUM_BLOCKS, at_most + 1):
        if expected_half_width(standard_deviation, blocks) <= half_width_ratio:
            return blocks
    raise ValueError(
        f"±{half_width_ratio:.2%} needs more than {at_most} blocks at a standard deviation of"
        f" {standard_deviation:.2%}"
    )
