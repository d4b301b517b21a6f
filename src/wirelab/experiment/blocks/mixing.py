"""The transactions of a run, and their order: those of a workload, or a mix of several."""

from collections.abc import Collection, Mapping, MutableMapping
from random import Random

from wirelab.experiment.laboratory import Laboratory
from wirelab.experiment.place import Place
from wirelab.study import Cell, Study
from wirelab.verify import Finding, Plan, changed_reads
from wirelab.verify.findings.finding_reasons import LeftOutOfMix

Plans = MutableMapping[tuple[Place, str], tuple[Plan, ...]]
"""The plans from verification, by place and workload."""


def transactions(
    study: Study, plans: Mapping[tuple[Place, str], tuple[Plan, ...]], cell: Cell, seed: int
) -> tuple[Plan, ...]:
    """Return the transactions of a cell; the seed may determine the order of a mix.

    Raises `KeyError` before verification.
    """
    planned = list(plans[Place.from_cell(cell), cell.workload])
    order = study.workloads[cell.workload].order
    if order != "listed":
        Random(seed if order == "random_by_block" else cell.workload).shuffle(planned)
    return tuple(planned)


def plan_mix(laboratory: Laboratory, study: Study, mix: str) -> list[Finding]:
    """Plan a mix in every place with plans of its parts, without reads that its writes change.

    Returns findings with the number of these reads. Raises `ProblemsError` for a defect of the
    domain's reference.
    """
    counts, verifier = study.parts(mix), laboratory.verifier
    parts = {name: study.workloads[name] for name in counts}
    changed: Collection[tuple[str, int]] = ()
    if laboratory.domain.has_reference:
        dataset = laboratory.stores.dataset(study.workloads[mix].state)
        changed = changed_reads(dataset, parts, counts, seed=verifier.seed)
    mix_plans(verifier.plans, mix, counts, changed)
    return [
        Finding(
            severity="warning" if left else "error",
            operation=parts[name].operation,
            reason=LeftOutOfMix(mix=mix, workload=name, removed=removed, planned=removed + left),
            workload="" if left else mix,
        )
        for name in parts
        for removed, left in [_removed_and_left(verifier.plans, name, changed)]
        if removed
    ]


def _removed_and_left(
    plans: Plans, part: str, changed: Collection[tuple[str, int]]
) -> tuple[int, int]:
    """Count the parameter sets of a part that a mix must not send, and the others."""
    planned = {
        plan.parameter_set for (_, name), each in plans.items() if name == part for plan in each
    }
    removed = {number for number in planned if (part, number) in changed}
    return len(removed), len(planned - removed)


def mix_plans(
    plans: Plans, mix: str, counts: Mapping[str, int], changed: Collection[tuple[str, int]]
) -> None:
    """Add the plans of a mix: `counts` of each part, without the `changed` parameter sets.

    If a part has fewer transactions than the mix asks for, all of them are used.
    """
    for place in {place for place, _ in plans}:
        if all((place, part) in plans for part in counts):
            plans[place, mix] = tuple(
                plan
                for part, count in counts.items()
                for plan in [
                    each for each in plans[place, part] if (part, each.parameter_set) not in changed
                ][:count]
            )
