"""The rates of trials: one grid for all, of which each contender has the lines near its own."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from numpy.random import Generator

from wirelab.measure.events import CapacityFound
from wirelab.statistics import fit_transition
from wirelab.study import CapacityLoad, Cell

STEP = 0.04
"""Neighbouring rates differ by this share."""
OFFSETS = tuple(range(-(CapacityLoad.RATES // 2), CapacityLoad.RATES // 2 + 1))
SHIFT = 4
"""So many lines are gone on where all trials were alike; twice as many each further time."""
DIGITS = 4

Member = TypeVar("Member", bound=Hashable)


@dataclass
class Grid:
    """Where the trials of each cell lie, from what the blocks so far have shown of it."""

    centers: dict[Cell, int] = field(default_factory=dict)
    found: dict[Cell, list[float]] = field(default_factory=dict)
    """The logarithms of the capacities of the blocks so far."""
    missed: dict[Cell, list[int]] = field(default_factory=dict)
    """The last ways, all up or all down, that were gone because all trials were alike."""
    searches: dict[Cell, CapacityFound] = field(default_factory=dict)
    """How the order of magnitude was found; a twin has the search of its original."""
    hopeless: dict[Cell, str] = field(default_factory=dict)
    """Cells that have no capacity, and why: no further block would show one."""

    def search_of(self, cell: Cell) -> CapacityFound | None:
        """Return how a cell's order of magnitude was found, or that of its original."""
        return self.searches.get(cell) or self.searches.get(replace(cell, twin=False))

    def begin(self, cell: Cell, rate: float) -> None:
        """Lay a cell's trials around what a search has found."""
        self.centers[cell] = _line(rate)

    def rate(self, cell: Cell, offset: int) -> float:
        """Return the rate of a line near a cell's capacity."""
        rate = math.exp((self.centers[cell] + offset) * math.log1p(STEP))
        return float(f"{rate:.{DIGITS}g}")

    def learn(self, cell: Cell, rate: float | None, kept: Sequence[bool]) -> None:
        """Move a cell's trials to where the blocks so far say that its capacity is."""
        if rate is not None:
            self.found.setdefault(cell, []).append(math.log(rate))
            logs = self.found[cell]
            self.centers[cell] = _line(math.exp(sum(logs) / len(logs)))
        elif cell not in self.found and len(set(kept)) == 1:
            way = 1 if kept[0] else -1
            ways = self.missed.setdefault(cell, [])
            if ways and ways[-1] != way:
                ways.clear()
            self.centers[cell] += way * SHIFT * 2 ** len(ways)
            ways.append(way)


def permutations(
    random: Generator, members: Sequence[Member], repeats: int
) -> list[list[tuple[Member, int]]]:
    """Draw the turns of a block: each line so often, in random order, all members in each."""
    offsets = [offset for _ in range(repeats) for offset in OFFSETS]
    random.shuffle(offsets)
    turns = []
    for offset in offsets:
        order = random.permutation(len(members))
        turns.append([(members[place], offset) for place in order])
    return turns


def center_of(found: CapacityFound) -> float:
    """Return the best guess at a capacity that a search allows.

    That is the middle of its bounds, or the one that is known; of a search that ran out of time,
    where its trials begin to be missed, and at worst what some clients got that wait for answers.
    """
    headline = found.goals[0]
    bounds = (headline.lower_per_s, headline.upper_per_s)
    known = [rate for rate in bounds if rate is not None]
    if known:
        return math.exp(sum(map(math.log, known)) / len(known))
    tried = fit_transition(
        [trial.rate_per_s for trial in found.trials], [trial.is_kept for trial in found.trials]
    )
    return tried.rate if tried else max(rung.rate_per_s for rung in found.ladder)


def _line(rate: float) -> int:
    return round(math.log(rate) / math.log1p(STEP))
