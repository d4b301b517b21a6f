"""The capacities of contenders before the blocks, of which an open load can be a share."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

from wirelab.bundle import PilotRecord
from wirelab.bundle.run_reasons import Failed, in_words
from wirelab.engine.result import RESULT, EngineResult
from wirelab.errors import LabError, MeasureError
from wirelab.experiment.blocks.session import Session
from wirelab.experiment.context import RunContext
from wirelab.experiment.events import Note, StageStarted, StepStarted
from wirelab.experiment.preparation.rates import Rates, with_loads
from wirelab.experiment.preparation.recovery import ATTEMPTS, restart_failed_stores
from wirelab.planning.schedule import Block, Run, Schedule, needs_pilot
from wirelab.study import Cell, ClosedLoad, Study, Window

WINDOW = Window(seconds=2.0)
"""How long to measure a capacity if the design has slices."""


def find_capacities(context: RunContext, finished: Collection[str]) -> None:
    """Measure the capacity of contenders if a load is a share of it. Raises `LabError`.

    `finished`: ids of blocks that are not run again.
    """
    study, bundle, records = context.study, context.bundle, list(context.bundle.pilot_records)
    pending = pending_pilots(study, context.plan.schedule, records, finished)
    cells = {number: cell for number, cell in pending.items() if cell not in context.unusable}
    if cells:
        context.observer.on(StageStarted("Finding capacities", len(cells)))
    for number, cell in cells.items():
        record = _find_capacity(context, number, cell)
        if record is not None:
            records.append(record)
            bundle.write_pilot(records)
    context.rates = Rates.from_records(study, records)


def pending_pilots(
    study: Study, schedule: Schedule, records: Sequence[PilotRecord], finished: Collection[str]
) -> dict[int, Cell]:
    """Return the cells whose capacity is still to be measured, by number among all with a pilot.

    `finished`: ids of blocks that are not run again. A group with such blocks keeps its rate, so
    contenders that join it later are not measured.
    """
    rates = Rates.from_records(study, records)
    known = {record.cell for record in records}
    for block in schedule.blocks:
        if block.id in finished:
            at_its_rate = rates.study_for(block.cells)
            known.update(cell for cell in block.cells if not needs_pilot(at_its_rate, cell))
    needed = [cell for cell in schedule.cells if needs_pilot(study, cell)]
    return {number: cell for number, cell in enumerate(needed, start=1) if cell not in known}


def _find_capacity(context: RunContext, number: int, cell: Cell) -> PilotRecord | None:
    """Measure one capacity in at most two attempts; a contender without one is left out.

    Raises `LabError` if the store or the network fails twice.
    """
    context.observer.on(StepStarted(f"{cell.contender}, {cell.workload}"))
    name = f"pilot-{number:03}-{cell.registration}-{cell.workload}-{cell.load}"
    run = Run(name, 0, cell)
    failure: LabError | MeasureError
    for attempt in range(1, ATTEMPTS + 1):
        folder = context.bundle.path / "pilot" / f"{name}.attempt-{attempt}"
        try:
            return measure_capacity(context, run, folder)
        except (LabError, MeasureError) as error:
            failure = error
        restart_failed_stores(context)
    if isinstance(failure, LabError):
        raise failure
    context.observer.on(Note(f"{cell.label} is left out: {failure}"))
    context.leave_out((cell, replace(cell, twin=True)), Failed.from_error(failure))
    return None


def measure_capacity(context: RunContext, run: Run, folder: Path) -> PilotRecord:
    """Measure closed load with as many clients as the open load has connections.

    It is measured separately, from the same state, after the same warm-up; its files are written to
    `folder`. Raises `LabError`, and `MeasureError` if the measurement is invalid.
    """
    load = context.study.loads[run.cell.load]
    clients = load.clients if isinstance(load, ClosedLoad) else load.connections
    closed = ClosedLoad(
        kind="closed",
        title=load.title,
        clients=clients,
        reuse_connections=load.reuse_connections,
    )
    own = context.plan.design.at(run.cell)
    apart = own.model_copy(update={"separate": True, "window": own.window or WINDOW})
    session = Session(
        context,
        with_loads(context.study, {run.cell.load: closed}),
        apart,
        Block(run.id, 0, 0, "pilot", (run,), context.plan.schedule.seed),
        (run,),
        1,
        folder,
    )
    _, (record,) = session.run()
    if record.status != "valid":
        raise MeasureError(f"cannot measure its capacity: {in_words(record.reasons)}")
    result = EngineResult.read(folder / RESULT).only
    return PilotRecord(
        cell=run.cell,
        clients=clients,
        transactions=result.counts.transactions,
        throughput_per_s=result.throughput_per_s,
        latency_mean_us=result.latency_us.response.mean,
    )
