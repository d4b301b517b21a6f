"""Make elementary tests the parts of a claim, which `wirelab.statistics` judges."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from wirelab.claims.evidence import ClaimEvidence
from wirelab.statistics import (
    AnyOf,
    BlockValue,
    ClaimVerdict,
    Comparison,
    Interval,
    Part,
    Settled,
    compare,
    log_log_slope,
)
from wirelab.statistics.wire import REPEAT_TOLERANCE
from wirelab.study import METRICS, Cell
from wirelab.study.elementary import (
    AtMostTest,
    GainTest,
    MeasuredTest,
    NoTest,
    PairedTest,
    PairTest,
    RatioTest,
    SameTest,
    SlopesTest,
    Test,
    ThresholdTest,
    UnionTest,
    cells_of,
)
from wirelab.terminal import words

COUNTED_ONCE = "bytes are counted once for each contender and workload, regardless of other factors"


@dataclass(frozen=True, slots=True)
class MeasuredPart:
    """An elementary test as a part of its claim, and what was measured.

    `reason` explains a part that is settled, `measured` says in words what another one found.
    `ratio` is that of A, multiplied as claimed, to B, if the test has one; `interval` its 95 %
    interval, None for counts, which are compared directly. `missing` names each level that was not
    measured, and why.
    """

    part: Part | Settled
    reason: str = ""
    measured: str = ""
    ratio: float | None = None
    interval: Interval | None = None
    missing: tuple[str, ...] = ()


def judge(test: Test, evidence: ClaimEvidence, published: float | None = None) -> MeasuredPart:
    """Return what the evidence says of an elementary test; `published` is the paper's ratio."""
    if isinstance(test, NoTest):
        return MeasuredPart(Settled(ClaimVerdict.NOT_TESTABLE), test.reason)
    if METRICS[test.metric].exact and _has_cells_of_one_count(test):
        return MeasuredPart(Settled(ClaimVerdict.NOT_TESTABLE), COUNTED_ONCE)
    missing = dict.fromkeys(
        reason for cell in cells_of(test) for reason in evidence.missing(test.metric, cell)
    )
    if missing:
        return _not_measured("; ".join(missing), *missing)
    return _judge_measured(test, evidence, published)


def _judge_measured(
    test: MeasuredTest, evidence: ClaimEvidence, published: float | None
) -> MeasuredPart:
    match test:
        case ThresholdTest():
            return _judge_threshold(test, evidence)
        case SlopesTest():
            return _judge_slopes(test, evidence)
        case UnionTest():
            return _judge_union(test, evidence)
        case GainTest():
            gains = _compare(test.metric, _gains(test, evidence), evidence)
            return _of_ratio(Part.higher(gains))
        case _ if METRICS[test.metric].exact:
            return _judge_counts(test, evidence, published)
        case _:
            ratios = evidence.log_ratios(test.metric, test.a, test.b).values()
            times = math.log(test.times) if isinstance(test, PairTest) else 0.0
            compared = _compare(test.metric, [each.plus(times) for each in ratios], evidence)
            return _of_ratio(_part(test, compared, published))


def _has_cells_of_one_count(test: MeasuredTest) -> bool:
    return any(a.shares_bytes(b) for a, b in itertools.combinations(cells_of(test), 2))


def _part(test: PairedTest, comparison: Comparison, published: float | None) -> Part:
    """Return the part that claims what a test of two cells expects."""
    once = None if published is None else Interval(published, published)
    match test:
        case PairTest() if test.times != 1.0:  # nothing is claimed about equality
            limits = (-math.inf, 0.0) if test.expected == "below" else (0.0, math.inf)
            return Part.within(comparison, *limits)
        case PairTest():
            side = Part.lower if test.expected == "below" else Part.higher
            return side(comparison, once)
        case SameTest():
            return Part.same(comparison, once)
        case AtMostTest():
            return Part.at_most(comparison, once)
        case RatioTest():
            ratio, up_to = test.expectation.ratio, test.expectation.up_to
            return Part.size(comparison, Interval(ratio, up_to or ratio))


def _judge_counts(
    test: PairedTest, evidence: ClaimEvidence, published: float | None
) -> MeasuredPart:
    """Compare counts directly: chance has no part in them."""
    metric = METRICS[test.metric]
    a, b = (tuple(evidence.values(test.metric, cell).values()) for cell in (test.a, test.b))
    if not a or not b:
        return _not_measured(f"no count of {metric.title}")
    mean_a, mean_b = float(np.mean(a)), float(np.mean(b))
    reason = f"{words.whole(mean_a)} against {words.whole(mean_b)}{words.NO_BREAK}{metric.unit}"
    if min(mean_a, mean_b) <= 0.0:
        reason += ": no ratio of counts that are not above 0"
        return MeasuredPart(Settled(ClaimVerdict.CANNOT_TELL), reason)
    ratio = mean_a / mean_b * (test.times if isinstance(test, PairTest) else 1.0)
    compared = compare([math.log(ratio)], margin_ratio=evidence.margin_ratio)
    judged = _settle(_part(test, compared, published), math.log(ratio))
    return MeasuredPart(Settled(judged), reason, ratio=ratio)


def _settle(part: Part, distance: float) -> ClaimVerdict:
    """Return whether a logarithm that chance has no part in lies inside the limits of a part."""
    if part.claims_difference and abs(distance) <= math.log1p(REPEAT_TOLERANCE):
        return ClaimVerdict.SAME_WITHIN_MARGIN
    if part.low < distance < part.high:
        return ClaimVerdict.REPRODUCED
    same_side = part.published is not None and distance * math.log(part.published.low) > 0.0
    if part.claims_size and same_side:
        return ClaimVerdict.DIRECTION_ONLY
    return ClaimVerdict.CONTRADICTED


def _gains(test: GainTest, evidence: ClaimEvidence) -> list[BlockValue]:
    """Return the logarithm of A's gain over its base relative to that of B, by block."""
    over_a, over_b = (
        evidence.log_ratios(test.metric, cell, base)
        for cell, base in ((test.a, test.a_base), (test.b, test.b_base))
    )
    gains = [over_a[block].minus(over_b[block]) for block in sorted(over_a.keys() & over_b.keys())]
    is_cost = METRICS[test.metric].better == "lower"
    return [gain.inverted() for gain in gains] if is_cost else gains


def _judge_threshold(test: ThresholdTest, evidence: ClaimEvidence) -> MeasuredPart:
    expectation = test.expectation
    limit = expectation.below if expectation.above is None else expectation.above
    assert limit is not None
    values = evidence.values(test.metric, test.a)
    logs = [
        BlockValue(math.log(values[block] / limit) if values[block] > 0.0 else math.nan)
        for block in sorted(values)
    ]
    compared = _compare(test.metric, logs, evidence)
    limits = (-math.inf, 0.0) if expectation.above is None else (0.0, math.inf)
    interval = compared.interval95
    ends = "" if interval is None else f" [{interval.low * limit:.4g}, {interval.high * limit:.4g}]"
    return MeasuredPart(
        Part.within(compared, *limits), measured=f"{compared.ratio * limit:.4g}{ends}"
    )


def _judge_slopes(test: SlopesTest, evidence: ClaimEvidence) -> MeasuredPart:
    """Judge by how much the slope of a curve is larger than that of another."""
    steep = _slopes(test.metric, test.cells, test.x, evidence)
    other = _slopes(test.metric, test.others, test.other_x, evidence)
    differences = [
        BlockValue(steep[block] - other[block]) for block in sorted(steep.keys() & other.keys())
    ]
    compared = _compare(test.metric, differences, evidence)
    interval = compared.mean.interval(0.95)
    ends = "" if interval is None else f" [{interval.low:.3g}, {interval.high:.3g}]"
    measured = f"a slope that is larger by {compared.mean.value:.3g}{ends}"
    return MeasuredPart(Part.within(compared, 0.0, math.inf), measured=measured)


def _slopes(
    metric: str, cells: Sequence[Cell], x: Sequence[float], evidence: ClaimEvidence
) -> dict[int, float]:
    """Return the slope of a curve by block, of the blocks that measured all of it."""
    curves = [evidence.values(metric, cell) for cell in cells]
    complete = set.intersection(*(set(curve) for curve in curves))
    return {
        block: log_log_slope(x, [curve[block] for curve in curves]) for block in sorted(complete)
    }


def _judge_union(test: UnionTest, evidence: ClaimEvidence) -> MeasuredPart:
    """Judge that at least one of several pairs holds."""
    judged = [_judge_measured(pair, evidence, None) for pair in test.pairs]
    parts = [each.part for each in judged if isinstance(each.part, Part)]
    if len(parts) == len(judged):
        best = AnyOf.of(parts)
        return replace(judged[parts.index(best.best)], part=best)
    settled = [each.part.verdict for each in judged if isinstance(each.part, Settled)]
    open_or_true = (
        ClaimVerdict.REPRODUCED,
        ClaimVerdict.NOT_MEASURED,
        ClaimVerdict.CANNOT_TELL,
    )
    open_verdict = next(
        (each for each in open_or_true if each in settled), ClaimVerdict.CONTRADICTED
    )
    holds = settled.count(ClaimVerdict.REPRODUCED)
    return MeasuredPart(Settled(open_verdict), f"holds in {holds} of {len(settled)}")


def _compare(metric: str, values: Sequence[BlockValue], evidence: ClaimEvidence) -> Comparison:
    return compare(
        values or [BlockValue(math.nan)],
        margin_ratio=evidence.margin_ratio,
        method=evidence.method_of(metric),
    )


def _of_ratio(part: Part) -> MeasuredPart:
    compared = part.comparison
    if not compared.blocks:
        return MeasuredPart(part)
    measured = words.estimate(compared.ratio, compared.interval95)
    return MeasuredPart(part, measured=measured, ratio=compared.ratio, interval=compared.interval95)


def _not_measured(reason: str, *missing: str) -> MeasuredPart:
    return MeasuredPart(Settled(ClaimVerdict.NOT_MEASURED), reason, missing=missing)
