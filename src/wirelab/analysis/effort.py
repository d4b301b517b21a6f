"""How much to measure: the time spent, and how the same time would have resolved the most."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wirelab.analysis.model import Judged
from wirelab.analysis.values import RunValues
from wirelab.bundle import BlockRecord
from wirelab.schedule import Schedule
from wirelab.statistics import optimal_permutations, variance_components


@dataclass(frozen=True, slots=True)
class Effort:
    """The time that one group of cells took, and the best use of it.

    `block_s` is the time of a block besides its slices: starting and warming up servers.
    `permutations` is the number in each block, `optimal_permutations` the number that would give
    the narrowest intervals in the same time for the pair that varies most; None means as many as
    time allows, since the starts of the servers hardly differ.
    """

    group: str
    blocks: int
    block_s: float
    permutation_s: float
    permutations: int
    optimal_permutations: int | None


def efforts(
    records: Sequence[BlockRecord],
    schedule: Schedule,
    pairs: Sequence[Judged],
    values: RunValues,
    metric: str,
) -> tuple[Effort, ...]:
    """Compute the effort of every group whose contenders took turns and are compared."""
    group_of = {run.cell: block.group for block in schedule.blocks for run in block.runs}
    varying: dict[str, Judged] = {}
    for pair in pairs:
        group = group_of[pair.a]
        known = varying.get(group)
        if known is None or _deviation(pair) > _deviation(known):
            varying[group] = pair
    found = (
        _effort([each for each in records if each.block.group == group], pair, values, metric)
        for group, pair in varying.items()
    )
    return tuple(each for each in found if each is not None)


def _effort(
    records: Sequence[BlockRecord], pair: Judged, values: RunValues, metric: str
) -> Effort | None:
    sessions = [
        session
        for record in records
        if (session := values.together(record.block.number, pair.a, pair.b)) is not None
    ]
    ratios = [session.log_ratios(metric, pair.a, pair.b) for session in sessions]
    ratios = [each for each in ratios if np.count_nonzero(np.isfinite(each)) > 1]
    if len(ratios) < 2:
        return None
    permutation_s = float(np.mean([session.permutation_s for session in sessions]))
    permutations = round(float(np.mean([len(each) for each in ratios])))
    whole_s = float(np.mean([record.seconds for record in records]))
    block_s = max(permutation_s, whole_s - permutations * permutation_s)
    return Effort(
        group=records[0].block.group,
        blocks=len(records),
        block_s=block_s,
        permutation_s=permutation_s,
        permutations=permutations,
        optimal_permutations=optimal_permutations(
            variance_components(ratios), permutation_cost=permutation_s, block_cost=block_s
        ),
    )


def _deviation(pair: Judged) -> float:
    return pair.comparison.standard_deviation or 0.0
