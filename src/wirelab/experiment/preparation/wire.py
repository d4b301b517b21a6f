"""The fourth stage: how many bytes n transactions on one fresh connection take, by cell."""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from wirelab.bundle import WireRecord
from wirelab.engine.job import Job, Stop, Target
from wirelab.errors import LabError, MeasureError
from wirelab.experiment.blocks.jobs import engine_target
from wirelab.experiment.blocks.mixing import transactions
from wirelab.experiment.context import RunContext
from wirelab.experiment.events import Note, StageStarted, StepStarted
from wirelab.experiment.laboratory import Laboratory
from wirelab.experiment.place import Place
from wirelab.experiment.preparation.first_cells import first_cells
from wirelab.experiment.preparation.introducing import introduce
from wirelab.lab.contenders.running import RunningContender
from wirelab.lab.stores.store_manager import StoreState
from wirelab.measure.wire import WireFormat, WireRow, measure_wire
from wirelab.study import Cell, Study, Wire

OWN = "wire"
"""The name of the database."""


def count_bytes(context: RunContext) -> None:
    """Count the bytes of every contender and workload once, if the design asks for it."""
    wire = context.plan.design.wire
    if wire is None or context.bundle.wire_records:
        return
    servers = first_cells(context)
    context.observer.on(StageStarted("Counting bytes", len(servers)))
    rows: list[WireRecord] = []
    for (place, state), cells in servers.items():
        what = f"{place.placement.contender}, {state}"
        context.observer.on(StepStarted(what))
        try:
            rows.extend(_count(context, cells, wire))
        except (LabError, MeasureError) as error:
            context.observer.on(Note(f"bytes of {what}: {error}"))
            context.bundle.append_event("bytes not counted", cell=what, reason=str(error))
    context.bundle.write_wire(rows)


def _count(context: RunContext, cells: Sequence[Cell], wire: Wire) -> Iterator[WireRecord]:
    """Count the bytes of some cells with the same place and state, at one server.

    Cells that write come last, so that the others find the state unchanged. Raises `LabError` and
    `MeasureError`.
    """
    laboratory, study, first = context.laboratory, context.study, cells[0]
    place, state = Place.from_cell(first), study.workloads[first.workload].state
    with _folder(laboratory.verifier.logs / f"wire-{place.name}-{state}") as folder:
        database = laboratory.stores.restore(StoreState(first.store, state), [OWN])[OWN].database
        log_path = folder / "contender.log"
        with laboratory.launcher.running(place, database, log_path=log_path) as server:
            form = WireFormat.of_this_machine(server.host)
            for cell in sorted(cells, key=lambda cell: laboratory.writes(study, cell.workload)):
                target = _target(laboratory, context.rates.study_for([cell]), cell, server)
                output = folder / cell.workload
                output.mkdir()
                job = Job(
                    targets=(target,),
                    stop=Stop(transactions=1),
                    cpus=laboratory.cpus.engine,
                    output=output,
                )
                for row in measure_wire(
                    job, output, transactions=wire.transactions, repeats=wire.repeats
                ):
                    yield _record(cell, row, form)


@contextmanager
def _folder(path: Path) -> Iterator[Path]:
    """Create an empty folder; delete it unless something fails, since messages name its logs."""
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    yield path
    shutil.rmtree(path)


def _target(laboratory: Laboratory, study: Study, cell: Cell, server: RunningContender) -> Target:
    plans = transactions(study, laboratory.verifier.plans, cell, seed=0)
    endpoint = laboratory.endpoint(cell.contender, server)
    introduce(endpoint, plans[:1], study.request_timeout_s)
    return engine_target(
        cell.contender,
        plans[:1],  # always the same request, whose bytes are to be counted
        endpoint,
        load=study.loads[cell.load],
        seed=0,
        samples_answers=False,
    )


def _record(cell: Cell, row: WireRow, form: WireFormat) -> WireRecord:
    counted = asdict(row)
    del counted["connections"]
    return WireRecord(
        contender=cell.contender,
        workload=cell.workload,
        segment_bytes=form.segment_bytes,
        syn_extra_bytes=form.syn_extra_bytes,
        **counted,
    )
