"""Compare two contenders over the blocks in which both ran: the central method of the laboratory.

Sign convention, everywhere in this package: a comparison gives the cost of A relative to that of B
(time, bytes, CPU: lower is better). A ratio below 1 means that A is cheaper or faster; a block's
value is ln(A/B). If higher is better (throughput), pass ln(B/A): the ratio of times.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wirelab.statistics.block_value import BlockValue
from wirelab.statistics.estimate import Estimate, Interval, mean_estimate, ratio_interval
from wirelab.statistics.repeated_t import FIRST_LOOK, RepeatedT
from wirelab.terminal.words import plural

MINIMUM_BLOCKS = 6
"""The fewest blocks of a verdict where their number is fixed: with fewer, no interval of ranks at
95 % exists that could confirm the t interval."""

MOST_DROPPED = 0.20
"""If a larger share of the blocks has no valid value, those that are left may not represent all."""


class Method(StrEnum):
    """How the mean of block values is tested."""

    PAIRED_T = "paired t"
    """Once, after a number of blocks fixed beforehand."""
    REPEATED_T = "repeated t"
    """After every block; the study may end at any of them, for any reason."""

    @property
    def least_blocks(self) -> int:
        """The number of valid blocks below which there is no verdict."""
        return FIRST_LOOK if self is Method.REPEATED_T else MINIMUM_BLOCKS


def too_few_blocks(blocks: int, least: int = MINIMUM_BLOCKS) -> str:
    """Return the reason for no verdict below `least` blocks."""
    return f"{plural(blocks, 'valid block')}; a verdict needs at least {least}"


@dataclass(frozen=True, slots=True)
class Comparison:
    """The comparison of A with B over all blocks. All ratios are of costs, A over B.

    `mean` is that of the log-ratios and allows further tests. Of the p values, `p_value` is that of
    equality; `p_beyond_margin` is small if the difference exceeds the margin, `p_within_margin` if
    it lies inside: below 0.05 exactly if `interval90` does. With the repeated t, `interval95` is
    that of the latest block, and `interval90` what those after all blocks have in common. Intervals
    are None where the blocks allow none. `rank_interval` is Wilcoxon's at 95 %, from six blocks on
    and for the paired t only. `standard_deviation` is that of the block values, None below two.
    Without any valid block the ratio is NaN and the p values are 1.
    """

    blocks: int
    dropped_blocks: int
    log_ratios: tuple[float, ...]
    margin_ratio: float
    method: Method
    mean: Estimate | RepeatedT
    ratio: float
    interval95: Interval | None
    interval90: Interval | None
    rank_interval: Interval | None
    standard_deviation: float | None
    p_value: float
    p_beyond_margin: float
    p_within_margin: float

    @property
    def log_margin(self) -> float:
        """The equivalence margin on the log scale: ln(1 + margin_ratio)."""
        return math.log1p(self.margin_ratio)

    @property
    def has_enough_blocks(self) -> bool:
        """Whether there may be a verdict."""
        return self.blocks >= self.method.least_blocks

    @property
    def has_spread(self) -> bool:
        """Whether the repeated t has a spread to test with; without any there is no verdict.

        The paired t takes blocks that do not vary for a quantity that does not.
        """
        return not isinstance(self.mean, RepeatedT) or self.mean.deviation > 0.0

    @property
    def lost_many_blocks(self) -> bool:
        """Whether more than a fifth of the blocks had no valid value."""
        return self.dropped_blocks > MOST_DROPPED * (self.blocks + self.dropped_blocks)

    @property
    def methods_disagree(self) -> bool:
        """Whether only one of t interval and rank interval excludes equality, at 95 %."""
        if self.interval95 is None or self.rank_interval is None:
            return False
        return self.interval95.contains(1.0) != self.rank_interval.contains(1.0)

    @property
    def half_width_ratio(self) -> float | None:
        """Half the width of the 95 % interval as a share (0.021 means ±2.1 %), or None."""
        if self.interval95 is None:
            return None
        return self.interval95.high / self.ratio - 1.0


def compare(
    log_ratios: ArrayLike | Sequence[BlockValue],
    *,
    margin_ratio: float = 0.05,
    method: Method = Method.PAIRED_T,
) -> Comparison:
    """Compare the costs of A and B, given one log-ratio ln(A/B) for each block.

    Question: is A cheaper than B, by how much, and is that real? Formula: with d the block values
    (for runs measured one after the other, ln a - ln b), ratio = exp(mean d); intervals and p
    values of the mean by Student's t where the number of blocks is fixed, by `RepeatedT` where a
    study ends when it is decided; equivalence by two one-sided tests against ±ln(1 + margin_ratio).
    Sources: Hoefler and Belli, SC 2015 (ratios by geometric means; intervals); Abedi and Brecht,
    ICPE 2017 (randomised interleaved trials); and the sources of the called functions. Assumes that
    blocks are independent of each other (the servers were started afresh) and d roughly normal.
    Vectors TV2, V8 and V11; A to D.

    The repeated t also uses the variances of `BlockValue`s; plain numbers have none. A block
    without a valid value (NaN or infinite) is dropped and counted, never imputed. Raises ValueError
    if the shape or the margin is invalid.
    """
    if margin_ratio <= 0.0:
        raise ValueError(f"margin_ratio is {margin_ratio}; it must be above 0")
    given, variances = _columns(log_ratios)
    valid = np.isfinite(given)
    # Beyond twelve decimals, a log-ratio is rounding error, which would break ties between blocks.
    values = np.round(given[valid], 12)
    blocks, dropped = values.size, given.size - values.size
    fixed = mean_estimate(values)
    mean: Estimate | RepeatedT = fixed
    interval90, rank_interval = fixed.interval(0.90), None
    if method is Method.REPEATED_T:
        mean = RepeatedT.from_blocks(values, variances[valid])
        interval90 = mean.running_interval(0.90)
    else:
        rank_interval = _rank_interval(values)
    log_margin = math.log1p(margin_ratio)
    return Comparison(
        blocks=blocks,
        dropped_blocks=dropped,
        log_ratios=tuple(values.tolist()),
        margin_ratio=margin_ratio,
        method=method,
        mean=mean,
        ratio=math.exp(mean.value),
        interval95=ratio_interval(mean.interval(0.95)),
        interval90=ratio_interval(interval90),
        rank_interval=ratio_interval(rank_interval),
        standard_deviation=fixed.standard_error * math.sqrt(blocks) if blocks > 1 else None,
        p_value=mean.p_value(),
        p_beyond_margin=mean.p_outside(-log_margin, log_margin),
        p_within_margin=mean.p_inside(-log_margin, log_margin),
    )


def _columns(
    log_ratios: ArrayLike | Sequence[BlockValue],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the values of blocks, and the variances that their permutations explain."""
    given = np.asarray(log_ratios, dtype=np.float64)
    if given.ndim == 1:
        return given, np.full(given.shape, math.nan)
    if given.ndim != 2 or given.shape[1] != len(BlockValue._fields):
        raise ValueError(f"log_ratios has the shape {given.shape}; it must be one value a block")
    return given[:, 0], given[:, 1]


def _rank_interval(values: NDArray[np.float64]) -> Interval | None:
    """Return the 95 % interval of the centre of symmetric values, by Wilcoxon's signed ranks.

    It runs between two Walsh averages (d_i + d_j)/2, i <= j, which the exact null distribution of
    the sum of ranks selects; None below six values. Hollander and Wolfe, Nonparametric Statistical
    Methods (1999), section 3.3. Vector V11.
    """
    probabilities = np.ones(1)  # of each sum of the ranks that are included with probability 1/2
    for rank in range(1, values.size + 1):
        padding = np.zeros(rank)
        without, included = (probabilities, padding), (padding, probabilities)
        probabilities = (np.concatenate(without) + np.concatenate(included)) / 2
    outside = int(np.searchsorted(np.cumsum(probabilities), 0.025, side="right"))
    if outside == 0:
        return None
    first, second = np.triu_indices(values.size)
    walsh = np.sort((values[first] + values[second]) / 2)
    return Interval(float(walsh[outside - 1]), float(walsh[walsh.size - outside]))
