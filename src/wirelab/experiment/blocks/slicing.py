"""How contenders take turns: the order and the duration of their slices."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, median

from numpy.random import PCG64, Generator

from wirelab.engine.events import SliceRow, Warm
from wirelab.engine.job import Slice, Stop
from wirelab.study import ClosedLoad, Load, OpenLoad, Slices

LEAST_GUARD_S = 0.005
LONGEST_GUARD_S = 5.0
"""Limit for contenders that take seconds to answer: twice their slowest exceeds the block."""

LONGEST_GUARD_SHARE = 0.1
"""Largest guard for a single client, as a share of the slice."""

REHEARSAL, MEASURING = 1, 2
"""Streams of random numbers, so that a longer rehearsal does not change what is measured."""


@dataclass(frozen=True, slots=True)
class SliceShape:
    """How long every slice of a block records: a time, or a number of transactions.

    `guards_us` are the guards by target: the load before a slice, so that the server is already
    busy when the slice begins. `rate_per_s` replaces the targets' own loads.
    """

    seconds: float | None
    transactions: int | None
    guards_us: tuple[int, ...] = ()
    rate_per_s: float | None = None

    @property
    def stop(self) -> Stop:
        """What ends a slice."""
        return Stop(seconds=self.seconds, transactions=self.transactions)


def as_rehearsed(warm: Warm, rows: Sequence[SliceRow]) -> Warm:
    """Return the speed of a target in the second half of its rehearsal, if there was one."""
    later = [row for row in rows[len(rows) // 2 :] if row.transactions]
    means = [row.mean_us for row in later if row.mean_us is not None]
    tails = [row.p99_us for row in later if row.p99_us is not None]
    if not means or not tails:
        return warm
    return warm.model_copy(
        update={
            "seconds": sum(row.recorded_s for row in later),
            "transactions": sum(row.transactions for row in later),
            "mean_us": fmean(means),
            "p99_us": median(tails),
        }
    )


def shape_slices(
    slices: Slices, loads: Sequence[Load], warm: Mapping[int, Warm], parameter_sets: int
) -> SliceShape:
    """Decide how long slices last, from the previous speed of each target.

    All slices have the duration that the slowest target needs for `slices.transactions`, but at
    least `milliseconds`. If that is too long, slices end by count: a slice that ends by time counts
    its last transaction in full, which biases the mean of few transactions by about cv²/n (cv:
    coefficient of variation, n: their number).

    In a closed load, every slice has at least one transaction of each client, however long that
    takes: fewer would record only the front of the queue.
    """
    slowest_s = max(_seconds_per_transaction(loads[at], before) for at, before in warm.items())
    clients = max(load.clients if isinstance(load, ClosedLoad) else 1 for load in loads)
    shape = _shape(slices, slowest_s, parameter_sets, clients)
    guards = tuple(
        _guard_us(load, warm[target], shape, slowest_s) if target in warm else 0
        for target, load in enumerate(loads)
    )
    return replace(shape, guards_us=guards)


def _shape(slices: Slices, slowest_s: float, parameter_sets: int, clients: int) -> SliceShape:
    if slices.repetitions is not None:
        return SliceShape(None, slices.repetitions * parameter_sets)
    requested_s = max(slices.milliseconds / 1000, max(slices.transactions, clients) * slowest_s)
    longest_s = slices.longest_ms / 1000
    if requested_s <= longest_s and not slices.by_count:
        return SliceShape(requested_s, None)
    return SliceShape(None, max(clients, math.floor(min(requested_s, longest_s) / slowest_s)))


class PermutationStream:
    """The permutations of a block, determined by its seed: an endless sequence of slices.

    `place` is the index in the list of transactions at which the next slice by count begins.
    """

    def __init__(self, seed: int, stream: int, parameter_sets: int, place: int = 0) -> None:
        self._random = Generator(PCG64([seed, stream]))
        self._parameter_sets = parameter_sets
        self.place = place % parameter_sets

    def take(self, count: int, targets: Sequence[int], shape: SliceShape) -> Iterator[list[Slice]]:
        """Yield `count` further permutations of these targets.

        All slices of a permutation begin at the same index in the list of transactions. If slices
        end by count, each permutation continues where the last one ended, so that every target
        answers every request; if they end by time, the place is random.
        """
        for _ in range(count):
            order = self._random.permutation(len(targets))
            anywhere = int(self._random.integers(self._parameter_sets))
            first = anywhere if shape.transactions is None else self.place
            seed = int(self._random.integers(2**32))
            self.place = (self.place + (shape.transactions or 0)) % self._parameter_sets
            yield [
                Slice(
                    target=targets[index],
                    first=first,
                    guard_us=shape.guards_us[targets[index]],
                    stop=shape.stop,
                    rate_per_s=shape.rate_per_s,
                    seed=seed,
                )
                for index in order
            ]


def _seconds_per_transaction(load: Load, warm: Warm) -> float:
    """Return the time from one transaction to the next, over all clients together."""
    if isinstance(load, OpenLoad) and load.rate_per_s is not None:
        return 1 / load.rate_per_s
    if isinstance(load, ClosedLoad) and load.think_time_us:
        return ((warm.mean_us or 0.0) + load.think_time_us) / 1e6 / load.clients
    return warm.seconds / max(1, warm.transactions)


def _guard_us(load: Load, warm: Warm, shape: SliceShape, slowest_s: float) -> int:
    """Return how long to send before a slice, so that the server is already busy when it begins.

    For open load, twice the 99th percentile: by then, as many requests wait at the server as later.
    Closed load has all its clients from the start, and its queue is formed when each client was
    served twice. A single client does not queue, and only needs warm caches.
    """
    if not isinstance(load, ClosedLoad):
        requested_s = 2 * (warm.p99_us or 0.0) / 1e6
    else:
        requested_s = 2 * ((warm.mean_us or 0.0) + load.think_time_us) / 1e6
        if load.clients == 1:
            slice_s = shape.seconds or (shape.transactions or 1) * slowest_s
            requested_s = min(requested_s, LONGEST_GUARD_SHARE * slice_s)
    return round(1e6 * max(LEAST_GUARD_S, min(requested_s, LONGEST_GUARD_S)))
