"""The fifth stage: the calls between a contender's services per transaction, and their bytes."""

from collections.abc import Iterator, Sequence

from wirelab.bundle import CallRecord
from wirelab.errors import LabError, MeasureError
from wirelab.experiment.blocks.mixing import transactions
from wirelab.experiment.context import RunContext
from wirelab.experiment.events import Note, StageStarted, StepStarted
from wirelab.experiment.place import Place
from wirelab.experiment.preparation.first_cells import first_cells
from wirelab.lab.environments.kinds import is_native
from wirelab.lab.network.relay import Relays
from wirelab.lab.stores.store_manager import StoreState
from wirelab.protocol.clients.base import Client, NoReplyError
from wirelab.protocol.clients.client import connect_to
from wirelab.study import Cell
from wirelab.verify import Plan

OWN = "calls"
"""The name of the database."""
REPEATS = 5
"""Counted repetitions; a first transaction opens the connections."""


def count_calls(context: RunContext) -> None:
    """Count the calls between services, for native contenders with several services."""
    built = context.laboratory.builder.built
    servers = {
        (place, state): cells
        for (place, state), cells in first_cells(context).items()
        if is_native(place.placement.environment) and built[place.placement].contender.services
    }
    if not servers or context.bundle.call_records:
        return
    context.observer.on(StageStarted("Counting calls between services", len(servers)))
    rows: list[CallRecord] = []
    for (place, state), cells in servers.items():
        what = f"{place.placement.contender}, {state}"
        context.observer.on(StepStarted(what))
        try:
            rows.extend(_count_at(context, place, cells))
        except (LabError, MeasureError) as error:
            context.observer.on(Note(f"calls of {what}: {error}"))
            context.bundle.append_event("calls not counted", cell=what, reason=str(error))
    context.bundle.write_calls(rows)


def _count_at(context: RunContext, place: Place, cells: Sequence[Cell]) -> Iterator[CallRecord]:
    """Count the calls of some cells with the same place and state, at one server.

    The server is started for this purpose, and its services call each other through relays; in the
    measurement, services call each other directly. Raises `LabError`, and `MeasureError` if a
    transaction is not answered.
    """
    laboratory, study, first = context.laboratory, context.study, cells[0]
    own = StoreState(first.store, study.workloads[first.workload].state)
    database = laboratory.stores.restore(own, [OWN])[OWN].database
    log_path = laboratory.verifier.logs / f"calls-{place.name}-{own.state}.log"
    launcher = laboratory.launcher
    with (
        Relays() as relays,
        launcher.running(place, database, log_path=log_path, between=relays.between) as server,
        connect_to(laboratory.endpoint(first.contender, server), timeout_s=10.0) as client,
    ):
        for cell in sorted(cells, key=lambda cell: laboratory.writes(study, cell.workload)):
            plans = transactions(study, laboratory.verifier.plans, cell, seed=0)
            yield from _count(cell, plans, client, relays)


def _count(
    cell: Cell, plans: Sequence[Plan], client: Client, relays: Relays
) -> Iterator[CallRecord]:
    """Run the largest transaction of a workload several times, after a first one."""
    plan = max(plans, key=lambda plan: plan.leaves)
    _send(plan, client)
    relays.take()
    for _ in range(REPEATS):
        _send(plan, client)
    for (caller, service), passed in relays.take().items():
        if passed.calls:
            yield CallRecord(
                contender=cell.contender,
                workload=cell.workload,
                caller=caller,
                service=service,
                calls=passed.calls / REPEATS,
                sent_bytes=passed.sent / REPEATS,
                received_bytes=passed.received / REPEATS,
            )


def _send(plan: Plan, client: Client) -> None:
    for planned in (each for round_ in plan.rounds for each in round_):
        try:
            reply = client.send(planned.request)
        except NoReplyError as error:
            raise MeasureError(f"cannot count calls: {plan.operation}: {error}") from error
        if planned.expectation.status not in (None, reply.status):
            raise MeasureError(
                f"cannot count calls: {plan.operation} was answered with {reply.status},"
                f" not {planned.expectation.status}"
            )
