"""A part of a design: some cells, measured in their own time."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import PositiveInt

from wirelab.study.cell import Cell, cross
from wirelab.study.levels import Factor, FileModel, OneOrMore, Where, WorkloadName
from wirelab.study.window import Slices, WarmUp, Window
from wirelab.study.workload import Workload


class Experiment(FileModel):
    """Some levels of some factors, all combined; a factor that is left out takes the design's.

    `where` may be a list: then the cells of each of its entries take part. Levels of the factors
    `together` are measured in one block, as those are that a question compares.

    `warm_up`, `separate`, `slices` and `window` take the place of the design's. Without `twins` the
    baseline runs once: not every experiment of a design needs to say what it resolves.
    """

    title: str
    where: Annotated[tuple[Where, ...], OneOrMore] = (Where(),)
    together: tuple[Factor, ...] = ()
    warm_up: WarmUp | None = None
    separate: bool | None = None
    slices: Slices | None = None
    window: Window | None = None
    twins: bool = True

    def cells(self, levels: Mapping[Factor, tuple[str, ...]], baseline: str) -> list[Cell]:
        """Combine the levels of the experiment, as far as they are among those given."""
        found: dict[Cell, None] = {}
        for where in self.where:
            chosen: dict[Factor, tuple[str, ...]] = {}
            for factor, given in levels.items():
                own = where.levels(factor)
                chosen[factor] = tuple(level for level in given if own is None or level in own)
            found.update(dict.fromkeys(cross(chosen, baseline)))
        return [cell for cell in found if self.twins or not cell.twin]

    def has(self, cell: Cell) -> bool:
        """Tell whether a cell is one of those that the experiment is about."""
        return any(cell.matches(where) for where in self.where)

    def levels(self, factor: Factor) -> tuple[str, ...] | None:
        """Return the levels named for a factor, None where it is not restricted."""
        named = [where.levels(factor) for where in self.where]
        if any(levels is None for levels in named):
            return None
        return tuple(dict.fromkeys(level for levels in named for level in levels or ()))


class OpenData(FileModel):
    """What workloads leave open, so that a study can be carried out in several sizes.

    `state` is that of the workloads without one, but for those in `states`. `instances` is the
    number of parameter sets of those whose sets the domain's query generator makes, and
    `instances_from` the state that it makes them for.
    """

    state: str = ""
    states: Mapping[WorkloadName, str] = {}
    instances: PositiveInt | None = None
    instances_from: str = ""

    def fill(self, name: str, workload: Workload) -> Workload:
        """Return a workload with what it left open."""
        state = workload.state or self.states.get(name) or self.state
        update: dict[str, object] = {"state": state}
        if workload.instances:
            update["instances_from"] = workload.instances_from or self.instances_from
            update["parameter_sets"] = self.instances or workload.parameter_sets
        return workload.model_copy(update=update)
