"""The first stage: build contenders, open proxies and networks, start stores, prepare states."""

from collections.abc import Mapping, Sequence

from wirelab.bundle.run_reasons import Failed, NotReachable, RunReason, Unavailable
from wirelab.errors import LabError
from wirelab.experiment.context import RunContext
from wirelab.experiment.events import Note, StageStarted, StepStarted
from wirelab.experiment.place import Place, Placement
from wirelab.experiment.preparation.contender_records import contender_records
from wirelab.lab.contenders.contender import Contender
from wirelab.lab.environments.kinds import is_native
from wirelab.lab.stores.store_manager import StoreState
from wirelab.study import NO_NETWORK, NO_PROXY, Cell


def set_up(context: RunContext) -> None:
    """Check the domain, build contenders, start stores, prepare states.

    Raises `LabError`, and `ProblemsError` for a mistake of the domain before anything is built.
    """
    cells, laboratory, observer = context.plan.schedule.cells, context.laboratory, context.observer
    workloads, domain = context.study.workloads, laboratory.domain
    placements = dict.fromkeys(Place.from_cell(cell).placement for cell in cells)
    proxies = [name for name in dict.fromkeys(cell.proxy for cell in cells) if name != NO_PROXY]
    networks = [
        name for name in dict.fromkeys(cell.network for cell in cells) if name != NO_NETWORK
    ]
    states = dict.fromkeys((cell.store, workloads[cell.workload].state) for cell in cells)
    steps = len(placements) + len(proxies) + len(networks) + len(states)
    observer.on(StageStarted("Setting up", steps + bool(domain.data.generator)))
    if domain.data.generator:  # first, since its mistakes make everything else useless
        observer.on(StepStarted(f"rows of {domain.name}"))
        laboratory.verifier.require_consistent(context.workloads_of(cells))
    for placement in placements:
        _build(context, placement)
    for proxy in proxies:
        _open_proxy(context, proxy)
    for network in networks:
        _open_network(context, network)
    for store, state in states:
        observer.on(StepStarted(f"{store}: state {state}" if state else store))
        laboratory.stores.prepare(StoreState(store, state))
    builder, bundle = laboratory.builder, context.bundle
    bundle.write_contenders(contender_records(context.plan, builder.versions()))
    bundle.write_environments(builder.facts())
    bundle.append_event("standing", unusable=len(context.unusable))


def _build(context: RunContext, placement: Placement) -> None:
    """Build a contender, or leave it out."""
    what = f"{placement.contender} for {placement.environment}"
    is_external = context.plan.contenders[placement.contender].address is not None
    doing = f"finding the address of {placement.contender}" if is_external else f"building {what}"
    context.observer.on(StepStarted(doing))
    reason: RunReason | None = None
    try:
        if cannot := context.laboratory.builder.build(placement):
            reason = Unavailable(what=cannot)
    except LabError as error:
        reason = Failed.from_error(error)
    if reason:
        cells = context.plan.schedule.cells
        there = [cell for cell in cells if Place.from_cell(cell).placement == placement]
        context.leave_out_for_now(there, reason, what)


def _open_proxy(context: RunContext, proxy: str) -> None:
    """Open a proxy, or leave out what is behind it."""
    context.observer.on(StepStarted(f"proxy {proxy}"))
    try:
        context.laboratory.builder.open_proxy(proxy)
    except LabError as error:
        behind = [cell for cell in context.plan.schedule.cells if cell.proxy == proxy]
        what = f"everything behind {proxy}"
        context.leave_out_for_now(behind, Failed.from_error(error), what)


def _open_network(context: RunContext, name: str) -> None:
    """Try a network's emulation; leave out cells that cannot be reached over it."""
    context.observer.on(StepStarted(f"network {name}"))
    over = [cell for cell in context.plan.schedule.cells if cell.network == name]
    network, laboratory = context.study.network(name), context.laboratory
    try:
        if network is not None:
            warning = laboratory.builder.open_network(name, network, laboratory.cpus)
            if warning:
                context.observer.on(Note(f"network {name}: {warning}"))
    except LabError as error:
        context.leave_out_for_now(over, Failed.from_error(error), f"everything over {name}")
        return
    for what, cells in beyond_links(context.plan.contenders, over).items():
        context.announce_left_out(cells, NotReachable(), f"{what} over {name}")


def beyond_links(
    contenders: Mapping[str, Contender], cells: Sequence[Cell]
) -> dict[str, list[Cell]]:
    """Find the cells that no link can reach: external servers, and those in containers."""
    beyond: dict[str, list[Cell]] = {}
    for cell in cells:
        if contenders[cell.contender].address is not None:
            beyond.setdefault(cell.contender, []).append(cell)
        elif not is_native(cell.environment):
            beyond.setdefault(f"{cell.contender} in {cell.environment}", []).append(cell)
    return beyond
