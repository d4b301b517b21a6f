"""Arguments that no statistic can be made of are refused, each with its reason."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from tests.support.wording import raises_worded
from wirelab.statistics import (
    Interval,
    Part,
    Summary,
    Turns,
    VarianceComponents,
    assess_claims,
    blocks_for,
    blocks_to_decide,
    carry_over,
    check_same,
    classify_settling,
    compare,
    decide,
    expected_half_width,
    fit_bytes,
    fit_scalability,
    fit_transition,
    geometric_mean,
    holm,
    levels,
    optimal_permutations,
    pooled,
    rank_correlation,
    reporting,
    stolen_effect,
    trend_p_value,
    trimmed_mean,
    variance_components,
    variance_of_one,
)

SIX = compare([0.1, 0.12, 0.09, 0.11, 0.1, 0.13])
EQUAL = VarianceComponents(1.0, 1.0, 1.0)
RANDOM = np.random.default_rng(45)
THREE, FOUR = (
    Turns(RANDOM.normal(size=(30, n)), RANDOM.permuted(np.tile(range(n), (30, 1)), axis=1))
    for n in (3, 4)
)
CALLS: dict[str, Callable[[], object]] = {
    "share below 0": lambda: trimmed_mean([1.0], -0.1),
    "share of a half": lambda: trimmed_mean([1.0], 0.5),
    "variance of one value": lambda: variance_of_one([1.0]),
    "deviation of one value": lambda: Summary.from_values([1.0]),
    "logarithm of 0": lambda: geometric_mean([1.0, 0.0]),
    "other contenders": lambda: carry_over([THREE, FOUR]),
    "other shape": lambda: carry_over([Turns(THREE.log_times, FOUR.order)]),
    "no variances": lambda: levels([0.0], []),
    "variance of 0": lambda: levels([0.0, 1.0], [0.0, 1.0]),
    "too few variances": lambda: levels([0.0, 1.0], [1.0]),
    "published 0": lambda: Part.size(SIX, Interval(0.0, 1.0)),
    "published backwards": lambda: Part.size(SIX, Interval(2.0, 1.0)),
    "limits backwards": lambda: Part.within(SIX, 0.1, -0.1),
    "claim without parts": lambda: assess_claims({"a": [Part.lower(SIX)], "b": []}),
    "column of values": lambda: compare([[0.1], [0.2]]),
    "row of values": lambda: compare([[0.1, 0.2, 0.3]]),
    "margin of 0": lambda: compare([0.1], margin_ratio=0.0),
    "blocks for a margin of 0": lambda: blocks_for(0.1, 0.0),
    "blocks to decide a margin of 0": lambda: blocks_to_decide(0.1, 0.1, 0.0, 0.05),
    "figure that is no number": lambda: check_same("nan", 1.0),
    "figure without end": lambda: check_same(math.inf, 1.0),
    "probability above 1": lambda: holm([0.5, 1.1]),
    "probability below 0": lambda: holm([-0.1]),
    "no probability": lambda: holm([math.nan]),
    "corrected probability above 1": lambda: decide(SIX, p_holm=1.2),
    "no blocks": lambda: variance_components([]),
    "one block": lambda: variance_components([[1.0, 2.0]]),
    "block of one value": lambda: variance_components([[1.0, 2.0], [1.0]]),
    "free permutations": lambda: optimal_permutations(EQUAL, permutation_cost=0, block_cost=1),
    "free blocks": lambda: optimal_permutations(EQUAL, permutation_cost=1, block_cost=0),
    "interval of one block": lambda: expected_half_width(0.1, 1),
    "no pairs": lambda: pooled([]),
    "three levels": lambda: fit_scalability([1, 2, 4], [1.0, 2.0, 3.0]),
    "two throughputs": lambda: fit_scalability([1, 2, 4, 8], [1.0, 2.0]),
    "throughput of 0": lambda: fit_scalability([1, 2, 4, 8], [1.0, 2.0, 3.0, 0.0]),
    "course with gaps": lambda: classify_settling([math.nan] * 20),
    "short trend": lambda: trend_p_value([1.0] * 14),
    "two ranks": lambda: rank_correlation([1, 2], [1, 2]),
    "other number of ranks": lambda: rank_correlation([1, 2, 3], [1, 2, 3, 4]),
    "few stolen shares": lambda: stolen_effect([np.zeros(30)], [np.zeros(5)]),
    "few trials": lambda: fit_transition([1.0, 2.0], [True]),
    "rate of 0": lambda: fit_transition([0.0, 2.0], [True, False]),
    "quantile of 0": lambda: reporting(0.0, 1),
    "quantile of 1": lambda: reporting(1.0, 1),
    "few byte counts": lambda: fit_bytes([1, 2], [1.0]),
    "one number of requests": lambda: fit_bytes([5, 5, 5], [1.0, 2.0, 3.0]),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_invalid_arguments_are_refused_with_the_reason(call: Callable[[], object]) -> None:
    with raises_worded(ValueError):
        call()
