"""What a study does with the operations of its domain: workloads, alone and mixed."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal, Self

from pydantic import PositiveFloat, PositiveInt, model_validator

from wirelab.study.levels import FileModel, WorkloadName, at_least

Value = str | int | float | bool

Order = Literal["listed", "random", "random_by_block"]


class Workload(FileModel):
    """One operation of the domain as this study uses it, or a mix of other workloads.

    `state` is what the store holds before each run; left out, the design says it.
    `parameter_sets` is how many sets of parameters are drawn and cycled through; `parameters` fixes
    some of them, or gives a list of values that the sets take in turn. With `instances` the sets
    are those that the domain's query generator makes, for the data of the state `instances_from`
    (that of the workload, if left out). `inline` writes them into the request's document as
    literals, where a protocol has variables. A control touches no store and is part of no question.
    `transaction_seconds` is about how long one takes, for the estimate of a design's length.

    A `mix` has the transactions of other workloads in place of an operation: `parameter_sets` of
    each, times its weight, as far as there are so many; but no read whose right answer the writes
    of the same mix change. `order` is theirs: as listed, in a random order that is the same in
    every block, or in another random order in each.
    """

    title: str
    operation: str = ""
    state: str = ""
    parameter_sets: PositiveInt = 1
    parameters: Mapping[str, Value | Annotated[tuple[Value, ...], at_least(1)]] = {}
    instances: bool = False
    instances_from: str = ""
    inline: bool = False
    mix: Mapping[WorkloadName, PositiveInt] = {}
    order: Order = "listed"
    control: bool = False
    transaction_seconds: PositiveFloat = 0.002

    @model_validator(mode="after")
    def _every_value_has_its_turn(self) -> Self:
        for name, values in self.parameters.items():
            if isinstance(values, tuple) and self.parameter_sets % len(values):
                raise ValueError(
                    f"parameter_sets a multiple of {len(values)}, the number of values that "
                    f"{name} takes in turn"
                )
        return self

    @model_validator(mode="after")
    def _one_source_of_transactions(self) -> Self:
        if bool(self.operation) == bool(self.mix):
            raise ValueError("operation or mix, and not both")
        own = self.parameters or self.instances or self.inline or self.control
        if self.mix and own:
            raise ValueError("a mix without parameters, instances, inline and control")
        if self.instances and self.parameters:
            raise ValueError("instances or parameters, and not both")
        return self


def mixed_rightly(workloads: Mapping[str, Workload]) -> Mapping[str, Workload]:
    """Ask that mixes are made of single workloads in their own state."""
    for name, part in _parts_of_mixes(workloads):
        mix, single = workloads[name], workloads[part]
        if single.mix or single.control:
            raise ValueError(f"in the mix {name} single workloads, no control ({part} is not one)")
        if single.state != mix.state:
            raise ValueError(f"one state for the mix {name} and {part}")
    return workloads


def _parts_of_mixes(workloads: Mapping[str, Workload]) -> Iterator[tuple[str, str]]:
    for name, workload in workloads.items():
        for part in workload.mix:
            if part in workloads:  # a wrong name has been noted where it stands
                yield name, part
