"""How much to measure: permutations in a block, blocks in a study.

More blocks always help, because they average out random differences between server starts and
between states of the machine. More permutations help only until the differences between starts
dominate.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from wirelab.statistics.block_value import trimmed_count, trimmed_mean, variance_of_one
from wirelab.statistics.comparison import Comparison
from wirelab.statistics.estimate import SIGNIFICANCE, Interval
from wirelab.statistics.repeated_t import RepeatedT, blocks_until
from wirelab.terminal.words import plural

SAME_FACTOR = 8.57
"""(z(0.95) + z(0.90))²: two one-sided tests at 5 %, both passed with 80 % power if A equals B."""
POWER_QUANTILE = 0.8416212
"""z(0.80): a test that rejects with 80 % power."""
_BISECTIONS = 20


@dataclass(frozen=True, slots=True)
class VarianceComponents:
    """How log-ratios vary: between the permutations of a block, and between blocks.

    `permutation` is T1², the variance that one permutation contributes. `blocks_observed` is S2²,
    the variance of the block values, including what the permutations contribute; `block` is T2²,
    what the blocks themselves add. It is zero or less if the data show no difference between
    blocks. `block_freedom` and `permutation_freedom` are the degrees of freedom of S2² and T1².
    """

    permutation: float
    blocks_observed: float
    block: float
    block_freedom: float = math.nan
    permutation_freedom: float = math.nan

    def standard_deviation(self, permutations: int) -> float:
        """Return the expected standard deviation of a block value from `permutations`."""
        return math.sqrt(max(self.block, 0.0) + self.permutation / permutations)

    @property
    def p_no_difference(self) -> float:
        """The p value of the hypothesis that blocks differ by nothing but their permutations.

        An F test: S2² over the variance that permutations explain, S2² - T2². Scheffé, The Analysis
        of Variance (1959), chapter 7 (random effects); with trimmed means, whose variance has the
        freedom of the values that are kept, it is approximate. No vector; the tests simulate.
        """
        explained = self.blocks_observed - self.block
        if explained <= 0.0:
            return 0.0 if self.blocks_observed > 0.0 else 1.0
        f_statistic = self.blocks_observed / explained
        return float(special.fdtrc(self.block_freedom, self.permutation_freedom, f_statistic))


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
    kept = np.array([size - 2 * trimmed_count(size) for size in sizes.tolist()])
    observed = float(np.var(values, ddof=1))
    return VarianceComponents(
        permutation=float(variances.mean()),
        blocks_observed=observed,
        block=observed - float((variances / sizes).mean()),
        block_freedom=len(arrays) - 1.0,
        permutation_freedom=float((kept - 1).sum()),
    )


def pooled(components: Sequence[VarianceComponents]) -> VarianceComponents:
    """Return the variance components that several pairs of a setting have in common.

    Question: how do permutations and starts vary in this setting, whichever pair is looked at?
    Formula: means of S2², T1² and T2² (also where it is below zero), weighted by degrees of
    freedom. Source: as `variance_components`; the pair that varies most would mostly show chance.
    Assumes that pairs vary alike; those that share a contender are not independent, so the degrees
    of freedom are those of one pair. No vector; the tests simulate.

    Raises ValueError without any pair.
    """
    if not components:
        raise ValueError("pooling needs the components of at least one pair")
    weights = [each.block_freedom for each in components]

    def mean(values: Sequence[float]) -> float:
        return float(np.average(values, weights=weights))

    return VarianceComponents(
        permutation=mean([each.permutation for each in components]),
        blocks_observed=mean([each.blocks_observed for each in components]),
        block=mean([each.block for each in components]),
        block_freedom=mean(weights),
        permutation_freedom=mean([each.permutation_freedom for each in components]),
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
        raise ValueError(f"{plural(blocks, 'block')}; an interval needs two")
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


class BlocksNeeded(NamedTuple):
    """How many blocks will probably decide a pair, those so far included.

    `expected` if mean and spread stay as they are, `most` wherever the mean lies in the 95 %
    interval.
    """

    expected: int
    most: int


def blocks_needed(comparison: Comparison, significance: float) -> BlocksNeeded | None:
    """Return how many blocks will probably decide an undecided pair; None if that is unknown.

    Question: how many blocks until it has a verdict? Formula: `blocks_to_decide`; for the repeated
    t, the first n at which, with mean and spread as they are, the interval at 1 - `significance`
    excludes equality, or the one at 90 % lies inside the margin. `significance` is what the p value
    of this pair must reach in its family. Sources and assumptions as the called functions. In
    simulations, pairs that were undecided after six blocks took 0.5 to 0.8 times the further blocks
    that the repeated t expected, at the median; half of them 0.3 to 1.4 times. No vector; the tests
    simulate.
    """
    mean, margin = comparison.mean, comparison.margin_ratio
    log_interval = mean.interval(0.95)
    if log_interval is None:
        return None
    if isinstance(mean, RepeatedT):
        expected = _blocks_to_end(comparison, abs(mean.value), significance)
        hardest = _hardest_to_end(comparison, log_interval, significance)
        most = _blocks_to_end(comparison, hardest, significance)
    else:
        deviation = comparison.standard_deviation or 0.0
        expected = blocks_to_decide(deviation, mean.value, margin, significance)
        most = most_blocks_to_decide(deviation, log_interval, margin, significance)
    least = comparison.blocks + 1
    return BlocksNeeded(max(expected, least), max(expected, most, least))


def blocks_to_show(comparison: Comparison, distance: float, level: float) -> float:
    """Return how many blocks will probably show on which side of a limit a mean lies.

    Question, formula and sources: as `blocks_until` for the repeated t; as `blocks_to_differ` for
    the paired t. `distance` is that of the mean from the limit, `level` that of a one-sided test.

    Infinite if the distance is not above 0, or if the spread is unknown.
    """
    if distance <= 0.0 or not comparison.has_spread:
        return math.inf
    if isinstance(comparison.mean, RepeatedT):
        return blocks_until(comparison.mean.deviation, distance, level)
    return blocks_to_differ(comparison.standard_deviation or 0.0, distance, 2.0 * level)


def _blocks_to_end(comparison: Comparison, distance: float, significance: float) -> int:
    to_differ = blocks_to_show(comparison, distance, significance / 2.0)
    to_be_same = blocks_to_show(comparison, comparison.log_margin - distance, SIGNIFICANCE)
    return int(min(to_differ, to_be_same))


def _hardest_to_end(comparison: Comparison, log_interval: Interval, significance: float) -> float:
    """Return the distance from equality, in an interval, that takes the most blocks.

    The larger it is, the sooner a difference is shown, and the later sameness.
    """
    low, high = sorted(map(abs, log_interval))
    if log_interval.contains(0.0):
        low = 0.0
    high = min(high, max(low, comparison.log_margin))
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2.0
        to_differ = blocks_to_show(comparison, middle, significance / 2.0)
        to_be_same = blocks_to_show(comparison, comparison.log_margin - middle, SIGNIFICANCE)
        low, high = (middle, high) if to_differ > to_be_same else (low, middle)
    return low


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
