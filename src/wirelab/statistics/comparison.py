"""Compare two contenders over the blocks in which both ran: the central method of the laboratory.

Sign convention, everywhere in this package: a comparison gives the cost of A relative to that of B
(time, bytes, CPU: lower is better). A ratio below 1 means that A is cheaper or faster; a block's
value is ln(A/B). If higher is better (throughput), pass ln(B/A): the ratio of times.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from wirelab.statistics.estimate import mean_estimate
from wirelab.statistics.interval import Interval
from wirelab.statistics.signed_rank import SIGN_FLIP_MAXIMUM, SignedRank, sign_flip, signed_rank
from wirelab.terminal.words import between, plural

MINIMUM_BLOCKS = 6
"""Below six blocks, neither the sign-based tests nor the rank interval can reach 95 %."""


def too_few_blocks(blocks: int) -> str:
    """Return the reason for no verdict below `MINIMUM_BLOCKS`."""
    return f"{plural(blocks, 'valid block')}; a verdict needs at least {MINIMUM_BLOCKS}"


@dataclass(frozen=True, slots=True)
class Comparison:
    """The comparison of A with B over all blocks. All ratios are of costs, A over B.

    Intervals are None where the blocks allow none (fewer than two; fewer than six for the
    Hodges-Lehmann interval at 95 %). `interval95` and `interval90` decide the verdict for any
    `confidence`; `interval` is the one at that confidence. `standard_deviation` is
    that of the block values, None below two. Without any valid block the ratios are NaN and the
    p values 1.
    """

    blocks: int
    dropped_blocks: int
    log_ratios: tuple[float, ...]
    margin_ratio: float
    confidence: float
    ratio: float
    interval: Interval | None
    interval95: Interval | None
    interval90: Interval | None
    standard_deviation: float | None
    t_statistic: float
    p_value: float
    p_equivalence: float
    hodges_lehmann: float
    hodges_lehmann_interval: Interval | None
    p_wilcoxon: float
    p_sign_flip: float | None
    warnings: tuple[str, ...]

    @property
    def log_margin(self) -> float:
        """The equivalence margin on the log scale: ln(1 + margin_ratio)."""
        return math.log1p(self.margin_ratio)

    @property
    def methods_disagree(self) -> bool:
        """Whether only one of t interval and rank interval excludes equality, at 95 %."""
        return _disagree(self.interval95, self.hodges_lehmann_interval)

    @property
    def half_width_ratio(self) -> float | None:
        """Half the width of the 95 % interval as a share (0.021 means ±2.1 %), or None."""
        if self.interval95 is None:
            return None
        return self.interval95.high / self.ratio - 1.0


def compare(
    log_ratios: ArrayLike, *, margin_ratio: float = 0.05, confidence: float = 0.95
) -> Comparison:
    """Compare the costs of A and B, given one log-ratio ln(A/B) for each block.

    Question: is A cheaper than B, by how much, and is that real? Formula: with d the block values
    (see `block_value`; for runs measured one after the other, ln a - ln b), ratio = exp(mean d),
    interval = exp(mean d ± t · s/√n); p_value from the paired t test; p_equivalence from two
    one-sided tests against ±ln(1 + margin_ratio). In addition, with fewer assumptions: the
    Hodges-Lehmann ratio with Wilcoxon's exact interval, and the exact sign-flip test (up to 16
    blocks). Sources: Hoefler and Belli, SC 2015 (ratios by
    geometric means; intervals); Abedi and Brecht, ICPE 2017 (randomised interleaved trials); and
    the sources of the called functions. Assumes that blocks are independent of each other (the
    servers were started afresh) and d roughly normal. Vectors TV2, V8 and V11.

    A block without a valid value (NaN or infinite) is dropped and counted, never imputed. Raises
    ValueError if the shape, the margin or the confidence is invalid.
    """
    if margin_ratio <= 0.0:
        raise ValueError(f"margin_ratio is {margin_ratio}; it must be above 0")
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence is {confidence}; it must lie between 0 and 1")
    given = np.asarray(log_ratios, dtype=np.float64)
    if given.ndim != 1:
        raise ValueError(f"log_ratios has the shape {given.shape}; it must be one value a block")
    # Beyond twelve decimals, a log-ratio is rounding error, which would break ties between blocks.
    values = np.round(given[np.isfinite(given)], 12)
    blocks = values.size
    estimate = mean_estimate(values)
    log_margin = math.log1p(margin_ratio)
    ranks = signed_rank(values) if blocks else SignedRank(math.nan, None, 0.0, 0.0, 1.0)
    interval95 = _ratios(estimate.interval(0.95))
    rank_interval = _ratios(ranks.interval)
    deviation = estimate.standard_error * math.sqrt(blocks) if blocks > 1 else None
    return Comparison(
        blocks=blocks,
        dropped_blocks=given.size - blocks,
        log_ratios=tuple(values.tolist()),
        margin_ratio=margin_ratio,
        confidence=confidence,
        ratio=math.exp(estimate.value),
        interval=_ratios(estimate.interval(confidence)),
        interval95=interval95,
        interval90=_ratios(estimate.interval(0.90)),
        standard_deviation=deviation,
        t_statistic=estimate.t_statistic() if blocks else 0.0,
        p_value=estimate.p_value(),
        p_equivalence=estimate.p_equivalence(-log_margin, log_margin),
        hodges_lehmann=math.exp(ranks.estimate),
        hodges_lehmann_interval=rank_interval,
        p_wilcoxon=ranks.p_value,
        p_sign_flip=sign_flip(values) if 0 < blocks <= SIGN_FLIP_MAXIMUM else None,
        warnings=_warnings(blocks, given.size - blocks, deviation, interval95, rank_interval),
    )


def _ratios(interval: Interval | None) -> Interval | None:
    if interval is None:
        return None
    # With two blocks and a high confidence, an end can exceed a float's range: it is infinite.
    with np.errstate(over="ignore"):
        return Interval(float(np.exp(interval.low)), float(np.exp(interval.high)))


def _disagree(one: Interval | None, other: Interval | None) -> bool:
    if one is None or other is None:
        return False
    return one.contains(1.0) != other.contains(1.0)


def _warnings(
    blocks: int,
    dropped: int,
    deviation: float | None,
    interval95: Interval | None,
    rank_interval: Interval | None,
) -> tuple[str, ...]:
    warnings = []
    if dropped:
        of_all = plural(blocks + dropped, "block")
        warnings.append(f"{dropped} of {of_all} had no valid value of both sides")
    if blocks < MINIMUM_BLOCKS:
        warnings.append(too_few_blocks(blocks))
    if deviation == 0.0:
        warnings.append("the ratio is the same in every block; its interval is a point")
    if interval95 and rank_interval and _disagree(interval95, rank_interval):  # both exist
        warnings.append(
            f"the rank-based interval {between(rank_interval)} and the"
            f" t interval {between(interval95)} disagree about a"
            " difference; check the individual blocks"
        )
    return tuple(warnings)
