"""Has a published claim been reproduced? One rule for each kind of claim, fixed before the run.

`direction` takes a verdict, in which `faster` is the better side; `no_higher` and `magnitude` take
the ratio of the values themselves, whichever way is better. `claim_verdict.all_of` combines claims
on pairs to claims about several cells ("lowest of all", "in this order", "in both environments");
claims about a single contender are in `contrast`.
"""

import math

from wirelab.statistics.claim_verdict import ClaimResult, ClaimVerdict
from wirelab.statistics.comparison import MINIMUM_BLOCKS, Comparison, too_few_blocks
from wirelab.statistics.interval import Interval
from wirelab.statistics.repetition import blocks_to_differ
from wirelab.statistics.verdict import Nuance, Outcome, Verdict, would_suffice
from wirelab.terminal.words import between, percent, times

ONE_SIDED, TWO_SIDED = 0.10, 0.05
"""The significance, as that of a two-sided test, of the 90 % and the 95 % interval."""

SIZE_TOLERANCE = 1.25
"""A measured ratio within this factor of the published ratio counts as the published size."""


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
