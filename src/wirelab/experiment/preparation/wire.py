"""The fourth stage: how many bytes n transactions on one fresh connection take, by cell."""

import gzip
import itertools
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from wirelab.bundle import WireRecord
from wirelab.engine.job import Endpoint, Job, Stop, Target
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
from wirelab.protocol.clients.base import NoReplyError
from wirelab.protocol.clients.client import connect_to
from wirelab.study import Cell, Study, Wire
from wirelab.verify import Plan

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
                target, plans = _target(laboratory, context.rates.study_for([cell]), cell, server)
                endpoint = laboratory.endpoint(cell.contender, server)
                compressed = compressed_bodies(endpoint, plans, study.request_timeout_s)
                output = folder / cell.workload
                output.mkdir()
                job = Job(
                    targets=(target,),
                    stop=Stop(transactions=1),
                    cpus=laboratory.cpus.engine,
                    output=output,
                )
                counts = [count * len(plans) for count in wire.transactions]
                for row in measure_wire(job, output, transactions=counts, repeats=wire.repeats):
                    turns = row.transactions // len(plans)
                    gzip_bytes = None if compressed is None else turns * compressed
                    yield _record(cell, row, form, gzip_bytes)


@contextmanager
def _folder(path: Path) -> Iterator[Path]:
    """Create an empty folder; delete it unless something fails, since messages name its logs."""
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    yield path
    shutil.rmtree(path)


def _target(
    laboratory: Laboratory, study: Study, cell: Cell, server: RunningContender
) -> tuple[Target, tuple[Plan, ...]]:
    """Return what is sent: always the same transaction, but of a mix a whole cycle."""
    plans = transactions(study, laboratory.verifier.plans, cell, seed=0)
    if not study.workloads[cell.workload].mix:
        plans = plans[:1]
    endpoint = laboratory.endpoint(cell.contender, server)
    introduce(endpoint, plans, study.request_timeout_s)
    target = engine_target(
        cell.contender,
        plans,
        endpoint,
        load=study.loads[cell.load],
        seed=0,
        samples_answers=False,
    )
    return target, plans


def compressed_bodies(endpoint: Endpoint, plans: Sequence[Plan], timeout_s: float) -> int | None:
    """Return the bytes of all messages of some transactions, each compressed by gzip.

    None if a reply does not arrive.
    """
    requests = [each.request for plan in plans for together in plan.rounds for each in together]
    try:
        with connect_to(endpoint, timeout_s) as client:
            replies = [client.send(request) for request in requests]
    except NoReplyError:
        return None
    sent = ((request.body,) * request.send for request in requests)
    received = (reply.items or (reply.body,) for reply in replies)
    bodies = itertools.chain.from_iterable((*sent, *received))
    return sum(len(gzip.compress(body)) for body in bodies if body)


def _record(cell: Cell, row: WireRow, form: WireFormat, gzip_bytes: int | None) -> WireRecord:
    counted = asdict(row)
    del counted["connections"]
    return WireRecord(
        contender=cell.contender,
        workload=cell.workload,
        segment_bytes=form.segment_bytes,
        syn_extra_bytes=form.syn_extra_bytes,
        payload_gzip=gzip_bytes,
        **counted,
    )
