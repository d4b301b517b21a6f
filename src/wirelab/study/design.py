"""Designs: how thoroughly a study is carried out."""

from collections.abc import Mapping
from typing import Annotated, Self

from pydantic import Field, PositiveFloat, PositiveInt, model_validator

from wirelab.study.cell import Cell, cross
from wirelab.study.experiment import Experiment, OpenData
from wirelab.study.levels import (
    ContenderName,
    EnvironmentName,
    Factor,
    FileModel,
    LoadName,
    Name,
    NetworkName,
    ProxyName,
    StoreName,
    WorkloadName,
    plural,
)
from wirelab.study.window import Slices, WarmUp, Window, Wire

MOST_LOOKS = 3
"""How often intervals may be looked at, the first time included."""


class Design(FileModel):
    """One way to carry the study out: which levels take part, how often, how long.

    A factor that is left out takes part with all its levels. The contenders of a block take turns
    in `slices`; with `separate` each run is measured by itself, in a `window`.

    `looks` are larger numbers of blocks to go on to while the widest interval of a question is
    still wider than `precision` (half its width, as a share): it is precision that decides when to
    stop, never significance. Only settings with such an interval get more blocks. `budget_minutes`
    is how long measuring may take: no further block begins that would not end by then, once every
    setting has the blocks that a verdict needs.

    With `experiment`s only their cells are measured, each once, in place of all combinations; the
    first that has a cell says how long it is measured. `data` is what workloads leave open.
    """

    summary: str
    blocks: PositiveInt
    looks: Annotated[tuple[PositiveInt, ...], Field(max_length=MOST_LOOKS - 1)] = ()
    precision: PositiveFloat | None = None
    budget_minutes: PositiveFloat | None = None
    warm_up: WarmUp
    separate: bool = False
    slices: Slices = Slices()
    window: Window | None = None
    wire: Wire | None = None
    contenders: tuple[ContenderName, ...] | None = None
    workloads: tuple[WorkloadName, ...] | None = None
    stores: tuple[StoreName, ...] | None = None
    environments: tuple[EnvironmentName, ...] | None = None
    loads: tuple[LoadName, ...] | None = None
    proxies: tuple[ProxyName, ...] | None = None
    networks: tuple[NetworkName, ...] | None = None
    experiments: Annotated[Mapping[Name, Experiment], Field(alias="experiment")] = {}
    data: OpenData = OpenData()

    @model_validator(mode="after")
    def _looks_ascend(self) -> Self:
        counts = (self.blocks, *self.looks)
        if list(counts) != sorted(set(counts)):
            raise ValueError("looks that ascend from more than the number of blocks")
        if bool(self.looks) != (self.precision is not None):
            raise ValueError("looks and precision together, or neither")
        return self

    @model_validator(mode="after")
    def _slices_or_windows(self) -> Self:
        parts: list[Design | Experiment] = [self, *self.experiments.values()]
        for part in parts:
            separate = self.separate if part.separate is None else part.separate
            own = self.window if part.window is None else part.window
            if not separate and part.window is not None:
                raise ValueError(
                    "slices in place of a window, or separate = true: contenders take turns"
                )
            if separate and part.slices is not None and "slices" in part.model_fields_set:
                raise ValueError("no slices with separate = true: each run has a window of its own")
            if separate and own is None and (part is not self or not self.experiments):
                raise ValueError("a window, since separate = true measures each run by itself")
        return self

    def levels(self, factor: Factor) -> tuple[str, ...] | None:
        """Return the levels of a factor that take part, None where all do."""
        levels: tuple[str, ...] | None = getattr(self, plural(factor))
        return levels

    def cells(self, levels: Mapping[Factor, tuple[str, ...]], baseline: str) -> list[Cell]:
        """Return the cells of the design, given the levels that take part."""
        if not self.experiments:
            return cross(levels, baseline)
        each = (experiment.cells(levels, baseline) for experiment in self.experiments.values())
        return list(dict.fromkeys(cell for cells in each for cell in cells))

    def experiment_of(self, cell: Cell) -> str | None:
        """Return the name of the experiment that says how long a cell is measured."""
        names = (name for name, each in self.experiments.items() if each.has(cell))
        return next(names, None)

    def at(self, cell: Cell) -> Self:
        """Return the design with what holds for a cell: warm-up, slices or a window."""
        name = self.experiment_of(cell)
        if name is None:
            return self
        own = self.experiments[name]
        parts = {
            "warm_up": own.warm_up,
            "separate": own.separate,
            "slices": own.slices,
            "window": own.window,
        }
        return self.model_copy(
            update={key: part for key, part in parts.items() if part is not None}
        )
