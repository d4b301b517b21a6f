"""Engine cost: what a request costs the load engine in slices, relative to one long window.

Two targets at one null server. A round measures the first of them in one window, and by as much
load in slices that take turns with the second, in random order. The ratio of a round is paired, so
that a machine that slows down slows both parts down.
"""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from numpy.random import PCG64, Generator

from benches.noise.conditions import Condition, condition
from wirelab.lab.cpu import plan_cpus
from wirelab.measure.ceiling import null_server
from wirelab.measure.engine import Engine
from wirelab.measure.events import SliceRow
from wirelab.measure.job import (
    Closed,
    Connections,
    Job,
    Request,
    Slice,
    Stop,
    Target,
    Transaction,
)

CLIENTS = (1, 64)
SLICES = 40
SLICE_S = 0.05
GUARD_US = 5_000


def try_engine_cost(name: Condition, rounds: int, seed: int) -> Iterator[dict[str, object]]:
    """Measure so many rounds with one client and with many; yield each as it ends."""
    random = Generator(PCG64(seed))
    with condition(name, seed):
        for clients in CLIENTS:
            yield from _rounds(clients, rounds, random)


def _rounds(clients: int, rounds: int, random: Generator) -> Iterator[dict[str, object]]:
    cpus = plan_cpus()
    with (
        TemporaryDirectory(prefix="wirelab-cost-") as name,
        null_server("http", cpus.system, Path(name)) as server,
    ):
        folder = Path(name)
        targets = tuple(_target(which, server.address, clients) for which in ("a", "b"))
        job = Job(targets=targets, control=True, cpus=cpus.engine, output=folder, samples=False)
        with Engine.start(job, folder) as engine:
            for target in range(len(targets)):
                engine.warm_up(target, seconds=0.5)
            for number in range(rounds):
                measured = {}
                for part in random.permutation(["window", "slices"]):
                    rows = engine.slices(_window() if part == "window" else _turns(random))
                    measured[part] = [row for row in rows if row.target == 0]
                    if part == "slices":
                        between_us = median(_between_us(rows))
                yield {
                    "clients": clients,
                    "round": number,
                    "window_us": _cpu_us(measured["window"]),
                    "slices_us": _cpu_us(measured["slices"]),
                    "between_us": between_us,
                }
            engine.finish()


def _target(name: str, address: str, clients: int) -> Target:
    return Target(
        name=name,
        transport="http1",
        address=address,
        connections=Connections(count=clients),
        pacer=Closed(clients=clients),
        requests=(Request(method="GET", path="/null"),),
        transactions=(Transaction(operation="null", rounds=((0,),)),),
    )


def _window() -> list[Slice]:
    return [Slice(target=0, guard_us=GUARD_US, stop=Stop(seconds=SLICES * SLICE_S))]


def _turns(random: Generator) -> list[Slice]:
    return [
        Slice(target=int(target), guard_us=GUARD_US, stop=Stop(seconds=SLICE_S))
        for _ in range(SLICES)
        for target in random.permutation(2)
    ]


def _cpu_us(rows: list[SliceRow]) -> float:
    """Return what a request cost the engine's workers, those of guards and drains included."""
    whole = sum(row.transactions / row.share_recorded for row in rows)
    return sum(row.engine_cpu_us for row in rows) / whole


def _between_us(rows: list[SliceRow]) -> list[float]:
    """Return the time from each slice's end to the next one's guard: counters are read in it."""
    return [
        (after.started_ns - after.guard_ns - before.ended_ns - before.drain_ns) / 1000
        for before, after in pairwise(rows)
    ]
