"""Compare two contenders over the blocks in which both ran: the central method of the laboratory.

Sign convention, everywhere in this package: a comparison says how A relates to B in a cost (time,
bytes, CPU: lower is better). A ratio below 1 means that A is cheaper or faster; differences are
log A - log B. Where higher is better (throughput), hand over the reciprocals: time per transaction.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wirelab.statistics.estimate import Estimate, mean_estimate
from wirelab.statistics.interval import Interval
from wirelab.statistics.rank_sum import Superiority, superiority
from wirelab.statistics.signed_rank import SIGN_FLIP_MAXIMUM, SignedRank, sign_flip, signed_rank

MINIMUM_BLOCKS = 6
"""Below six pairs neither the sign-based tests nor the median's interval can reach 95 %."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What the blocks say about A relative to B. All ratios are of costs, A over B.

    Intervals are None where the blocks allow none (fewer than two; fewer than six for the
    Hodges-Lehmann interval at 95 %). `interval95` and `interval90` decide the verdict whatever
    `confidence` was asked for; `interval` is the one at that confidence. Without any valid block
    the ratios are NaN and the p values 1.
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
    t_statistic: float
    p_value: float
    p_equivalence: float
    hodges_lehmann: float
    hodges_lehmann_interval: Interval | None
    p_wilcoxon: float
    p_sign_flip: float | None
    superiority: float
    superiority_interval: Interval | None
    blocks_needed: int | None
    warnings: tuple[str, ...]

    @property
    def log_margin(self) -> float:
        """The equivalence margin on the log scale: ln(1 + margin_ratio)."""
        return math.log1p(self.margin_ratio)


def compare(
    a: ArrayLike, b: ArrayLike, *, margin_ratio: float = 0.05, confidence: float = 0.95
) -> Comparison:
    """Compare the costs of A and B, one value per block each, paired by position.

    Question: is A cheaper than B, by how much, and is that real? Formula: with
    d = ln a - ln b per block, ratio = exp(mean d), interval = exp(mean d ± t · s/√B); p_value from
    the paired t test; p_equivalence from two one-sided tests against ±ln(1 + margin_ratio). Beside
    it, the Hodges-Lehmann ratio with Wilcoxon's exact interval, the exact sign-flip test (up to 16
    blocks) and the probability that a random run of A beats one of B. blocks_needed is
    B · (half-width / margin)², the number at which the 95 % half-width shrinks to the margin.
    Sources: Hoefler and Belli, SC 2015 (ratios by geometric means; intervals); Abedi and Brecht,
    ICPE 2017 (randomised interleaved trials); those of the functions called. Assumes that blocks
    are independent of each other and that both runs of a block met the same conditions; normality
    only of d, roughly. Vectors V8 and V11.

    A block in which either cost is missing (NaN), infinite or not positive is dropped for the pair,
    never imputed. Raises ValueError when lengths differ or margin or confidence make no sense.
    """
    if margin_ratio <= 0.0:
        raise ValueError(f"margin_ratio is {margin_ratio}; it must be above 0")
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence is {confidence}; it must lie between 0 and 1")
    cost_a, cost_b, dropped = _valid_pairs(a, b)
    blocks = cost_a.size
    # Beyond twelve decimals a log-ratio is rounding error, which would break ties between blocks.
    log_ratios = np.round(np.log(cost_a) - np.log(cost_b), 12)
    estimate = mean_estimate(log_ratios)
    log_margin = math.log1p(margin_ratio)
    ranks = signed_rank(log_ratios) if blocks else SignedRank(math.nan, None, 0.0, 0.0, 1.0)
    beats = superiority(cost_a, cost_b) if blocks else _no_superiority()
    interval95 = _ratios(estimate.interval(0.95))
    rank_interval = _ratios(ranks.interval)
    return Comparison(
        blocks=blocks,
        dropped_blocks=dropped,
        log_ratios=tuple(log_ratios.tolist()),
        margin_ratio=margin_ratio,
        confidence=confidence,
        ratio=math.exp(estimate.value),
        interval=_ratios(estimate.interval(confidence)),
        interval95=interval95,
        interval90=_ratios(estimate.interval(0.90)),
        t_statistic=estimate.t_statistic() if blocks else 0.0,
        p_value=estimate.p_value(),
        p_equivalence=estimate.p_equivalence(-log_margin, log_margin),
        hodges_lehmann=math.exp(ranks.estimate),
        hodges_lehmann_interval=rank_interval,
        p_wilcoxon=ranks.p_value,
        p_sign_flip=sign_flip(log_ratios) if 0 < blocks <= SIGN_FLIP_MAXIMUM else None,
        superiority=beats.probability,
        superiority_interval=beats.interval,
        blocks_needed=_blocks_needed(estimate, blocks, log_margin),
        warnings=_warnings(blocks, dropped, estimate, interval95, rank_interval),
    )


def _valid_pairs(
    a: ArrayLike, b: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64], int]:
    cost_a = np.asarray(a, dtype=np.float64)
    cost_b = np.asarray(b, dtype=np.float64)
    if cost_a.ndim != 1 or cost_a.shape != cost_b.shape:
        raise ValueError(
            f"costs must pair by block, but have shapes {cost_a.shape} and {cost_b.shape}"
        )
    valid = np.isfinite(cost_a) & np.isfinite(cost_b) & (cost_a > 0.0) & (cost_b > 0.0)
    return cost_a[valid], cost_b[valid], int(np.count_nonzero(~valid))


def _no_superiority() -> Superiority:
    return Superiority(math.nan, math.nan, Estimate(math.nan, math.nan, 0.0), None)


def _ratios(interval: Interval | None) -> Interval | None:
    if interval is None:
        return None
    # Two blocks at a high confidence allow more than a float can hold: that end is infinite.
    with np.errstate(over="ignore"):
        return Interval(float(np.exp(interval.low)), float(np.exp(interval.high)))


def _blocks_needed(estimate: Estimate, blocks: int, log_margin: float) -> int | None:
    half_width = estimate.half_width(0.95)
    if half_width is None:
        return None
    return max(MINIMUM_BLOCKS, math.ceil(blocks * (half_width / log_margin) ** 2))


def _warnings(
    blocks: int,
    dropped: int,
    estimate: Estimate,
    interval95: Interval | None,
    rank_interval: Interval | None,
) -> tuple[str, ...]:
    warnings = []
    if dropped:
        warnings.append(f"{dropped} of {blocks + dropped} blocks had no valid run of both sides")
    if blocks < MINIMUM_BLOCKS:
        warnings.append(f"{blocks} valid blocks; a verdict needs at least {MINIMUM_BLOCKS}")
    if blocks > 1 and estimate.standard_error == 0.0:
        warnings.append("the ratio is the same in every block; its interval is a point")
    if (
        interval95 is not None
        and rank_interval is not None
        and interval95.contains(1.0) != rank_interval.contains(1.0)
    ):
        warnings.append(
            f"the rank-based interval [{rank_interval.low:.4g}, {rank_interval.high:.4g}] and the"
            f" t interval [{interval95.low:.4g}, {interval95.high:.4g}] disagree about a"
            " difference; look at the single blocks"
        )
    return tuple(warnings)
