"""Reads of a mix whose correct answer is changed by the mix's own writes.

Under load, the moment at which a write takes effect is unknown, and so is the correct answer to
such a read; a mix therefore leaves it out. The reference determines which reads these are, before
the measurement and for all contenders alike.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from wirelab.domain.dataset import Dataset
from wirelab.domain.reference import Reference, load_reference
from wirelab.domain.refusal import Refused
from wirelab.verify.plans import UsedOperation
from wirelab.verify.tasks import Task, task_of


def changed_reads(
    dataset: Dataset, parts: Mapping[str, UsedOperation], sets: Mapping[str, int], *, seed: int
) -> frozenset[tuple[str, int]]:
    """Return the workload and the parameter set of each read that the writes among `parts` change.

    The reference answers every read first, and again after each write; each write runs once. `sets`
    gives the number of parameter sets that are sent, by workload. Raises `ProblemsError` for a
    defect of the reference, and `DatasetError` if there are no rows to draw from.
    """
    tasks = [task_of(name, part, dataset.domain.operations) for name, part in parts.items()]
    writes = [task for task in tasks if task.operation.effect == "write"]
    reads = [task for task in tasks if task.operation.effect == "read"]
    if not writes or not reads:
        return frozenset()
    reference = load_reference(dataset.domain, dataset)
    left = {
        (task.workload, number): _Read(
            task, parameters, _reference_answer(reference, task, parameters)
        )
        for task in reads
        for number, parameters in enumerate(task.draw(dataset, seed))
    }
    changed = set()
    for task in writes:
        for parameters in task.draw(dataset, seed)[: sets[task.workload]]:
            _reference_answer(reference, task, parameters)
            found = [key for key, read in left.items() if read.is_changed(reference)]
            changed.update(found)
            for key in found:
                del left[key]
    return frozenset(changed)


@dataclass(frozen=True, slots=True)
class _Read:
    task: Task
    parameters: dict[str, object]
    right: object

    def is_changed(self, reference: Reference) -> bool:
        return _reference_answer(reference, self.task, self.parameters) != self.right


def _reference_answer(reference: Reference, task: Task, parameters: dict[str, object]) -> object:
    try:
        return reference.call(task.operation.name, parameters)
    except Refused as refused:
        return refused.kind
