"""Which transactions a run sends, and in which order: those of a workload, or of several mixed."""

from collections.abc import Mapping
from random import Random

from wirelab.experiment.place import Place
from wirelab.study import Cell, Study
from wirelab.verify import Plan

Plans = Mapping[tuple[Place, str], tuple[Plan, ...]]
"""What verification has planned, by place and workload."""


def transactions(study: Study, plans: Plans, cell: Cell, seed: int) -> tuple[Plan, ...]:
    """Return what a cell's contender is asked; a mix may take its order from the seed.

    A part of which there are fewer transactions than the mix wants gives those that there are.
    Raises `KeyError` before verification.
    """
    mixed = [
        plan
        for part, count in study.parts(cell.workload).items()
        for plan in plans[Place.of(cell), part][:count]
    ]
    order = study.workloads[cell.workload].order
    if order != "listed":
        Random(seed if order == "random_by_block" else cell.workload).shuffle(mixed)
    return tuple(mixed)
