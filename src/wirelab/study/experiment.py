"""Experiments: parts of a design, each with cells that are measured in separate blocks."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import PositiveInt

from wirelab.inputs.file_model import FileModel
from wirelab.study.cell import Cell, cross
from wirelab.study.levels import Factor, OneOrMore, Where, WorkloadName
from wirelab.study.slices import Slices, WarmUp
from wirelab.study.window import Window
from wirelab.study.workload import Workload


class Experiment(FileModel):
    """`[design.NAME.experiment.NAME]`: some cells of a design, in separate blocks.

    A design with experiments measures only their cells, each once. If several experiments contain a
    cell, the first one determines how it is measured.
    """

    title: str
    """What the experiment is about."""
    where: Annotated[tuple[Where, ...], OneOrMore] = (Where(),)
    """The levels that take part, all combined. A factor that is left out takes all levels of the
    design. A list of tables adds the cells of each. Default: all cells of the design."""
    together: tuple[Factor, ...] = ()
    """Factors whose levels are measured in the same block, as contenders are. Factors that a
    question compares always are. Default: none."""
    warm_up: WarmUp | None = None
    """Replaces the design's `warm_up`. Default: the design's."""
    separate: bool | None = None
    """Replaces the design's `separate`. Default: the design's."""
    slices: Slices | None = None
    """Replaces the design's `slices`. Default: the design's."""
    window: Window | None = None
    """Replaces the design's `window`. Default: the design's."""
    twins: bool = True
    """False runs the baseline without its twin, which saves time; the resolution of these cells is
    then unknown."""

    def cells(self, levels: Mapping[Factor, tuple[str, ...]], baseline: str) -> list[Cell]:
        """Combine the experiment's levels, as far as they are among the given ones."""
        cells: dict[Cell, None] = {}
        for where in self.where:
            chosen: dict[Factor, tuple[str, ...]] = {}
            for factor, given in levels.items():
                own = where.levels(factor)
                chosen[factor] = tuple(level for level in given if own is None or level in own)
            cells.update(dict.fromkeys(cross(chosen, baseline)))
        return [cell for cell in cells if self.twins or not cell.twin]

    def has(self, cell: Cell) -> bool:
        """Return whether a cell belongs to the experiment."""
        return any(cell.matches(where) for where in self.where)

    def levels(self, factor: Factor) -> tuple[str, ...] | None:
        """Return the experiment's levels of a factor, None if it is not restricted."""
        named = [where.levels(factor) for where in self.where]
        if any(levels is None for levels in named):
            return None
        return tuple(dict.fromkeys(level for levels in named for level in levels or ()))


class OpenData(FileModel):
    """`[design.NAME.data]`: what workloads leave open.

    Use it to run the same workloads at several sizes of data, one design for each.
    """

    state: str = ""
    """State of the workloads that name none, neither themselves nor in `states`."""
    states: Mapping[WorkloadName, str] = {}
    """States of single workloads that name none, by workload."""
    instances: PositiveInt | None = None
    """Number of parameter sets of workloads with `instances = true`. Default: their own
    `parameter_sets`."""
    instances_of: Mapping[WorkloadName, PositiveInt] = {}
    """Number of parameter sets of single workloads with `instances = true`, by workload, where it
    is another than `instances`."""
    instances_from: str = ""
    """State whose data the query generator uses for workloads that name none. Default: their own
    state."""

    def fill(self, name: str, workload: Workload) -> Workload:
        """Return a workload with its missing keys filled in."""
        state = workload.state or self.states.get(name) or self.state
        update: dict[str, object] = {"state": state}
        if workload.instances:
            update["instances_from"] = workload.instances_from or self.instances_from
            own = self.instances_of.get(name) or self.instances
            update["parameter_sets"] = own or workload.parameter_sets
        return workload.model_copy(update=update)
