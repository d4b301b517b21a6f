"""Engine cost: what a request costs the load engine in slices, relative to one long window.

Two targets at one null server. A round measures the first of them in one window, and by as much
load in slices that take turns with the second, in random order. The ratio of a round is paired, so
that a machine that slows down slows both parts down.
"""

from collections.abc import Iterator
from itertools import pairwise
from statistics import median

from numpy.random import PCG64, Generator

from benches.noise.conditions import Condition, condition
from benches.noise.null_target import CLIENTS, at_null_server, cpu_us, turns, window
from wirelab.engine.events import SliceRow


def try_engine_cost(name: Condition, rounds: int, seed: int) -> Iterator[dict[str, object]]:
    """Measure so many rounds with one client and with many; yield each as it ends."""
    random = Generator(PCG64(seed))
    with condition(name, seed):
        for clients in CLIENTS:
            yield from _rounds(clients, rounds, random)


def _rounds(clients: int, rounds: int, random: Generator) -> Iterator[dict[str, object]]:
    with at_null_server([["/null"], ["/null"]], clients) as engine:
        for number in range(rounds):
            measured = {}
            for part in random.permutation(["window", "slices"]):
                rows = engine.slices(window() if part == "window" else turns(random))
                measured[part] = [row for row in rows if row.target == 0]
                if part == "slices":
                    between_us = median(_between_us(rows))
            yield {
                "clients": clients,
                "round": number,
                "window_us": cpu_us(measured["window"]),
                "slices_us": cpu_us(measured["slices"]),
                "between_us": between_us,
            }


def _between_us(rows: list[SliceRow]) -> list[float]:
    """Return the time from each slice's end to the next one's guard: counters are read in it."""
    return [
        (after.started_ns - after.guard_ns - before.ended_ns - before.drain_ns) / 1000
        for before, after in pairwise(rows)
    ]
