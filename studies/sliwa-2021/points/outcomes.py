"""Which of two cells is better by any metric, decided for many pairs at once."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from wirelab.analysis.comparing import Comparer
from wirelab.analysis.values import RunValues
from wirelab.statistics import Outcome, compare, decide, holm
from wirelab.study import METRICS, Cell

Pair = tuple[str, Cell, Cell]
"""A metric and two cells."""


@dataclass(frozen=True, slots=True)
class Outcomes:
    """The outcome for each pair, in both directions; faster means better by the metric."""

    known: Mapping[Pair, Outcome]

    @classmethod
    def of(cls, pairs: Iterable[Pair], values: RunValues, comparer: Comparer) -> "Outcomes":
        """Decide all pairs as one family, except those that the study's own family decides."""
        asked = list(dict.fromkeys(pairs))
        margin_ratio = comparer.noise.margin_ratio
        compared = {
            pair: compare(
                values.cost_ratios(*pair),
                margin_ratio=margin_ratio,
                method=comparer.method_of(pair[0]),
            )
            for pair in asked
            if not METRICS[pair[0]].exact
        }
        rest = [pair for pair in compared if comparer.adjusted_p(*pair) is None]
        corrected = holm([compared[pair].p_value for pair in rest]).tolist()
        adjusted = dict(zip(rest, corrected, strict=True))
        known: dict[Pair, Outcome] = {}
        for pair in asked:
            metric, a, b = pair
            if pair in compared:
                p_holm = adjusted.get(pair, comparer.adjusted_p(*pair))
                outcome = decide(compared[pair], p_holm=1.0 if p_holm is None else p_holm).outcome
            else:
                outcome = _exactly(pair, values, margin_ratio)
            known[metric, a, b] = outcome
            known[metric, b, a] = outcome.opposite
        return cls(known)


def _exactly(pair: Pair, values: RunValues, margin_ratio: float) -> Outcome:
    """Decide by the plain values: metrics that hardly vary need no test."""
    metric, a, b = pair
    costs_a, costs_b = (list(values.costs(metric, cell).values()) for cell in (a, b))
    if not costs_a or not costs_b:
        return Outcome.CANNOT_TELL
    mean_a, mean_b = float(np.mean(costs_a)), float(np.mean(costs_b))
    if min(mean_a, mean_b) <= 0.0:  # a fit of bytes can go below zero; that has no ratio
        return Outcome.CANNOT_TELL
    ratio = mean_a / mean_b
    if abs(math.log(ratio)) <= math.log1p(margin_ratio):
        return Outcome.SAME
    return Outcome.FASTER if ratio < 1.0 else Outcome.SLOWER
