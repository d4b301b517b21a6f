"""Whether stolen time changed the result, and when too much of it was stolen.

Stolen time never makes a run invalid. Discarding single slices would favour the contender that was
affected less often; whole permutations may be left out, by a rule fixed beforehand. The result
comes from all permutations. The estimate from the least-stolen half is reported as a check.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from wirelab.statistics.block_value import BlockValue
from wirelab.statistics.comparison import Comparison, Method, compare

TOO_STOLEN = 0.50
"""If the median permutation lost more than this share of its time, the block is repeated."""


@dataclass(frozen=True, slots=True)
class StolenEffect:
    """One pair, estimated from all permutations and from the least-stolen half of each block.

    `differ` means that the two estimates are further apart than half the width of the first one's
    95 % interval; then a report shows both. `kept_share` is the share of permutations in the second
    estimate: more than half if many lost equally little.
    """

    everything: Comparison
    least_stolen: Comparison
    kept_share: float
    differ: bool


def stolen_effect(
    log_ratios: Sequence[ArrayLike],
    stolen_shares: Sequence[ArrayLike],
    *,
    margin_ratio: float = 0.05,
    method: Method = Method.PAIRED_T,
) -> StolenEffect:
    """Compare A with B twice: over all permutations, and over those that lost the least time.

    Question: would the result change if the host had stolen less? Rule: in each block, use the
    permutations whose stolen share is not above the block's median; `block_value` and `compare` as
    usual; the estimates differ if |ln ratio1 - ln ratio2| exceeds half the width of the 95 %
    interval over all. Source: the rule is wirelab's; in its simulations, leaving out whole
    permutations biased a ratio by 0.1 % at most, and leaving out single slices by 1.8 %. Assumes
    that the stolen share is that of all slices of a permutation together. Vector TV1 gives a kept
    subset.

    Both arguments have one array per block, with a value for each permutation; NaN if unknown.
    Raises ValueError if lengths differ.
    """
    everything, least, kept, total = [], [], 0, 0
    for ratios, shares in zip(log_ratios, stolen_shares, strict=True):
        d = np.asarray(ratios, dtype=np.float64)
        stolen = np.asarray(shares, dtype=np.float64)
        if d.shape != stolen.shape:
            raise ValueError(
                f"a block has log-ratios of shape {d.shape} and stolen shares of {stolen.shape}"
            )
        known = stolen[np.isfinite(stolen)]
        keep = stolen <= (np.median(known) if known.size else -1.0)
        everything.append(BlockValue.from_permutations(d))
        least.append(BlockValue.from_permutations(d[keep]))
        kept, total = kept + int(keep.sum()), total + d.size
    over_all = compare(everything, margin_ratio=margin_ratio, method=method)
    over_least = compare(least, margin_ratio=margin_ratio, method=method)
    return StolenEffect(
        everything=over_all,
        least_stolen=over_least,
        kept_share=kept / total if total else 0.0,
        differ=_differ(over_all, over_least),
    )


def is_too_stolen(stolen_shares: ArrayLike) -> bool:
    """Return whether a block lost so much time that it must be repeated, once.

    Question: was enough time left to measure? Rule: the median permutation of the block lost more
    than half its time. The repeated block is kept, and reported as it is if it happens again.
    Source: the rule is wirelab's. No vector; the tests check the limit.

    `stolen_shares` has a value for each permutation; NaN if unknown.
    """
    shares = np.asarray(stolen_shares, dtype=np.float64)
    known = shares[np.isfinite(shares)]
    return bool(known.size) and float(np.median(known)) > TOO_STOLEN


def _differ(first: Comparison, second: Comparison) -> bool:
    if first.interval95 is None or second.blocks == 0:
        return False
    low, high = np.log(first.interval95)
    distance = abs(float(np.log(second.ratio) - np.log(first.ratio)))
    return distance > float(high - low) / 2.0
