"""The measurement: blocks of fresh contenders, whose trials take turns."""

from dataclasses import dataclass, field

from wirelab.capacity.grid import OFFSETS, STEP, Grid
from wirelab.capacity.record import BlockOfTrials, CapacityRecord
from wirelab.capacity.turns import Asked, Turns
from wirelab.errors import MeasureError
from wirelab.experiment.execution import Execution
from wirelab.experiment.servers import running_servers
from wirelab.measure.events import CapacityFound
from wirelab.schedule import Block
from wirelab.study import OpenLoad


@dataclass
class Measurement:
    """Measures the capacities of verified contenders, block after block."""

    execution: Execution
    asked: Asked
    grid: Grid = field(default_factory=Grid)
    searches: dict[str, CapacityFound] = field(default_factory=dict)
    blocks: list[BlockOfTrials] = field(default_factory=list)

    def carry_out(self) -> None:
        """Carry all blocks out; what has been measured is in the bundle after each of them."""
        plan = self.execution.plan
        blocks = plan.schedule.blocks
        turns = len(OFFSETS) * self.asked.repeats
        steps = len(blocks) * (1 + turns) + len(plan.study.contenders)
        self.execution.observer.phase("Measuring", steps)
        for block in blocks:
            self.execution.observer.step(f"block {block.number}")
            self.blocks.append(self._block(block))
            self._record().write(self.execution.bundle.path)
            if not self.grid.centers:
                return  # nobody keeps the objective at any rate, and further blocks show no more

    def _block(self, block: Block) -> BlockOfTrials:
        """Start all contenders afresh, and let their trials take turns."""
        laboratory, plan = self.execution.laboratory, self.execution.plan
        runs = [run for run in block.runs if not run.cell.twin]
        reasons = {
            run.cell.contender: why
            for run in runs
            if (why := self.execution.unusable.get(run.cell)) is not None
        }
        usable = [run for run in runs if run.cell.contender not in reasons]
        folder = self.execution.bundle.path / "logs" / f"capacity-{block.number}"
        folder.mkdir(parents=True, exist_ok=True)
        with running_servers(laboratory, plan.study, usable, folder) as servers:
            reasons |= {
                run.cell.contender: why for run in usable if (why := servers.why_not(run.cell))
            }
            up = [run for run in usable if run.cell.contender not in reasons]
            turns = Turns(
                laboratory=laboratory,
                study=plan.study,
                asked=self.asked,
                block=block,
                runs=up,
                servers=servers,
                folder=folder,
                grid=self.grid,
                searches=self.searches,
                reasons=reasons,
                observer=self.execution.observer,
            )
            try:
                return turns.carry_out()
            except MeasureError as error:
                return turns.broken_off(str(error))

    def _record(self) -> CapacityRecord:
        """Return what has been measured so far."""
        study, contenders = self.execution.plan.study, self.execution.plan.contenders
        (load,) = study.loads.values()
        (workload,) = study.workloads.values()
        names = [study.baseline, *(it for it in study.contenders if it != study.baseline)]
        return CapacityRecord(
            objective=self.asked.objective,
            contenders=tuple(names),
            restarted=tuple(name for name in names if contenders[name].address is None),
            operation=workload.title,
            connections=load.connections if isinstance(load, OpenLoad) else 1,
            margin=study.margin,
            grid_step=STEP,
            searches=self.searches,
            blocks=tuple(self.blocks),
        )
