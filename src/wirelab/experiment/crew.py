"""Who carries blocks out: a laboratory on this machine, one block after the other."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from wirelab.bundle import BlockRecord, Bundle
from wirelab.errors import LabError
from wirelab.experiment.block import BlockRunner
from wirelab.experiment.laboratory import Laboratory
from wirelab.experiment.observer import Observer
from wirelab.experiment.pilot import Rates
from wirelab.experiment.recovery import restart_ended_stores
from wirelab.experiment.trial_grid import Grid
from wirelab.plan import PlannedStudy
from wirelab.schedule import Block
from wirelab.study import Cell

ATTEMPTS = 2
"""A block that broke off, or of which the host took more than half, is repeated once."""


class Crew(Protocol):
    """Carries blocks out, and records them in the bundle."""

    def carry_out(self, blocks: Sequence[Block], may_begin: Callable[[Block], bool]) -> bool:
        """Carry out blocks until one may not begin any more; return whether all were.

        Raises `LabError` for a block that failed twice.
        """


@dataclass(frozen=True)
class LocalCrew:
    """The laboratory of this machine. `unusable`: cells that are not measured, and why."""

    plan: PlannedStudy
    bundle: Bundle
    laboratory: Laboratory
    observer: Observer
    unusable: Mapping[Cell, str]
    rates: Rates
    grid: Grid
    """What the blocks so far have shown of capacities."""

    def carry_out(self, blocks: Sequence[Block], may_begin: Callable[[Block], bool]) -> bool:
        """Carry out blocks in their order."""
        for block in blocks:
            if not may_begin(block):
                return False
            self._carry_out(block)
        return True

    def _carry_out(self, block: Block) -> None:
        """Carry a block out, once more if the host took most of the time of most permutations."""
        before = sum(record.block.id == block.id for record in self.bundle.block_records())
        for attempt in range(before + 1, before + ATTEMPTS + 1):
            self.observer.block_started(block, attempt)
            record = self.attempt(block, attempt)
            self.observer.block_finished(record)
            if not is_to_be_repeated(record):
                return
        refuse_failed(record)

    def attempt(self, block: Block, attempt: int) -> BlockRecord:
        """Carry a block out once, and record it; a store that ended meanwhile runs again then."""
        runner = BlockRunner(
            self.laboratory,
            self.rates,
            self.plan.design,
            self.plan.study.baseline,
            self.bundle.qualification,
            self.observer,
            self.grid,
        )
        unusable = {
            run.id: self.unusable[run.cell] for run in block.runs if run.cell in self.unusable
        }
        folder = self.bundle.partial_block(block.id)
        record = runner.carry_out(block, unusable=unusable, attempt=attempt, folder=folder)
        self.bundle.record_block(record)
        restart_ended_stores(self.laboratory, self.bundle, self.observer)
        return record


def is_to_be_repeated(record: BlockRecord) -> bool:
    """Tell whether a block broke off, or the host took most of the time of most permutations."""
    return bool(record.failure) or any(each.too_stolen for each in record.sessions)


def refuse_failed(record: BlockRecord) -> None:
    """Raise `LabError` where the last attempt at a block broke off."""
    if record.failure:
        raise LabError(
            f"{record.block.id} failed twice: {record.failure}",
            "fix that, then resume with `wirelab run --resume`",
        )
