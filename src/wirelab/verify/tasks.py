"""Operations to be tried, and the parameter sets that each is tried with."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from wirelab.domain.dataset import Dataset
from wirelab.domain.model import Operation
from wirelab.domain.parameters import Cycle
from wirelab.protocol.graphql import with_literals
from wirelab.verify.findings import Workload

SETS = 3
"""How many parameter sets an operation is tried with that no workload asks for."""


@dataclass(frozen=True, slots=True)
class Task:
    """An operation with a number of parameter sets, for a workload or ("") for its own sake."""

    workload: str
    operation: Operation
    sets: int = SETS
    fixed: Mapping[str, object] = field(default_factory=dict)
    instances: bool = False
    instances_from: str = ""

    def draw(self, dataset: Dataset, seed: int) -> list[dict[str, object]]:
        """Draw parameter sets, the same for a seed; of instances some more than are needed.

        Raises `DatasetError` where there are no rows to draw from.
        """
        if self.instances:
            some_more = self.sets + self.sets // 2 + SETS
            return dataset.instances(self.operation, some_more, self.instances_from)
        return dataset.draw(self.operation, self.sets, seed, self.fixed)


def tasks_of(
    operations: Mapping[str, Operation], workloads: Mapping[str, Workload]
) -> Iterable[Task]:
    """Yield what workloads ask for, then every other operation for its own sake."""
    for name, workload in workloads.items():
        yield task_of(name, workload, operations)
    wanted = {workload.operation for workload in workloads.values()}
    for name, operation in operations.items():
        if name not in wanted:
            yield Task("", operation)


def task_of(name: str, workload: Workload, operations: Mapping[str, Operation]) -> Task:
    """Return what one workload asks for."""
    operation = operations[workload.operation]
    if workload.inline:
        operation = with_literals(operation)
    fixed = {key: _each_set(value) for key, value in workload.parameters.items()}
    source = workload.instances, workload.instances_from
    return Task(name, operation, workload.parameter_sets, fixed, *source)


def _each_set(value: object) -> object:
    """Take several values of a workload's parameter for one a set."""
    return Cycle(tuple(value)) if isinstance(value, list | tuple) else value
