"""Workloads: how a study uses the operations of its domain, alone and mixed."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

from pydantic import BeforeValidator, PositiveFloat, PositiveInt, ValidationInfo

from wirelab.inputs.file_model import FileModel, Misfit
from wirelab.study.levels import WorkloadName
from wirelab.terminal import words

Value = str | int | float | bool

Order = Literal["listed", "random", "random_by_block"]


def _taken_in_turn(value: object, info: ValidationInfo) -> object:
    """Require one value, or a list in which each value has its turn equally often."""
    values = value if isinstance(value, list | tuple) else [value]
    if not values or not all(isinstance(each, Value) for each in values):
        raise ValueError("a text, a number, true or false, or a list of at least one of them")
    sets = info.data.get("parameter_sets", len(values))
    if sets % len(values):
        raise ValueError(
            f"one value, or parameter_sets = {len(values)} or a multiple of it, so that each value "
            f"of the list has its turn; it is {sets}"
        )
    return value


class Workload(FileModel):
    """`[workload.NAME]`: one operation of the domain, or a mix of other workloads.

    Exactly one of `operation` and `mix` is required.
    """

    title: str
    """Name in reports. Charts use the part before a colon."""
    operation: str = ""
    """Name of the operation, as in domain.toml."""
    state: str = ""
    """Name of the state of the store that each run starts from. Default: the one in the design's
    `data`."""
    parameter_sets: PositiveInt = 1
    """Number of parameter sets that are drawn from the data and used in turn. Use several so that
    no single row decides the result."""
    parameters: Mapping[
        str, Annotated[Value | tuple[Value, ...], BeforeValidator(_taken_in_turn)]
    ] = {}
    """Fixed values of parameters, by name; the others are drawn. The interface must allow their
    kinds; without a description of it, they are those of the values in domain.toml. A list gives
    values that the sets take in turn; `parameter_sets` must be a multiple of its length."""
    instances: bool = False
    """True takes the parameter sets from the domain's query generator (`queries` in its `[data]`)
    instead of drawing them. Not together with `parameters`."""
    instances_from: str = ""
    """State whose data the query generator uses. Default: the one in the design's `data`, else the
    workload's own state. Set it to send the same queries to stores of different sizes."""
    inline: bool = False
    """True writes the parameters into GraphQL documents as literals instead of sending variables.
    Other protocols ignore it."""
    mix: Mapping[WorkloadName, PositiveInt] = {}
    """Workloads with their weights. The mix sends `parameter_sets` times the weight transactions of
    each, or all its parameter sets if it has fewer. Reads whose correct answers the mix's own
    writes change are left out. All parts need the same state as the mix; none can be a mix or a
    control."""
    order: Order = "listed"
    """Order of the transactions: `listed`, `random` (the same random order in every block) or
    `random_by_block` (another one in each block)."""
    control: bool = False
    """True for the workload that shows the cost of protocol and framework alone. Its operation must
    touch no store (`effect = "none"`); no question includes it."""
    transaction_seconds: PositiveFloat = 0.002
    """Approximate duration of a transaction of the slowest contender in seconds. Only used to
    estimate how long a design takes."""

    @property
    def heading(self) -> str:
        """The title with a capital letter, unless it is the id of the operation."""
        return self.title if self.title == self.operation else words.capital(self.title)

    def misfits(self) -> Iterator[Misfit]:
        """Yield which keys determine the transactions in two ways, or that none does."""
        if not self.operation and not self.mix:
            yield Misfit("operation", None, "the name of an operation, or a table mix instead")
        if self.operation and self.mix:
            yield Misfit.excluding(["operation", "mix"])
        elif self.mix:
            own = ("parameters", "instances", "inline", "control")
            if given := [key for key in own if getattr(self, key)]:
                why = "the workloads of the mix have their own"
                yield Misfit.excluding(["mix", *given], why, f"remove {words.listed(given)}")
        if self.instances and self.parameters:
            why = "the query generator gives all values"
            yield Misfit.excluding(["instances = true", "parameters"], why)


def unfit_workloads(workloads: Mapping[str, Workload]) -> Iterator[Misfit]:
    """Yield what does not fit each other in the workloads of a study.

    At most one is a control and one is not, and mixes consist of single workloads that start from
    the mix's state.
    """
    controls = [name for name, workload in workloads.items() if workload.control]
    if len(controls) > 1:
        keys = [f"workload.{name}.control" for name in controls]
        yield Misfit.excluding(keys, "a study has at most one control")
    elif len(controls) == len(workloads):
        expected = "false, or another workload, since the control is never compared"
        yield Misfit(f"workload.{controls[0]}.control", True, expected)
    for name, mix in workloads.items():
        for part, weight in mix.mix.items():
            single = workloads.get(part, mix)
            key = f"workload.{name}.mix.{part}"
            if single.mix or single.control:
                what = "a mix" if single.mix else "the control"
                yield Misfit(key, weight, f"a workload that is no mix and no control; it is {what}")
            elif single.state != mix.state:
                expected = f"{single.state!r}, that of {part}, since a mix has one state"
                yield Misfit(f"workload.{name}.state", mix.state or None, expected)
