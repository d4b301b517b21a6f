"""How much to measure: the time spent, and how the same time would have resolved the most."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wirelab.analysis.cells import time_metric
from wirelab.analysis.model import ComparedPair
from wirelab.analysis.values import RunValues
from wirelab.bundle import BlockRecord
from wirelab.planning.schedule import Schedule
from wirelab.statistics import (
    VarianceComponents,
    optimal_permutations,
    pooled,
    variance_components,
)
from wirelab.study import CAPACITY, Study


@dataclass(frozen=True, slots=True)
class Effort:
    """The time that one group of cells took, and the best use of it.

    `block_s` is the time of a block besides its slices: starting servers, warming them up.
    `permutation_s` is the total time of one permutation of each of its sessions. `permutations` is
    their number, `optimal_permutations` the number that would give the narrowest intervals in the
    same time, for all of its pairs together; None for as many as possible, if starts of the servers
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
    in_turns: dict[str, list[ComparedPair]] = {}
    for pair in pairs:
        if any(values.together(block, pair.a, pair.b) for block in values.turns.get(pair.a, {})):
            in_turns.setdefault(group_of[pair.a], []).append(pair)
    found = (
        _effort(
            [each for each in records if each.block.group == group],
            members,
            values,
            study,
        )
        for group, members in in_turns.items()
    )
    return tuple(each for each in found if each is not None)


def _effort(
    records: Sequence[BlockRecord], pairs: Sequence[ComparedPair], values: RunValues, study: Study
) -> Effort | None:
    group = records[0].block.group
    seconds_of = {
        record.block.number: record.seconds
        for record in records
        if not any(run.status == "invalid" for run in record.runs)  # whose slices are not known
    }
    found = (components_of(pair, values, study) for pair in pairs)
    components = [each for each in found if each is not None]
    sessions = [each for each in values.sessions() if each.group == group]
    in_slices = dict.fromkeys(seconds_of.keys() & {each.block for each in sessions}, 0.0)
    if not components or not in_slices:
        return None
    for session in sessions:
        if session.block in in_slices:
            in_slices[session.block] += session.seconds
    whole_s = float(np.mean([seconds_of[block] for block in in_slices]))
    slices_s = float(np.mean(list(in_slices.values())))
    counts = [each.table["permutation"].nunique() for each in sessions if each.block in in_slices]
    permutations = round(float(np.mean(counts)))
    permutation_s = slices_s / permutations
    block_s = max(permutation_s, whole_s - slices_s)
    return Effort(
        group=group,
        blocks=len(records),
        block_s=block_s,
        permutation_s=permutation_s,
        permutations=permutations,
        optimal_permutations=optimal_permutations(
            pooled(components), permutation_cost=permutation_s, block_cost=block_s
        ),
    )


def components_of(pair: ComparedPair, values: RunValues, study: Study) -> VarianceComponents | None:
    """Return how a pair varies between permutations and blocks; None without enough turns."""
    metric = time_metric(study)
    sessions = (values.together(block, pair.a, pair.b) for block in values.turns.get(pair.a, {}))
    ratios = [
        session.log_ratios(metric, pair.a, pair.b) for session in sessions if session is not None
    ]
    ratios = [each for each in ratios if np.count_nonzero(np.isfinite(each)) > 1]
    return variance_components(ratios) if len(ratios) > 1 else None
