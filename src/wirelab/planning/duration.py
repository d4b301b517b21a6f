"""How long measuring takes: an estimate for people, based on the study's files."""

import os
from collections.abc import Mapping, Sequence

from wirelab.study import CapacityLoad, Cell, ClosedLoad, Design, Load, OpenLoad, Study, Workload

START_SECONDS = 0.8
"""Time until a contender is ready, if its stack declares none."""

AROUND_SECONDS = 0.2
"""Overhead of a run besides start and measurement: restore, connect, stop, record."""

SERVED_AT_ONCE = 10
"""How many users a server serves at the same time, typically the size of its pool of connections
to the store; the others wait in a queue."""

TRIAL_SECONDS = 1.0
"""Duration of a trial, unless the load declares it; slow contenders get longer ones."""

WITH_GUARD = 1.1
"""Duration of a trial with its guard, as a multiple of its own."""

AROUND_SLICE_SECONDS = 0.008
"""Least overhead of a slice: guard, draining, counters."""

AROUND_SLICE_SHARE = 0.1
"""Overhead of a longer slice of a single client, as a share: guard, and the last transaction."""

AROUND_SLICE_TRANSACTIONS = 1.5
"""Least overhead of a slice, in transactions of one client: one in the guard, and half of the last
one, which a slice that ends by time waits for."""


def block_seconds(
    study: Study, design: Design, cells: Sequence[Cell], start_seconds: Mapping[str, float]
) -> float:
    """Estimate how long one block takes; `start_seconds` by contender, as far as known."""
    if not cells:
        return 0.0
    starts = sum(start_seconds.get(cell.contender, START_SECONDS) for cell in cells)
    # Contenders start together, on all CPUs but the engine's.
    at_once = (
        1 if design.at(cells[0]).separate else max(1, min(len(cells), (os.cpu_count() or 1) - 1))
    )
    return (
        starts / at_once
        + AROUND_SECONDS * len(cells)
        + sum(_warm_up_seconds(study, design.at(cell), cell) for cell in cells)
        + sum(_measured_seconds(study, design.at(cell), cell) for cell in cells)
    )


def _warm_up_seconds(study: Study, design: Design, cell: Cell) -> float:
    warm_up, workload = design.warm_up, _with_all_its_sets(study, cell.workload)
    count = warm_up.transactions_of(workload.parameter_sets)
    load = study.loads[cell.load]
    one = _seconds_per_transaction(load, workload)
    # If the design sets a duration, a second part with half of the transactions follows.
    parts = (count, count // 2) if warm_up.seconds else (count,)
    each = warm_up.seconds / len(parts)
    rehearsal = 0.0
    if warm_up.longest_seconds and not design.separate:
        # On a noisy machine few contenders are found steady before time is over.
        rehearsal = max(warm_up.longest_seconds, _slice_seconds(design, workload, load, one))
    return sum(max(each, part * one) for part in parts) + rehearsal


def _measured_seconds(study: Study, design: Design, cell: Cell) -> float:
    load, workload = study.loads[cell.load], _with_all_its_sets(study, cell.workload)
    one = _seconds_per_transaction(load, workload)
    if design.separate and design.window is not None:
        window = design.window
        counted = window.transactions_of(workload.parameter_sets)
        each = window.transactions_per_client
        ends = (
            window.seconds,
            counted and counted * one,
            each and each * workload.transaction_seconds,
        )
        return max(workload.transaction_seconds, min(end for end in ends if end is not None))
    turns = design.slices.permutations * _slice_seconds(design, workload, load, one)
    return _trials_seconds(load) + turns


def _trials_seconds(load: Load) -> float:
    """Estimate the duration of a contender's trials, without the search of the first block."""
    if not isinstance(load, CapacityLoad):
        return 0.0
    trials = load.RATES * load.repeats + len(load.OVERLOADS)
    return trials * WITH_GUARD * (load.trial_seconds or TRIAL_SECONDS)


def search_seconds(study: Study, cell: Cell) -> float:
    """Return the maximum duration of a contender's capacity search; a twin needs no search."""
    load = study.loads[cell.load]
    return load.search_seconds if isinstance(load, CapacityLoad) and not cell.twin else 0.0


def _slice_seconds(design: Design, workload: Workload, load: Load, one: float) -> float:
    """Estimate the duration of a slice with everything around it."""
    slices = design.slices
    clients = load.clients if isinstance(load, ClosedLoad) else 1
    if slices.repetitions is not None:
        one_slice = slices.repetitions * workload.parameter_sets * one
    else:
        requested_s = max(slices.milliseconds / 1000, max(slices.transactions, clients) * one)
        one_slice = max(clients * one, min(requested_s, slices.longest_ms / 1000))
    if clients > 1:
        # The guard of a queue lasts for two response times, draining it for another.
        return one_slice + 3 * clients * one + AROUND_SLICE_SECONDS
    return one_slice + around_slice_seconds(one_slice, one)


def around_slice_seconds(slice_seconds: float, transaction_seconds: float) -> float:
    """Estimate the overhead of a slice of a single client."""
    return max(
        AROUND_SLICE_SECONDS,
        AROUND_SLICE_SHARE * slice_seconds,
        AROUND_SLICE_TRANSACTIONS * transaction_seconds,
    )


def _seconds_per_transaction(load: Load, workload: Workload) -> float:
    """Estimate the time from one transaction to the next of the whole load."""
    if isinstance(load, ClosedLoad):
        each = (workload.transaction_seconds + load.think_time_us / 1e6) / load.clients
        return max(each, workload.transaction_seconds / SERVED_AT_ONCE)
    if isinstance(load, CapacityLoad):
        return 2 * workload.transaction_seconds / SERVED_AT_ONCE
    if isinstance(load, OpenLoad):
        share = load.share_of_capacity or 1.0
        return 1 / load.rate_per_s if load.rate_per_s else workload.transaction_seconds / share
    return 2 / (load.from_rate_per_s + load.to_rate_per_s)


def _with_all_its_sets(study: Study, workload: str) -> Workload:
    """Return a workload with the parameter sets of all workloads that it combines."""
    sets = sum(study.parts(workload).values())
    return study.workloads[workload].model_copy(update={"parameter_sets": sets})
