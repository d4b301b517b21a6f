"""The last stage: block after block, each in one session, in overlapping groups, or separately."""

import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from wirelab.bundle import BlockRecord, RunRecord, SessionRecord
from wirelab.bundle.run_reasons import (
    ApartReason,
    Failed,
    RunReason,
    TooLittleDisk,
    TooLittleMemory,
    in_words,
)
from wirelab.engine.errors import AbortedError
from wirelab.errors import LabError, MeasureError
from wirelab.experiment.blocks.queue import BlockQueue
from wirelab.experiment.blocks.session import Session
from wirelab.experiment.context import RunContext
from wirelab.experiment.events import BlockFinished, BlockStarted, Observer
from wirelab.experiment.place import Place
from wirelab.experiment.preparation.recovery import ATTEMPTS, restart_failed_stores
from wirelab.lab.processes.memory import available_bytes, plan_groups
from wirelab.lab.processes.shortage import require_free_port
from wirelab.lab.stores.store_manager import StoreState
from wirelab.planning.schedule import Block, Run
from wirelab.study import Cell


def measure_blocks(context: RunContext) -> None:
    """Run the blocks, and again those that must be repeated.

    Raises `LabError` for a block that broke off twice.
    """
    if not context.usable_cells():
        context.observer = Observer()  # nothing is measured: blocks only record why
    queue = BlockQueue(context.plan, context.bundle, context.observer, context.is_enough)
    while not queue.has_ended():
        block = queue.take()
        assert block is not None, "none is under way, so that one may begin"
        first = context.bundle.next_attempt(block.id)
        attempts: list[BlockRecord] = []
        while not attempts or must_repeat(attempts):
            attempt = first + len(attempts)
            context.observer.on(BlockStarted(block, attempt))
            attempts.append(run_block(context, block, attempt))
            context.observer.on(BlockFinished(attempts[-1]))
        queue.finish(block)


def run_block(context: RunContext, block: Block, attempt: int) -> BlockRecord:
    """Run a block once, and record it with all of its files; return the record.

    Failures of contender, store or engine make runs invalid; they do not raise. Stores that failed
    are restarted. Raises `LabError` if one cannot be.
    """
    folder = context.bundle.partial_block(block.id)
    started, began = datetime.now(UTC), time.monotonic()
    unusable = _unusable(context, block)
    runs = [run for run in block.runs if run.id not in unusable]
    planned = [_groups(context, members) for members in _by_network(runs)]
    sessions: list[SessionRecord] = []
    records: list[RunRecord] = []
    failures: list[RunReason] = []
    groups = [members for together, _ in planned for members in together]
    for number, members in enumerate(groups, start=1):
        session = _session(context, block, members, number, folder / str(number))
        try:
            measured, runs_of_session = session.run()
            if any(run.status == "invalid" for run in runs_of_session):
                require_free_port()
                context.laboratory.stores.require_working()
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
    record = record.moved(folder, folder.with_name(record.folder_name))
    context.bundle.record_block(record)
    restart_failed_stores(context)
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


def _unusable(context: RunContext, block: Block) -> dict[str, RunReason]:
    """Return, by id, why some runs of a block must not be measured."""
    reasons: dict[Cell, RunReason] = {**context.trial_grid.without_capacity, **context.unusable}
    return {run.id: reasons[run.cell] for run in block.runs if run.cell in reasons}


def _session(
    context: RunContext, block: Block, runs: Sequence[Run], number: int, folder: Path
) -> Session:
    return Session(
        context,
        context.rates.study_for(block.cells),
        context.plan.design.at(runs[0].cell),
        block,
        runs,
        number,
        folder,
        context.bundle.qualification,
    )


def _groups(context: RunContext, runs: Sequence[Run]) -> tuple[list[list[Run]], ApartReason | None]:
    """Return groups of runs that run at the same time, and the reason if there are several."""
    if not runs:
        return [], None
    if context.plan.design.at(runs[0].cell).separate:
        return [[run] for run in runs], None
    if why := _why_apart(context, runs):
        return [[run] for run in runs], why
    known = context.laboratory.verifier.memory_bytes
    by_name = _named(runs)
    baseline = [
        name for name, run in by_name.items() if run.cell.contender == context.study.baseline
    ]
    plan = plan_groups(
        baseline,
        [name for name in by_name if name not in baseline],
        {name: known.get(Place.from_cell(run.cell).placement, 0) for name, run in by_name.items()},
        available_bytes(),
    )
    together = [[by_name[name] for name in group] for group in plan.groups]
    alone = plan.left_out if together else tuple(by_name)
    groups = [*together, *([by_name[name]] for name in alone)]
    if plan.is_whole:
        return groups, None
    return groups, TooLittleMemory(
        together=tuple(baseline),
        contenders=len(by_name),
        groups=len(plan.groups),
        left_out=plan.left_out if plan.groups else (),
        needed_bytes=plan.needed_bytes,
        available_bytes=plan.available_bytes,
    )


def _why_apart(context: RunContext, runs: Sequence[Run]) -> TooLittleDisk | None:
    """Return why the store cannot give every contender a database; None if it can."""
    study, laboratory = context.study, context.laboratory
    writing = [run.cell for run in runs if laboratory.writes(study, run.cell.workload)]
    if not writing:
        return None
    place = StoreState(writing[0].store, study.workloads[writing[0].workload].state)
    why = laboratory.stores.why_no_copies(place, len(writing))
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
