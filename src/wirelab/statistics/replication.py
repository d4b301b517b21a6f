"""Has a published claim been reproduced? One rule for each kind of claim, fixed before the run.

A claim speaks of costs, like a comparison: the claim that A is faster than B expects the outcome
`faster` of A relative to B. Claims about several cells ("lowest of all", "in both environments")
are joined by `claim_verdict.all_of` from the claims on each pair; claims about one contender alone
are in `contrast`.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from scipy.stats import kendalltau

from wirelab.statistics.claim_verdict import ClaimResult, ClaimVerdict, all_of
from wirelab.statistics.comparison import MINIMUM_BLOCKS, Comparison
from wirelab.statistics.estimate import mean_estimate, prediction_interval
from wirelab.statistics.unpaired import Summary
from wirelab.statistics.verdict import WIDEST_MARGIN, Nuance, Outcome, Verdict


def direction(verdict: Verdict, claimed: Outcome) -> ClaimResult:
    """Judge the claim that A is faster than, slower than or practically the same as B.

    Question: does the same side win here? Rule: an undecided pair cannot tell; the claimed outcome
    reproduces; "practically the same" in place of a difference is `same within the margin`; a
    claimed sameness is contradicted only by a clear difference, since a plain one may still be
    smaller than the margin; all else contradicts. Source: none beyond `decide`. No vector.

    Raises ValueError where the claimed outcome is "cannot tell".
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


def no_better(comparison: Comparison) -> ClaimResult:
    """Judge the claim that the cost of A is not below that of B by more than the margin.

    Question: does A fail to gain on B? Rule: the low end of the 90 % interval within the margin (a
    one-sided test at 5 %): reproduced; the whole 95 % interval below it: contradicted; otherwise,
    with fewer than six blocks or a margin above `WIDEST_MARGIN`: cannot tell. Source: Schuirmann
    1987 (one of his two tests). Assumes as `compare`. Vectors V8 and V11 give the intervals.
    """
    interval90, interval95 = comparison.interval90, comparison.interval95
    if comparison.blocks < MINIMUM_BLOCKS or interval90 is None or interval95 is None:
        reason = f"{comparison.blocks} valid blocks; a verdict needs at least {MINIMUM_BLOCKS}"
        return ClaimResult(ClaimVerdict.CANNOT_TELL, reason)
    least = 1.0 / (1.0 + comparison.margin_ratio)
    found = ClaimVerdict.CANNOT_TELL
    if interval95.high < least:
        found = ClaimVerdict.CONTRADICTED
    elif interval90.low > least and comparison.margin_ratio <= WIDEST_MARGIN:
        found = ClaimVerdict.REPRODUCED
    reason = (
        f"claimed no cheaper, measured {comparison.ratio:.3g} times the cost, 90 % interval"
        f" [{interval90.low:.4g}, {interval90.high:.4g}], margin ±{comparison.margin_ratio:.1%}"
    )
    return ClaimResult(found, reason)


def magnitude(
    comparison: Comparison,
    verdict: Verdict,
    published_ratio: float,
    *,
    published_log_error: float | None = None,
    tolerance: float = 1.25,
) -> ClaimResult:
    """Judge the claim that the cost of A is `published_ratio` times that of B.

    Question: is the size of the effect the published one? Formula: with a known standard error of
    the published log-ratio (see `log_ratio_error`), z = (ln r - ln r0)/√(se² + se0²), |z| < 1.96;
    without, r0 lies in the 95 % prediction interval of a single block or within the factor
    `tolerance` of r. A size counts only when the direction is decided, and the other direction
    contradicts whatever the size. Source: Patil, Peng and Leek, Perspectives on Psychological
    Science 11 (2016) 539-544 (prediction intervals for replications). Assumes the same quantity
    was measured. No vector; prediction and t intervals are those of V11.

    Raises ValueError where a ratio or the tolerance makes no sense.
    """
    if published_ratio <= 0.0 or tolerance < 1.0:
        raise ValueError(
            f"published ratio {published_ratio} must be above 0, tolerance {tolerance} at least 1"
        )
    published = math.log(published_ratio)
    if verdict.outcome is Outcome.CANNOT_TELL:
        found = ClaimVerdict.CANNOT_TELL
    elif (verdict.outcome is Outcome.FASTER and published > 0.0) or (
        verdict.outcome is Outcome.SLOWER and published < 0.0
    ):
        found = ClaimVerdict.CONTRADICTED
    elif verdict.outcome is Outcome.SAME:
        negligible = abs(published) < comparison.log_margin
        found = ClaimVerdict.REPRODUCED if negligible else ClaimVerdict.SAME_WITHIN_MARGIN
    elif _sizes_agree(comparison, published, published_log_error, tolerance):
        found = ClaimVerdict.REPRODUCED
    else:
        found = ClaimVerdict.DIRECTION_ONLY
    return ClaimResult(
        found,
        f"published {published_ratio:.3g}×, measured {comparison.ratio:.3g}×: {verdict.reason}",
    )


def log_ratio_error(numerator: Summary, denominator: Summary) -> float:
    """Return the standard error of ln(mean/mean) from two published summaries.

    Question: how sure is a published ratio, as far as its own figures say? Formula: √(s1²/(n1 m1²)
    + s2²/(n2 m2²)), the first-order (delta) approximation. Source: Casella and Berger, Statistical
    Inference (2002), section 5.5.4. Assumes independent values: where the paper's n counts requests
    of one run, the true error is larger. No vector.
    """
    return math.sqrt(
        numerator.squared_error / numerator.mean**2
        + denominator.squared_error / denominator.mean**2
    )


@dataclass(frozen=True, slots=True)
class OrderResult:
    """The verdict on an order, its rank correlation with the measured one, and each step."""

    result: ClaimResult
    kendall_tau: float
    steps: tuple[tuple[str, str, ClaimResult], ...]


def order(
    claimed: Sequence[str],
    costs: Mapping[str, float],
    verdicts: Mapping[tuple[str, str], Verdict],
) -> OrderResult:
    """Judge a claimed order of contenders, cheapest first.

    Question: does the published ranking hold here? Rule: every contender must come out faster than
    the next; the worst of these steps is the verdict on the order, so one contradicted step
    contradicts it. Kendall's tau between the claimed order and the measured costs (medians over
    blocks) describes and does not decide. Source: Kendall, Biometrika 30 (1938) 81-93. No vector.

    `verdicts` holds neighbours in either orientation. Raises ValueError where one is missing or
    fewer than two contenders are ordered.
    """
    if len(claimed) < 2:
        raise ValueError("an order needs at least two contenders")
    steps = []
    for left, right in pairwise(claimed):
        if (left, right) in verdicts:
            step = direction(verdicts[left, right], Outcome.FASTER)
        elif (right, left) in verdicts:
            step = direction(verdicts[right, left], Outcome.SLOWER)
        else:
            raise ValueError(f"no verdict on the neighbours {left} and {right}")
        steps.append((left, right, step))
    tau = float(kendalltau(range(len(claimed)), [costs[name] for name in claimed]).statistic)
    joined = all_of({f"{left} before {right}": step for left, right, step in steps})
    return OrderResult(joined, tau, tuple(steps))


def _sizes_agree(
    comparison: Comparison,
    published: float,
    published_log_error: float | None,
    tolerance: float,
) -> bool:
    ours = mean_estimate(comparison.log_ratios)
    distance = abs(ours.value - published)
    if published_log_error is not None:
        return distance < 1.96 * math.hypot(ours.standard_error, published_log_error)
    predicted = prediction_interval(comparison.log_ratios)
    within = predicted is not None and predicted.contains(published)
    return within or distance <= math.log(tolerance)
