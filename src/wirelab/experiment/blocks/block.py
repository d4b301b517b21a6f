"""One block: its cells in one session, in overlapping groups, or each in a separate session."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from wirelab.bundle import BlockRecord, RunRecord, SessionRecord
from wirelab.bundle.reasons import ApartReason, Failed, RunReason, TooLittleDisk, TooLittleMemory
from wirelab.engine.errors import AbortedError
from wirelab.errors import LabError, MeasureError
from wirelab.experiment.blocks.session import Session
from wirelab.experiment.blocks.trial_grid import Grid
from wirelab.experiment.laboratory import Laboratory
from wirelab.experiment.observer import Observer
from wirelab.experiment.place import Place
from wirelab.experiment.preparation.pilot import Rates
from wirelab.lab.processes.memory import available_bytes, plan_groups
from wirelab.lab.processes.shortage import require_free_port
from wirelab.lab.stores.store_manager import StoreState
from wirelab.measure.qualification import Qualification
from wirelab.planning.schedule import Block, Run
from wirelab.study import Design


@dataclass(frozen=True)
class BlockRunner:
    """Runs blocks. `qualification`: the engine's ceilings on this machine, if known."""

    laboratory: Laboratory
    rates: Rates
    design: Design
    baseline: str
    qualification: Qualification | None = None
    observer: Observer = field(default_factory=Observer)
    grid: Grid = field(default_factory=Grid)
    """What previous blocks have shown about capacities."""

    def carry_out(
        self, block: Block, *, unusable: Mapping[str, RunReason], attempt: int, folder: Path
    ) -> BlockRecord:
        """Run a block and return its record; all its files are written to `folder`.

        `unusable` gives, by id, the reason for each run that must not be measured. Failures of
        contender, store or engine make runs invalid; they do not raise.
        """
        started, began = datetime.now(UTC), time.monotonic()
        without_capacity = {
            run.id: why for run in block.runs if (why := self.grid.without_capacity.get(run.cell))
        }
        unusable = {**without_capacity, **unusable}
        runs = [run for run in block.runs if run.id not in unusable]
        planned = [self._groups(members) for members in _by_network(runs)]
        groups = [group for members, _ in planned for group in members]
        sessions: list[SessionRecord] = []
        records: list[RunRecord] = []
        failures: list[RunReason] = []
        for number, members in enumerate(groups, start=1):
            session = self._session(block, members, number, folder / str(number))
            try:
                measured, runs_of_session = session.carry_out()
                if any(run.status == "invalid" for run in runs_of_session):
                    require_free_port()
                    self.laboratory.stores.require_working()
            except AbortedError as error:  # No contender was left: the other sessions continue.
                measured = SessionRecord()
                runs_of_session = session.aborted_records(Failed.from_error(error))
            except (LabError, MeasureError) as error:
                failures.append(Failed.from_error(error))
                measured, runs_of_session = SessionRecord(), session.aborted_records(failures[-1])
            sessions.append(measured)
            records.extend(runs_of_session)
        records.extend(
            RunRecord(run=run, status="skipped", reasons=(unusable[run.id],))
            for run in block.runs
            if run.id in unusable
        )
        # Not the current time of the clock, which may have been changed while the block ran.
        finished = started + timedelta(seconds=time.monotonic() - began)
        record = BlockRecord(
            block=block,
            attempt=attempt,
            started_utc=_stamp(started),
            finished_utc=_stamp(finished),
            runs=tuple(records),
            sessions=tuple(sessions),
            apart=tuple(dict.fromkeys(why for _, why in planned if why)),
            failures=tuple(dict.fromkeys(failures)),
        )
        return record.moved(folder, folder.with_name(record.folder_name))

    def _session(self, block: Block, runs: Sequence[Run], number: int, folder: Path) -> Session:
        cell = runs[0].cell
        return Session(
            self.laboratory,
            self.rates.study_for(block.cells),
            self.design.at(cell),
            block,
            runs,
            number,
            folder,
            self.qualification,
            self.observer,
            self.grid,
        )

    def _groups(self, runs: Sequence[Run]) -> tuple[list[list[Run]], ApartReason | None]:
        """Return groups of runs that run at the same time, and the reason if there are several."""
        if not runs:
            return [], None
        if self.design.at(runs[0].cell).separate:
            return [[run] for run in runs], None
        if why := self._why_apart(runs):
            return [[run] for run in runs], why
        known = self.laboratory.verifier.memory_bytes
        by_name = _named(runs)
        baseline = [name for name, run in by_name.items() if run.cell.contender == self.baseline]
        plan = plan_groups(
            baseline,
            [name for name in by_name if name not in baseline],
            {name: known.get(Place.of(run.cell).placement, 0) for name, run in by_name.items()},
            available_bytes(),
        )
        together = [[by_name[name] for name in group] for group in plan.groups]
        alone = plan.left_out if together else tuple(by_name)
        why_apart = TooLittleMemory(
            together=tuple(baseline),
            contenders=len(by_name),
            groups=len(plan.groups),
            left_out=plan.left_out if plan.groups else (),
            needed_bytes=plan.needed_bytes,
            available_bytes=plan.available_bytes,
        )
        groups = [*together, *([by_name[name]] for name in alone)]
        return groups, None if plan.is_whole else why_apart

    def _why_apart(self, runs: Sequence[Run]) -> TooLittleDisk | None:
        """Return why the store cannot give every contender a database; None if it can."""
        study = self.rates.study
        writing = [run.cell for run in runs if self.laboratory.writes(study, run.cell.workload)]
        if not writing:
            return None
        place = StoreState(writing[0].store, study.workloads[writing[0].workload].state)
        why = self.laboratory.stores.why_no_copies(place, len(writing))
        return TooLittleDisk(why=why) if why else None


def _by_network(runs: Sequence[Run]) -> list[list[Run]]:
    """Group runs by network, since the engine of a session is in a single network."""
    parts: dict[str, list[Run]] = {}
    for run in runs:
        parts.setdefault(run.cell.network, []).append(run)
    return list(parts.values())


def _named(runs: Sequence[Run]) -> dict[str, Run]:
    """Return readable names for the runs of a block, just long enough to distinguish them."""
    by_contender = {run.cell.registration: run for run in runs}
    if len(by_contender) == len(runs):
        return by_contender
    return {run.cell.label: run for run in runs}


def _stamp(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds")
