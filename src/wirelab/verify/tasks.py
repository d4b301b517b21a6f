"""The operations to try, and the parameter sets for each."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from wirelab.domain.dataset import Dataset
from wirelab.domain.model import Operation
from wirelab.domain.parameters import ValueCycle
from wirelab.protocol.descriptions.literals import with_literals
from wirelab.verify.plans import UsedOperation

SETS = 3
"""Number of parameter sets for an operation that no workload uses."""


@dataclass(frozen=True, slots=True)
class Task:
    """An operation with a number of parameter sets, for a workload or (if "") for none."""

    workload: str
    operation: Operation
    sets: int = SETS
    fixed: Mapping[str, object] = field(default_factory=dict)
    instances: bool = False
    instances_from: str = ""

    def draw(self, dataset: Dataset, seed: int) -> list[dict[str, object]]:
        """Draw parameter sets, deterministically for a seed; of instances, more than needed.

        Raises `DatasetError` if there are no rows to draw from.
        """
        if self.instances:
            some_more = self.sets + self.sets // 2 + SETS
            return dataset.instances(self.operation, some_more, self.instances_from)
        return dataset.draw(self.operation, self.sets, seed, self.fixed)


def tasks_of(
    operations: Mapping[str, Operation], workloads: Mapping[str, UsedOperation]
) -> Iterable[Task]:
    """Yield the tasks of the workloads, then one for every other operation."""
    for name, workload in workloads.items():
        yield task_of(name, workload, operations)
    measured = {workload.operation for workload in workloads.values()}
    for name, operation in operations.items():
        if name not in measured:
            yield Task("", operation)


def task_of(name: str, workload: UsedOperation, operations: Mapping[str, Operation]) -> Task:
    """Return the task of one workload."""
    operation = operations[workload.operation]
    if workload.inline:
        operation = with_literals(operation)
    fixed = {key: _each_set(value) for key, value in workload.parameters.items()}
    source = workload.instances, workload.instances_from
    return Task(name, operation, workload.parameter_sets, fixed, *source)


def _each_set(value: object) -> object:
    """Treat several values of a workload's parameter as one value per set."""
    return ValueCycle(tuple(value)) if isinstance(value, list | tuple) else value
