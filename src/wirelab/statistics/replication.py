"""Has a published claim been reproduced? One rule for each kind of claim, fixed before the run.

`direction` takes a verdict, in which `faster` is the better side; `no_higher` and `magnitude` take
the ratio of the values themselves, whichever way is better. `all_of` combines claims on pairs to
claims about several cells. `claim` replaces these rules by one for all kinds.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from wirelab.statistics.claim import ClaimVerdict
from wirelab.statistics.claim_part import SIZE_TOLERANCE, Side
from wirelab.statistics.comparison import MINIMUM_BLOCKS, Comparison, compare, too_few_blocks
from wirelab.statistics.estimate import Interval, mean_estimate
from wirelab.statistics.repetition import blocks_to_differ
from wirelab.statistics.verdict import Nuance, Outcome, Verdict, would_suffice
from wirelab.terminal.words import between, percent, times

ONE_SIDED, TWO_SIDED = 0.10, 0.05
"""The significance, as that of a two-sided test, of the 90 % and the 95 % interval."""

_WORST_LAST = tuple(ClaimVerdict)


@dataclass(frozen=True, slots=True)
class ClaimResult:
    """The verdict on a claim, with the figures or parts that decided it."""

    verdict: ClaimVerdict
    reason: str


def not_testable(reason: str) -> ClaimResult:
    """Return the result for a claim that this study cannot test, with the reason."""
    return ClaimResult(ClaimVerdict.NOT_TESTABLE, reason)


def all_of(parts: Mapping[str, ClaimResult]) -> ClaimResult:
    """Combine the parts of a claim that must all hold; the worst part decides.

    Question: does the claim hold for every cell that it names? Rule: the order of `ClaimVerdict`,
    worst last. One contradicted part contradicts the claim, and a claim is reproduced only if every
    part is. No further assumptions. No vector.

    Raises ValueError without any part.
    """
    if not parts:
        raise ValueError("a claim needs at least one part")
    worst = max((part.verdict for part in parts.values()), key=_WORST_LAST.index)
    if worst is ClaimVerdict.REPRODUCED:
        return ClaimResult(worst, f"all of: {'; '.join(parts)}")
    blamed = [f"{name} ({part.reason})" for name, part in parts.items() if part.verdict is worst]
    return ClaimResult(worst, "; ".join(blamed))


def direction(verdict: Verdict, claimed: Outcome) -> ClaimResult:
    """Judge the claim that A is faster than, slower than or practically the same as B.

    Question: does the same side win here? Rule: for an undecided pair: cannot tell; the claimed
    outcome: reproduced; "practically the same" instead of a difference: `same within the margin`;
    claimed equality is contradicted only by a clear difference, since any other may be smaller than
    the margin; everything else: contradicted. Source: none beyond `decide`. No vector.

    Raises ValueError if the claimed outcome is "cannot tell".
    """
    if claimed is Outcome.CANNOT_TELL:
        raise ValueError("a claim must say faster, slower or practically the same")
    undecided_sameness = claimed is Outcome.SAME and verdict.nuance is not Nuance.CLEARLY
    if verdict.outcome is claimed:
        found = ClaimVerdict.REPRODUCED
    elif verdict.outcome is Outcome.CANNOT_TELL or undecided_sameness:
        found = ClaimVerdict.CANNOT_TELL
    elif verdict.outcome is Outcome.SAME:
        found = ClaimVerdict.SAME_WITHIN_MARGIN
    else:
        found = ClaimVerdict.CONTRADICTED
    return ClaimResult(found, f"claimed {claimed}, measured {verdict}: {verdict.reason}")


def no_higher(comparison: Comparison) -> ClaimResult:
    """Judge the claim that the value of A is not above that of B by more than the margin.

    Question: is A no higher than B? Rule: the high end of the 90 % interval within the margin (a
    one-sided test at 5 %): reproduced; the whole 95 % interval above it: contradicted; otherwise,
    or with fewer than six blocks: cannot tell, with the number of blocks that would probably
    suffice. Source: Schuirmann 1987 (one of his two tests). Assumes as `compare`. Vectors V8 and
    V11 give the intervals.
    """
    interval90, interval95 = comparison.interval90, comparison.interval95
    if comparison.blocks < MINIMUM_BLOCKS or interval90 is None or interval95 is None:
        reason = too_few_blocks(comparison.blocks)
        return ClaimResult(ClaimVerdict.CANNOT_TELL, reason)
    most = 1.0 + comparison.margin_ratio
    reason = (
        f"claimed no higher, measured {times(comparison.ratio, interval90)} of it, 90 % interval"
        f" {between(interval90)}, margin ±{percent(comparison.margin_ratio)}"
    )
    if interval95.low > most:
        return ClaimResult(ClaimVerdict.CONTRADICTED, reason)
    if interval90.high < most:
        return ClaimResult(ClaimVerdict.REPRODUCED, reason)
    distance = math.log(comparison.ratio) - comparison.log_margin
    needed = blocks_to_differ(
        comparison.standard_deviation or 0.0, distance, ONE_SIDED if distance < 0.0 else TWO_SIDED
    )
    if math.isfinite(needed):
        count = max(math.ceil(needed), comparison.blocks + 1)
        reason += f"; {would_suffice(count)}"
    return ClaimResult(ClaimVerdict.CANNOT_TELL, reason)


def magnitude(comparison: Comparison, verdict: Verdict, published: Interval) -> ClaimResult:
    """Judge the claim that the value of A is a given multiple of that of B.

    Question: does the size of the effect match the published one? Rule: the size is reproduced if
    the published ratio lies inside the 95 % interval *and* within a factor of 1.25 of the measured
    ratio. If the direction is undecided, or the published size has none (it is 1, or a range around
    1), the claim is contradicted if the whole 95 % interval is farther than a factor of 1.25 from
    every published ratio; otherwise: cannot tell. The opposite direction contradicts; the same
    direction with another size is the direction only. So noise cannot reproduce a
    size that was not measured: 2.00 [1.43, 2.81] does not reproduce 2.6, nor 4.0. "Practically the
    same" reproduces a published ratio within the margin. If a paper gives a range ("two to four
    times"), its closest point counts. Source: the rule is wirelab's; the prediction intervals of
    Patil, Peng and Leek, Perspectives on Psychological Science 11 (2016) 539-544, become easier to
    satisfy as noise increases. Assumes that the same quantity was measured. No vector.

    `published` is the published ratio, or its range; both ends are equal for a single
    ratio. Raises ValueError if it is not positive or not in order.
    """
    if not 0.0 < published.low <= published.high:
        raise ValueError(f"published ratios {published} must be above 0 and in order")
    reason = verdict.reason
    if comparison.blocks < MINIMUM_BLOCKS:
        return ClaimResult(ClaimVerdict.CANNOT_TELL, reason)
    if verdict.outcome is Outcome.SAME:
        negligible = abs(math.log(_closest(published, 1.0))) < comparison.log_margin
        found = ClaimVerdict.REPRODUCED if negligible else ClaimVerdict.SAME_WITHIN_MARGIN
    elif verdict.orders and _sizes_agree(comparison, published):
        found = ClaimVerdict.REPRODUCED
    elif not verdict.orders or _has_no_direction(published):
        found = ClaimVerdict.CANNOT_TELL
        if (excluding := _interval_beyond(published, comparison)) is not None:
            found = ClaimVerdict.CONTRADICTED
            reason = (
                f"the whole 95 % interval {between(excluding)} is farther"
                f" than a factor of {SIZE_TOLERANCE:g} from the published size"
            )
    elif published.low >= 1.0 > comparison.ratio or published.high <= 1.0 < comparison.ratio:
        found = ClaimVerdict.CONTRADICTED
    else:
        found = ClaimVerdict.DIRECTION_ONLY
    printed = f"{published.low:.3g}"
    if published.high > published.low:
        printed += f" to {published.high:.3g}"
    return ClaimResult(found, f"published {printed}×, measured {times(comparison.ratio)}: {reason}")


def _has_no_direction(published: Interval) -> bool:
    return published.low < 1.0 < published.high or published.low == published.high == 1.0


def _interval_beyond(published: Interval, comparison: Comparison) -> Interval | None:
    """Return the 95 % interval if it excludes every ratio near a published one."""
    interval = comparison.interval95
    if interval is None:
        return None
    below = interval.high < published.low / SIZE_TOLERANCE
    above = interval.low > published.high * SIZE_TOLERANCE
    return interval if below or above else None


def _sizes_agree(comparison: Comparison, published: Interval) -> bool:
    interval = comparison.interval95
    closest = _closest(published, comparison.ratio)
    inside = interval is not None and interval.contains(closest)
    return inside and abs(math.log(closest / comparison.ratio)) <= math.log(SIZE_TOLERANCE)


def _closest(published: Interval, ratio: float) -> float:
    """Return the published ratio that is closest to `ratio`."""
    return min(max(ratio, published.low), published.high)


def threshold(values: ArrayLike, limit: float, claimed: Side) -> ClaimResult:
    """Judge the claim that a value lies below (or above) a limit, from one value per block.

    Question: is the typical value beyond the limit? Rule: the 95 % interval of the geometric mean
    over blocks, wholly on the claimed side: reproduced; wholly on the other: contradicted;
    otherwise, or with fewer than six blocks: cannot tell. A value that is not above 0 has no
    logarithm: its block is dropped. Source: as `compare`. Vector V11.

    Raises ValueError if the limit is not positive.
    """
    if limit <= 0.0:
        raise ValueError(f"limit is {limit}; it must be above 0")
    array = np.asarray(values, dtype=np.float64)
    positive = np.where(array > 0.0, array, np.nan)
    comparison = compare(np.log(positive) - math.log(limit))
    interval = comparison.interval95
    if interval is None or comparison.blocks < MINIMUM_BLOCKS:
        return _too_few(comparison.blocks)
    low, high = interval.low * limit, interval.high * limit
    if interval.contains(1.0):
        found = ClaimVerdict.CANNOT_TELL
    elif (high < limit) is (claimed is Side.BELOW):
        found = ClaimVerdict.REPRODUCED
    else:
        found = ClaimVerdict.CONTRADICTED
    return ClaimResult(found, f"claimed {claimed} {limit:g}, measured [{low:.4g}, {high:.4g}]")


def shape(contrasts: ArrayLike, low: float, high: float) -> ClaimResult:
    """Judge a claim about a shape by a contrast declared beforehand, one value per block.

    Question: does the curve behave as published? Rule: the contrast (such as `log_log_slope` for
    "stagnates": near zero) must lie in (low, high). 90 % interval of its mean inside: reproduced;
    95 % interval wholly outside: contradicted; otherwise, or with fewer than six blocks: cannot
    tell. Blocks without a finite contrast are dropped. Source: Schuirmann 1987 (two one-sided
    tests). Assumes independent blocks. Vector V8.

    Raises ValueError if the limits are not in order.
    """
    if not low < high:
        raise ValueError(f"limits {low} and {high} are not in order")
    array = np.asarray(contrasts, dtype=np.float64)
    array = array[np.isfinite(array)]
    mean = mean_estimate(array)
    interval90, interval95 = mean.interval(0.90), mean.interval(0.95)
    if interval90 is None or interval95 is None or array.size < MINIMUM_BLOCKS:
        return _too_few(array.size)
    if interval90.lies_within(low, high):
        found = ClaimVerdict.REPRODUCED
    elif interval95.high < low or interval95.low > high:
        found = ClaimVerdict.CONTRADICTED
    else:
        found = ClaimVerdict.CANNOT_TELL
    measured = f"{mean.value:.3g} [{interval95.low:.3g}, {interval95.high:.3g}]"
    return ClaimResult(found, f"claimed between {low:g} and {high:g}, measured {measured}")


def _too_few(blocks: int) -> ClaimResult:
    reason = too_few_blocks(blocks)
    return ClaimResult(ClaimVerdict.CANNOT_TELL, reason)
