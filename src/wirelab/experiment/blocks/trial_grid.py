"""The rates of trials: one grid for all; each contender uses the lines near its capacity."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from numpy.random import Generator

from wirelab.bundle.run_reasons import NoCapacity
from wirelab.engine.errors import NoCapacityError
from wirelab.engine.events import CapacityFound
from wirelab.statistics import fit_transition
from wirelab.study import CapacityLoad, Cell

STEP = 0.04
"""Neighbouring rates differ by this share."""
OFFSETS = tuple(range(-(CapacityLoad.RATES // 2), CapacityLoad.RATES // 2 + 1))
BEYOND = 10
"""Maximum number of further lines on one side, where all trials on the grid had the same outcome:
up to 1.7 times the rate of the middle, or down to 0.6 times."""
SHIFT = 4
"""Number of lines to move if all trials had the same outcome; it doubles each further time."""
DIGITS = 4
WIDEST = 8
"""The most lines between neighbouring rates."""

Member = TypeVar("Member", bound=Hashable)


@dataclass
class TrialGrid:
    """The position of each cell's trials, from the results of previous blocks."""

    centers: dict[Cell, int] = field(default_factory=dict)
    capacities: dict[Cell, list[float]] = field(default_factory=dict)
    """The logarithms of the capacities in previous blocks."""
    spreads: dict[Cell, int] = field(default_factory=dict)
    """How many lines neighbouring rates are apart: more where disturbed trials ended either way."""
    missed: dict[Cell, list[int]] = field(default_factory=dict)
    """The latest blocks in a row whose trials all had the same outcome: 1 if they met the
    objective, or else -1."""
    searches: dict[Cell, CapacityFound] = field(default_factory=dict)
    """The searches for the order of magnitude; a twin uses the search of its original."""
    approached: set[Cell] = field(default_factory=set)
    """The cells whose trials were moved to where outcomes change, before their first turns."""
    without_capacity: dict[Cell, NoCapacity] = field(default_factory=dict)
    """Cells without a capacity, with the reason: no further block would show one."""

    def search_of(self, cell: Cell) -> CapacityFound | None:
        """Return the search for a cell's order of magnitude, or that of its original."""
        return self.searches.get(cell) or self.searches.get(replace(cell, twin=False))

    def begin(self, cell: Cell, rate: float) -> None:
        """Place a cell's trials around the rate that a search has found."""
        self.centers[cell] = _line(rate)

    def rate(self, cell: Cell, offset: int) -> float:
        """Return the rate at an offset from a cell's capacity."""
        line = self.centers[cell] + offset * self.spreads.get(cell, 1)
        rate = math.exp(line * math.log1p(STEP))
        return float(f"{rate:.{DIGITS}g}")

    def learn(self, cell: Cell, rate: float | None, kept: Sequence[bool]) -> None:
        """Move a cell's trials to its capacity according to all blocks so far.

        A block whose trials all had the same outcome moves them further, but after a block with a
        capacity, only the second such block in a row does. One whose trials ended either way at
        all rates spreads them.
        """
        if rate is not None:
            self.missed.pop(cell, None)
            self.capacities.setdefault(cell, []).append(math.log(rate))
            logs = self.capacities[cell]
            self.centers[cell] = _line(math.exp(sum(logs) / len(logs)))
        elif len(set(kept)) == 1:
            way = 1 if kept[0] else -1
            ways = self.missed.setdefault(cell, [])
            if ways and ways[-1] != way:
                ways.clear()
            ways.append(way)
            moves = len(ways) - (1 if cell in self.capacities else 0)
            if moves:
                self.centers[cell] += way * SHIFT * 2 ** (moves - 1)
        else:
            self.spreads[cell] = min(WIDEST, 2 * self.spreads.get(cell, 1))


def permutations(
    random: Generator, members: Sequence[Member], repeats: int
) -> list[list[tuple[Member, int]]]:
    """Draw the turns of a block: each line `repeats` times, in random order, with all members."""
    offsets = [offset for _ in range(repeats) for offset in OFFSETS]
    random.shuffle(offsets)
    turns = []
    for offset in offsets:
        order = random.permutation(len(members))
        turns.append([(members[place], offset) for place in order])
    return turns


def center_of(search: CapacityFound) -> float:
    """Return the best estimate of a capacity from a search.

    That is the middle of its bounds, or the only known bound. If the search ran out of time, it is
    the rate at which trials begin to miss the objective, or at worst the rate of closed load.
    Raises `NoCapacityError` if even closed load had no success: there is no rate to try.
    """
    headline = search.goals[0]
    bounds = (headline.lower_per_s, headline.upper_per_s)
    known = [rate for rate in bounds if rate is not None]
    if known:
        return math.exp(sum(map(math.log, known)) / len(known))
    tried = fit_transition(
        [trial.rate_per_s for trial in search.trials], [trial.is_kept for trial in search.trials]
    )
    if tried:
        return tried.rate
    best = max(rung.rate_per_s for rung in search.ladder)
    if best == 0.0:
        raise NoCapacityError(
            "closed load had no successful transaction, so there is no rate to try"
        )
    return best


def _line(rate: float) -> int:
    return round(math.log(rate) / math.log1p(STEP))
