"""Judge one elementary test by the evidence, by the rules of `wirelab.statistics`."""

import itertools
import math
from dataclasses import dataclass

import numpy as np

from wirelab.claims.elementary import (
    AtMostTest,
    GainTest,
    MeasuredTest,
    NoTest,
    PairedTest,
    PairTest,
    RatioTest,
    SameTest,
    ShapeTest,
    Test,
    ThresholdTest,
)
from wirelab.claims.evidence import ClaimEvidence
from wirelab.statistics import (
    COST,
    RATE,
    ClaimResult,
    ClaimVerdict,
    Comparison,
    Interval,
    Outcome,
    Side,
    Verdict,
    compare,
    decide,
    direction,
    log_log_slope,
    magnitude,
    no_higher,
    not_testable,
    shape,
    threshold,
)
from wirelab.statistics.wire import REPEAT_TOLERANCE
from wirelab.study import METRICS, Cell
from wirelab.terminal import words

COUNTED_ONCE = "bytes are counted once for each contender and workload, regardless of other factors"


@dataclass(frozen=True, slots=True)
class Judgement:
    """The result of one elementary test, with the measured ratio of A to B, if it has one.

    A is multiplied as claimed. `interval` is the 95 % interval of the ratio, None for
    counts, which are compared directly; `missing` names each level that was not measured, and
    why.
    """

    result: ClaimResult
    ratio: float | None = None
    interval: Interval | None = None
    missing: tuple[str, ...] = ()


def judge(test: Test, evidence: ClaimEvidence) -> Judgement:
    """Judge an elementary test; the reason says what was not measured."""
    if isinstance(test, NoTest):
        return Judgement(not_testable(test.reason))
    if METRICS[test.metric].exact and _has_cells_of_one_count(test):
        return Judgement(not_testable(COUNTED_ONCE))
    missing = dict.fromkeys(
        reason for cell in cells_of(test) for reason in evidence.missing(test.metric, cell)
    )
    if missing:
        return Judgement(_not_measured("; ".join(missing)), missing=tuple(missing))
    return _judge_measured(test, evidence)


def _has_cells_of_one_count(test: MeasuredTest) -> bool:
    return any(a.shares_bytes(b) for a, b in itertools.combinations(cells_of(test), 2))


def cells_of(test: MeasuredTest) -> tuple[Cell, ...]:
    """Return the cells that a test is about, A before B."""
    match test:
        case ShapeTest():
            return test.cells
        case GainTest():
            return (test.a, test.a_base, test.b, test.b_base)
        case ThresholdTest():
            return (test.a,)
        case _:
            return (test.a, test.b)


def _judge_measured(test: MeasuredTest, evidence: ClaimEvidence) -> Judgement:
    match test:
        case GainTest():
            return _judge_gain(test, evidence)
        case ThresholdTest():
            return _judge_threshold(test, evidence)
        case ShapeTest():
            return _judge_shape(test, evidence)
        case _:
            return _judge_compared(test, evidence)


def _judge_compared(test: PairedTest, evidence: ClaimEvidence) -> Judgement:
    match test:
        case PairTest() if METRICS[test.metric].exact:
            return _judge_counts(test, evidence)
        case PairTest():
            return _judge_pair(test, evidence)
        case SameTest():
            comparison, verdict = _compare(test, evidence)
            found = direction(verdict, Outcome.SAME)
            return _with_ratio(ClaimResult(found.verdict, verdict.reason), comparison)
        case AtMostTest():
            return _judge_at_most(test, evidence)
        case RatioTest():
            return _judge_ratio(test, evidence)


def _judge_pair(test: PairTest, evidence: ClaimEvidence) -> Judgement:
    comparison, verdict = _compare(test, evidence, test.times)
    below_is_faster = METRICS[test.metric].better == "lower"
    faster = (test.expected is Side.BELOW) == below_is_faster
    result = direction(verdict, Outcome.FASTER if faster else Outcome.SLOWER)
    return _with_ratio(ClaimResult(result.verdict, verdict.reason), comparison)


def _judge_counts(test: PairTest, evidence: ClaimEvidence) -> Judgement:
    metric = METRICS[test.metric]
    a, b = (tuple(evidence.values(test.metric, cell).values()) for cell in (test.a, test.b))
    if not a or not b:
        return Judgement(_not_measured(f"no count of {metric.title}"))
    mean_a, mean_b = float(np.mean(a)), float(np.mean(b))
    reason = f"{words.whole(mean_a)} against {words.whole(mean_b)}{words.NO_BREAK}{metric.unit}"
    if min(mean_a, mean_b) <= 0.0:
        reason += ": no ratio of counts that are not above 0"
        return Judgement(ClaimResult(ClaimVerdict.CANNOT_TELL, reason))
    distance = math.log(test.times * mean_a / mean_b)
    if abs(distance) <= math.log1p(REPEAT_TOLERANCE):
        found = ClaimVerdict.SAME_WITHIN_MARGIN
    elif (distance < 0.0) == (test.expected is Side.BELOW):
        found = ClaimVerdict.REPRODUCED
    else:
        found = ClaimVerdict.CONTRADICTED
    return Judgement(ClaimResult(found, reason), test.times * mean_a / mean_b)


def _judge_at_most(test: AtMostTest, evidence: ClaimEvidence) -> Judgement:
    comparison, _ = _compare(test, evidence)
    return _with_ratio(no_higher(comparison), comparison)


def _judge_gain(test: GainTest, evidence: ClaimEvidence) -> Judgement:
    """Compare the gains of A and B over their bases, block by block."""
    gains_a = _log_gains(test.metric, test.a, test.a_base, evidence)
    gains_b = _log_gains(test.metric, test.b, test.b_base, evidence)
    blocks = sorted(gains_a.keys() & gains_b.keys())
    comparison = compare(
        [gains_a[block] - gains_b[block] for block in blocks], margin_ratio=evidence.margin_ratio
    )
    verdict = decide(comparison, p_holm=comparison.p_value, direction=RATE)
    result = direction(verdict, Outcome.FASTER)
    return _with_ratio(ClaimResult(result.verdict, verdict.reason), comparison)


def _judge_ratio(test: RatioTest, evidence: ClaimEvidence) -> Judgement:
    comparison, verdict = _compare(test, evidence)
    published = Interval(test.expectation.ratio, test.expectation.up_to or test.expectation.ratio)
    return _with_ratio(magnitude(comparison, verdict, published), comparison)


def _judge_threshold(test: ThresholdTest, evidence: ClaimEvidence) -> Judgement:
    values = tuple(evidence.values(test.metric, test.a).values())
    expectation = test.expectation
    if expectation.above is not None:
        return Judgement(threshold(values, expectation.above, Side.ABOVE))
    assert expectation.below is not None
    return Judgement(threshold(values, expectation.below, Side.BELOW))


def _judge_shape(test: ShapeTest, evidence: ClaimEvidence) -> Judgement:
    curves = [evidence.values(test.metric, cell) for cell in test.cells]
    complete = set.intersection(*(set(curve) for curve in curves))
    slopes = [
        log_log_slope(test.x, [curve[block] for curve in curves]) for block in sorted(complete)
    ]
    return Judgement(shape(slopes, test.expectation.slope_from, test.expectation.slope_to))


def _compare(
    test: PairedTest, evidence: ClaimEvidence, times: float = 1.0
) -> tuple[Comparison, Verdict]:
    """Compare the values of A and B by block, with A's value multiplied by `times`."""
    ratios = evidence.log_ratios(test.metric, test.a, test.b)
    comparison = compare(
        [ratio + math.log(times) for ratio in ratios.values()], margin_ratio=evidence.margin_ratio
    )
    corrected = evidence.p_holm(test.metric, test.a, test.b) if times == 1.0 else None
    p_holm = comparison.p_value if corrected is None else corrected
    better = COST if METRICS[test.metric].better == "lower" else RATE
    return comparison, decide(comparison, p_holm=p_holm, direction=better)


def _log_gains(metric: str, a: Cell, base: Cell, evidence: ClaimEvidence) -> dict[int, float]:
    """Return the logarithm of A's gain over its base, by block."""
    sign = -1.0 if METRICS[metric].better == "lower" else 1.0
    return {block: sign * d for block, d in evidence.log_ratios(metric, a, base).items()}


def _with_ratio(result: ClaimResult, comparison: Comparison) -> Judgement:
    if not comparison.blocks:
        return Judgement(result)
    return Judgement(result, comparison.ratio, comparison.interval95)


def _not_measured(reason: str) -> ClaimResult:
    return ClaimResult(ClaimVerdict.NOT_MEASURED, reason)
