"""Run blocks: in a laboratory on this machine, one block after the other."""

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
"""A block that failed, or of whose time the host stole more than half, is repeated once."""


class Crew(Protocol):
    """Runs blocks, and records them in the bundle."""

    def carry_out(self, blocks: Sequence[Block], may_begin: Callable[[Block], bool]) -> bool:
        """Run blocks until one may not begin any more; return whether all ran.

        Raises `LabError` for a block that failed twice.
        """


@dataclass(frozen=True)
class LocalCrew:
    """Runs blocks on this machine. `unusable`: cells that are not measured, with the reason."""

    plan: PlannedStudy
    bundle: Bundle
    laboratory: Laboratory
    observer: Observer
    unusable: Mapping[Cell, str]
    rates: Rates
    grid: Grid
    """What previous blocks have shown about capacities."""

    def carry_out(self, blocks: Sequence[Block], may_begin: Callable[[Block], bool]) -> bool:
        """Run blocks in their order."""
        for block in blocks:
            if not may_begin(block):
                return False
            self._carry_out(block)
        return True

    def _carry_out(self, block: Block) -> None:
        """Run a block, and once more if it failed or the host stole too much time."""
        before = sum(record.block.id == block.id for record in self.bundle.block_records())
        for attempt in range(before + 1, before + ATTEMPTS + 1):
            self.observer.block_started(block, attempt)
            record = self.attempt(block, attempt)
            self.observer.block_finished(record)
            if not is_to_be_repeated(record):
                return
        refuse_failed(record)

    def attempt(self, block: Block, attempt: int) -> BlockRecord:
        """Run a block once, and record it; restart stores that ended in the meantime."""
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
    """Return whether a block failed, or the host stole most of the time of most permutations."""
    return bool(record.failure) or any(each.too_stolen for each in record.sessions)


def refuse_failed(record: BlockRecord) -> None:
    """Raise `LabError` if the last attempt at a block failed."""
    if record.failure:
        raise LabError(
            f"{record.block.id} failed twice: {record.failure}",
            "fix that, then resume with `wirelab run --resume`",
        )
