"""How much to measure: permutations in a block, blocks in a study.

More blocks always help, because they average out random differences between server starts and
between states of the machine. More permutations help only until the differences between starts
dominate.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from wirelab.statistics.block_value import trimmed_mean, variance_of_one
from wirelab.statistics.estimate import Estimate, mean_estimate
from wirelab.statistics.interval import Interval

SAME_FACTOR = 8.57
"""(z(0.95) + z(0.90))²: two one-sided tests at 5 %, both passed with 80 % power if A equals B."""
POWER_QUANTILE = 0.8416212
"""z(0.80): a test that rejects with 80 % power."""


@dataclass(frozen=True, slots=True)
class VarianceComponents:
    """How log-ratios vary: between the permutations of a block, and between blocks.

    `permutation` is T1², the variance that one permutation contributes. `blocks_observed` is S2²,
    the variance of the block values, including what the permutations contribute; `block` is T2²,
    what the blocks themselves add. It is zero or less if the data show no difference between
    blocks. `mean` is the mean of the block values.
    """

    permutation: float
    blocks_observed: float
    block: float
    mean: Estimate

    def standard_deviation(self, permutations: int) -> float:
        """Return the expected standard deviation of a block value from `permutations`."""
        return math.sqrt(max(self.block, 0.0) + self.permutation / permutations)


def variance_components(blocks: Sequence[ArrayLike]) -> VarianceComponents:
    """Split the variation of log-ratios into that of permutations and that of blocks.

    Question: do permutations vary, or starts of the servers? Formula: T1² = S1² = mean over
    blocks of `variance_of_one`; S2² = variance of the block values; T2² = S2² - mean of S1²/P.
    Source: Kalibera and Jones, Rigorous benchmarking in reasonable time, ISMM 2013, doi
    10.1145/2464157.2464160, as corrected in the authors' revised version, kar.kent.ac.uk/33611;
    trimmed means instead of means. Assumes that the permutations of a block are independent given
    the block. Vectors V1 (two levels) and TV3.

    `blocks` has the log-ratios of one pair, block by block; permutations without a value (NaN) are
    left out. Raises ValueError for fewer than two blocks, or a block with fewer than two values.
    """
    arrays = [np.asarray(block, dtype=np.float64) for block in blocks]
    arrays = [array[np.isfinite(array)] for array in arrays]
    if len(arrays) < 2 or min(array.size for array in arrays) < 2:
        raise ValueError("needs at least two blocks, each with at least two values")
    values = np.array([trimmed_mean(array) for array in arrays])
    variances = np.array([variance_of_one(array) for array in arrays])
    sizes = np.array([array.size for array in arrays])
    observed = float(np.var(values, ddof=1))
    return VarianceComponents(
        permutation=float(variances.mean()),
        blocks_observed=observed,
        block=observed - float((variances / sizes).mean()),
        mean=mean_estimate(values),
    )


def optimal_permutations(
    components: VarianceComponents, *, permutation_cost: float, block_cost: float
) -> int | None:
    """Return the number of permutations in a block that minimises the error in a given time.

    Question: longer blocks, or more of them? Formula: P = ⌈√(c2/c1 · T1²/T2²)⌉ with c1 the cost of
    a permutation and c2 that of starting a block. Source: Kalibera and Jones, ISMM 2013, optimal
    repetition counts. Assumes costs that do not depend on each other. Vectors V1 and TV3.

    Returns None (as many as time allows) if the data show no variance between blocks, and 1 if
    permutations do not vary. Costs can be in any common unit, such as seconds. Raises ValueError if
    a cost is not positive.
    """
    if permutation_cost <= 0.0 or block_cost <= 0.0:
        raise ValueError(f"costs {permutation_cost} and {block_cost} must be above 0")
    if components.block <= 0.0:
        return None if components.permutation > 0.0 else 1
    variances = components.permutation / components.block
    return max(1, math.ceil(math.sqrt(block_cost / permutation_cost * variances)))


def expected_half_width(standard_deviation: float, blocks: int) -> float:
    """Return the expected half-width of a ratio's 95 % interval after `blocks`, as a share.

    Question: how precise will the study be? Formula: exp(t · s/√n) - 1 with s the standard
    deviation of a block value (see `VarianceComponents.standard_deviation`) and n - 1 degrees of
    freedom. Source: as `compare`. Assumes that the standard deviation stays the same. Vector TV3.

    Raises ValueError for fewer than two blocks.
    """
    if blocks < 2:
        raise ValueError(f"{blocks} blocks; an interval needs two")
    quantile = float(special.stdtrit(blocks - 1, 0.975))
    return math.expm1(quantile * standard_deviation / math.sqrt(blocks))


def blocks_for(standard_deviation: float, margin_ratio: float) -> int:
    """Return the number of blocks that will probably decide a pair.

    Question: how many blocks does it take to show that two equal contenders are practically the
    same? Formula: n = ⌈8.57 s²/δ² + 2⌉, δ = ln(1 + margin_ratio), for 80 % power; the 2 compensates
    for the t distribution at small n. A difference beyond twice the margin is decided sooner.
    Source: Chow, Shao and Wang, Sample Size Calculations in Clinical Research (2008), section 3.1,
    for equivalence. Assumes that s, the standard deviation of the block values, stays the same.
    Vector TV2.

    The formula may return fewer than the `MINIMUM_BLOCKS` that any verdict needs. Raises ValueError
    if the margin is not positive.
    """
    if margin_ratio <= 0.0:
        raise ValueError(f"margin_ratio is {margin_ratio}; it must be above 0")
    return math.ceil(SAME_FACTOR * (standard_deviation / math.log1p(margin_ratio)) ** 2 + 2.0)


def blocks_to_decide(
    standard_deviation: float, log_ratio: float, margin_ratio: float, significance: float
) -> int:
    """Return the number of blocks that will probably decide an undecided pair.

    Question: how many blocks until it has a verdict? Formula: the fewer of those that show a
    difference, n = ((z(1 - α/2) + z(0.80)) s/|d|)² + z(1 - α/2)²/2, and, for |d| < δ, those that
    show sameness (`blocks_for`, with δ - |d| for δ); δ = ln(1 + margin_ratio), for 80 % power.
    α is the `significance` that the p value of this pair alone must reach. Sources: Chow, Shao and
    Wang, Sample Size Calculations in Clinical Research (2008), section 3.1, for equality and for
    equivalence; Guenther, The American Statistician 35 (1981) 243-244, for the term that makes up
    for the t distribution. Assumes that d and s, mean and standard deviation of the block values,
    hold. No vector; the tests simulate the power.

    Raises ValueError where the margin is not positive.
    """
    if margin_ratio <= 0.0:
        raise ValueError(f"margin_ratio is {margin_ratio}; it must be above 0")
    distance, log_margin = abs(log_ratio), math.log1p(margin_ratio)
    counts = [blocks_to_differ(standard_deviation, distance, significance)]
    if distance < log_margin:
        counts.append(blocks_for(standard_deviation, math.expm1(log_margin - distance)))
    return math.ceil(min(counts))


def most_blocks_to_decide(
    standard_deviation: float, log_interval: Interval, margin_ratio: float, significance: float
) -> int:
    """Return the number of blocks that will probably decide a pair wherever its difference lies.

    Question: how many blocks, if the mean so far is not the true difference? Formula: the largest
    `blocks_to_decide` of all d in `log_interval`. It grows with |d| up to δ q/(q + √8.57), q =
    z(1 - α/2) + z(0.80), where showing a difference and showing sameness take equally many, and
    falls beyond; so this is the value for the |d| of the interval that is nearest to there. Sources
    and assumptions as `blocks_to_decide`, but that the interval contains d. No vector; the tests
    search the interval.

    Raises ValueError where the margin is not positive.
    """
    quantile = POWER_QUANTILE - float(special.ndtri(significance / 2.0))
    hardest = math.log1p(margin_ratio) * quantile / (quantile + math.sqrt(SAME_FACTOR))
    low, high = sorted(map(abs, log_interval))
    if log_interval.contains(0.0):
        low = 0.0
    distance = min(max(hardest, low), high)
    return blocks_to_decide(standard_deviation, distance, margin_ratio, significance)


def blocks_to_differ(standard_deviation: float, distance: float, significance: float) -> float:
    """Return how many blocks show a mean to differ from a limit; infinite if it equals the limit.

    Question, formula and sources: the first part of `blocks_to_decide`, with |d| for the `distance`
    of the mean from the limit.
    """
    if distance == 0.0:
        return math.inf
    quantile = -float(special.ndtri(significance / 2.0))
    effect = standard_deviation / distance
    return float(((quantile + POWER_QUANTILE) * effect) ** 2 + quantile**2 / 2.0)
