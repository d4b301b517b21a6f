"""A part of a design: some cells, measured in their own time."""

from collections.abc import Mapping

from pydantic import PositiveInt

from wirelab.study.cell import Cell, cross
from wirelab.study.levels import Factor, FileModel, Where, WorkloadName
from wirelab.study.window import WarmUp, Window
from wirelab.study.workload import Workload


class Experiment(FileModel):
    """Some levels of some factors, all combined; a factor that is left out takes the design's.

    `warm_up` and `window` take the place of the design's. Without `twins` the baseline runs once:
    where the experiments of a design share their noise, some of them need not measure it.
    """

    title: str
    where: Where = Where()
    warm_up: WarmUp | None = None
    window: Window | None = None
    twins: bool = True

    def cells(self, levels: Mapping[Factor, tuple[str, ...]], baseline: str) -> list[Cell]:
        """Combine the levels of the experiment, as far as they are among those given."""
        chosen: dict[Factor, tuple[str, ...]] = {}
        for factor, given in levels.items():
            own = self.where.levels(factor)
            chosen[factor] = tuple(level for level in given if own is None or level in own)
        return [cell for cell in cross(chosen, baseline) if self.twins or not cell.twin]


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
