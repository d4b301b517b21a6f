"""How much to measure: the time spent, and how the same time would have resolved the most."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wirelab.analysis.cells import time_metric
from wirelab.analysis.model import ComparedPair
from wirelab.analysis.values import RunValues
from wirelab.bundle import BlockRecord
from wirelab.planning.schedule import Schedule
from wirelab.statistics import optimal_permutations, variance_components
from wirelab.study import CAPACITY, Study


@dataclass(frozen=True, slots=True)
class Effort:
    """The time that one group of cells took, and the best use of it.

    `block_s` is the time of a block besides its slices: starting servers, warming them up.
    `permutation_s` is the total time of one permutation of each of its sessions. `permutations` is
    their number, `optimal_permutations` the number that would give the narrowest intervals in the
    same time, for the pair that varies most; None for as many as possible, if starts of the servers
    hardly differ.
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
    pairs: Sequence[ComparedPair],
    values: RunValues,
    study: Study,
) -> tuple[Effort, ...]:
    """Compute the effort of every group whose contenders took turns and are compared.

    Groups whose capacities are measured are left out: there, trials take a part of the time.
    """
    if study.metric == CAPACITY:
        return ()
    group_of = {run.cell: block.group for block in schedule.blocks for run in block.runs}
    varying: dict[str, ComparedPair] = {}
    for pair in pairs:
        if not any(
            values.together(block, pair.a, pair.b) for block in values.turns.get(pair.a, {})
        ):
            continue
        group = group_of[pair.a]
        known = varying.get(group)
        if known is None or _deviation(pair) > _deviation(known):
            varying[group] = pair
    found = (
        _effort(
            [each for each in records if each.block.group == group],
            pair,
            values,
            time_metric(study),
        )
        for group, pair in varying.items()
    )
    return tuple(each for each in found if each is not None)


def _effort(
    records: Sequence[BlockRecord], pair: ComparedPair, values: RunValues, metric: str
) -> Effort | None:
    group = records[0].block.group
    seconds_of = {
        record.block.number: record.seconds
        for record in records
        if not any(run.status == "invalid" for run in record.runs)  # whose slices are not known
    }
    sessions = [
        session
        for block in seconds_of
        if (session := values.together(block, pair.a, pair.b)) is not None
    ]
    ratios = [session.log_ratios(metric, pair.a, pair.b) for session in sessions]
    ratios = [each for each in ratios if np.count_nonzero(np.isfinite(each)) > 1]
    if len(ratios) < 2:
        return None
    in_slices = dict.fromkeys((session.block for session in sessions), 0.0)
    for session in values.sessions():
        if session.group == group and session.block in in_slices:
            in_slices[session.block] += session.seconds
    whole_s = float(np.mean([seconds_of[block] for block in in_slices]))
    slices_s = float(np.mean(list(in_slices.values())))
    permutations = round(float(np.mean([len(each) for each in ratios])))
    permutation_s = slices_s / permutations
    block_s = max(permutation_s, whole_s - slices_s)
    return Effort(
        group=group,
        blocks=len(records),
        block_s=block_s,
        permutation_s=permutation_s,
        permutations=permutations,
        optimal_permutations=optimal_permutations(
            variance_components(ratios), permutation_cost=permutation_s, block_cost=block_s
        ),
    )


def _deviation(pair: ComparedPair) -> float:
    return pair.comparison.standard_deviation or 0.0
