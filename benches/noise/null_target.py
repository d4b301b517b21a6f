"""The load engine at one null server with two targets, which take turns or are alone."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from numpy.random import Generator

from wirelab.engine.events import SliceRow
from wirelab.engine.job import (
    Closed,
    Connections,
    Job,
    Request,
    Slice,
    Stop,
    Target,
    TransactionRounds,
)
from wirelab.lab.processes.cpu import plan_cpus
from wirelab.measure.ceiling import null_server
from wirelab.measure.driver import Engine

CLIENTS = (1, 64)
SLICES = 40
SLICE_S = 0.05
GUARD_US = 5_000
WARM_UP_S = 0.5


@contextmanager
def at_null_server(paths: Sequence[Sequence[str]], clients: int) -> Iterator[Engine]:
    """Connect an engine to a null server: a target for each list of paths, all of them warm."""
    cpus = plan_cpus()
    with (
        TemporaryDirectory(prefix="wirelab-null-") as name,
        null_server("http", cpus.system, Path(name)) as server,
    ):
        folder = Path(name)
        targets = tuple(
            _target(str(number), server.address, own, clients) for number, own in enumerate(paths)
        )
        job = Job(targets=targets, control=True, cpus=cpus.engine, output=folder, samples=False)
        with Engine.start(job, folder) as engine:
            for number in range(len(targets)):
                engine.warm_up(number, seconds=WARM_UP_S)
            yield engine
            engine.finish()


def _target(name: str, address: str, paths: Sequence[str], clients: int) -> Target:
    return Target(
        name=name,
        transport="http1",
        address=address,
        connections=Connections(count=clients),
        pacer=Closed(clients=clients),
        requests=tuple(Request(method="GET", path=path) for path in paths),
        transactions=tuple(
            TransactionRounds(operation="null", rounds=((number,),)) for number in range(len(paths))
        ),
    )


def window() -> list[Slice]:
    """Return one long slice of the first target."""
    return [Slice(target=0, guard_us=GUARD_US, stop=Stop(seconds=SLICES * SLICE_S))]


def turns(random: Generator) -> list[Slice]:
    """Return slices in which both targets take turns, each turn in random order."""
    return [
        Slice(target=int(target), guard_us=GUARD_US, stop=Stop(seconds=SLICE_S))
        for _ in range(SLICES)
        for target in random.permutation(2)
    ]


def cpu_us(rows: Sequence[SliceRow]) -> float:
    """Return what a request cost the engine's workers, those of guards and drains included."""
    known = [row for row in rows if row.transactions]  # of a slice that did not get to run, nothing
    whole = sum(row.transactions / row.share_recorded for row in known)
    return sum(row.engine_cpu_us for row in known) / whole


def rate_per_s(rows: Sequence[SliceRow]) -> float:
    """Return how many requests were answered in a second of the slices' recorded parts."""
    seconds = sum(row.ended_ns - row.started_ns for row in rows) / 1e9
    return sum(row.transactions for row in rows) / seconds
