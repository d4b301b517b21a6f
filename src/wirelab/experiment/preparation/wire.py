"""The fourth stage: how many bytes n transactions on one fresh connection take, by cell."""

import gzip
import itertools
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
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
from wirelab.lab.stores.statement_log import StatementLog
from wirelab.lab.stores.store_manager import StoreState
from wirelab.measure.wire import WireFormat, WireRow, measure_wire
from wirelab.protocol.clients.base import Client, NoReplyError
from wirelab.protocol.clients.client import connect_to
from wirelab.protocol.message import WireRequest
from wirelab.study import Cell, Study, Wire
from wirelab.verify import Plan

OWN = "wire"
"""The name of the database."""
PATIENCE_S = 0.3
"""How long a store may take to begin to log its statements."""


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
        with (
            laboratory.launcher.running(place, database, log_path=log_path) as server,
            laboratory.stores.open(first.store).statements() as log,
        ):
            form = WireFormat.of_this_machine(server.host)
            for cell in sorted(cells, key=lambda cell: laboratory.writes(study, cell.workload)):
                target, plans = _target(laboratory, context.rates.study_for([cell]), cell, server)
                endpoint = laboratory.endpoint(cell.contender, server)
                cycle = count_cycle(endpoint, plans, study.request_timeout_s, log)
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
                    yield _record(cell, row, form, cycle, turns)


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


@dataclass(frozen=True, slots=True)
class CountedCycle:
    """What some transactions take: bytes of all messages, each compressed by gzip; statements.

    None if a reply does not arrive, or if the store does not show its statements.
    """

    gzip_bytes: int | None = None
    statements: int | None = None


def count_cycle(
    endpoint: Endpoint, plans: Sequence[Plan], timeout_s: float, log: StatementLog | None = None
) -> CountedCycle:
    """Send some transactions by a single client; `log` has the store's statements.

    They are sent again if the store has not logged any: it may not have begun to.
    """
    requests = [each.request for plan in plans for together in plan.rounds for each in together]
    try:
        with connect_to(endpoint, timeout_s) as client:
            if log:
                _await_statements(client, requests, log)
            replies = [client.send(request) for request in requests]
    except NoReplyError:
        return CountedCycle()
    statements = None if log is None else len(log.take())
    sent = ((request.body,) * request.send for request in requests)
    received = (reply.items or (reply.body,) for reply in replies)
    bodies = itertools.chain.from_iterable((*sent, *received))
    return CountedCycle(sum(len(gzip.compress(body)) for body in bodies if body), statements)


def _await_statements(client: Client, requests: Sequence[WireRequest], log: StatementLog) -> None:
    """Send requests until the store has logged statements; some have none."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        for request in requests:
            client.send(request)
        if log.take() or time.monotonic() > deadline:
            return


def _record(
    cell: Cell, row: WireRow, form: WireFormat, cycle: CountedCycle, turns: int
) -> WireRecord:
    """Return the row of some turns of a cycle of transactions."""
    counted = asdict(row)
    del counted["connections"]
    return WireRecord(
        contender=cell.contender,
        workload=cell.workload,
        segment_bytes=form.segment_bytes,
        syn_extra_bytes=form.syn_extra_bytes,
        payload_gzip=None if cycle.gzip_bytes is None else turns * cycle.gzip_bytes,
        statements=None if cycle.statements is None else turns * cycle.statements,
        **counted,
    )
