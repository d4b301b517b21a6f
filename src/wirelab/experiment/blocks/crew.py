"""Run blocks: in a laboratory on this machine, one block after the other."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from wirelab.bundle import BlockRecord, Bundle
from wirelab.bundle.reasons import RunReason, in_words
from wirelab.errors import LabError
from wirelab.experiment.blocks.block import BlockRunner
from wirelab.experiment.blocks.trial_grid import Grid
from wirelab.experiment.laboratory import Laboratory
from wirelab.experiment.observer import Observer
from wirelab.experiment.preparation.pilot import Rates
from wirelab.experiment.preparation.recovery import ATTEMPTS, restart_failed_stores
from wirelab.planning.plan import PlannedStudy
from wirelab.planning.schedule import Block
from wirelab.study import Cell


class Crew(Protocol):
    """Runs blocks, and records them in the bundle."""

    def carry_out(self, blocks: Sequence[Block], may_begin: Callable[[Block], bool]) -> bool:
        """Run blocks until no further one may begin; return whether all ran.

        Raises `LabError` for a block that broke off twice.
        """


@dataclass(frozen=True)
class LocalCrew:
    """Runs blocks on this machine. `unusable`: cells that are not measured, with the reason."""

    plan: PlannedStudy
    bundle: Bundle
    laboratory: Laboratory
    observer: Observer
    unusable: Mapping[Cell, RunReason]
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
        """Run a block, and again if it must be repeated."""
        first = self.bundle.next_attempt(block.id)
        attempts: list[BlockRecord] = []
        while not attempts or must_repeat(attempts):
            self.observer.block_started(block, first + len(attempts))
            attempts.append(self.attempt(block, first + len(attempts)))
            self.observer.block_finished(attempts[-1])

    def attempt(self, block: Block, attempt: int) -> BlockRecord:
        """Run a block once, and record it; restart stores that failed in the meantime."""
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
        restart_failed_stores(self.laboratory, self.bundle, self.observer)
        return record


def must_repeat(attempts: Sequence[BlockRecord]) -> bool:
    """Return whether a block must be repeated after these attempts.

    It must be if the last one broke off, and once if the host stole most of the time of most
    permutations; the two are counted separately. Raises `LabError` if a block broke off twice.
    """
    last = attempts[-1]
    failed = sum(bool(each.failures) for each in attempts)
    if failed >= ATTEMPTS:
        raise LabError(
            f"{last.block.id} failed twice: {in_words(last.failures)}",
            "fix the cause, then resume with `wirelab run --resume`",
        )
    too_stolen = any(each.too_stolen for each in last.sessions)
    return bool(last.failures) or (too_stolen and len(attempts) - failed < ATTEMPTS)
