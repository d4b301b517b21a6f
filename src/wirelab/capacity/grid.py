"""The rates of trials: one grid for all, of which each contender has the lines near its own."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from numpy.random import Generator

STEP = 0.04
"""Neighbouring rates differ by this share."""
OFFSETS = tuple(range(-4, 5))
SHIFT = 4
"""So many lines are gone on where all trials were alike."""
DIGITS = 4


@dataclass
class Grid:
    """Where the trials of each contender lie, from what is known of it."""

    centers: dict[str, int] = field(default_factory=dict)
    found: dict[str, list[float]] = field(default_factory=dict)
    """The capacities of the blocks so far."""

    def begin(self, contender: str, rate: float) -> None:
        """Lay a contender's trials around what the first search has found."""
        self.centers[contender] = _line(rate)

    def rate(self, contender: str, offset: int) -> float:
        """Return the rate of a line near a contender's capacity."""
        rate = math.exp((self.centers[contender] + offset) * math.log1p(STEP))
        return float(f"{rate:.{DIGITS}g}")

    def learn(self, contender: str, rate: float | None, kept: Sequence[bool]) -> None:
        """Move a contender's trials to where the blocks so far say that its capacity is."""
        if rate is not None:
            self.found.setdefault(contender, []).append(math.log(rate))
            logs = self.found[contender]
            self.centers[contender] = _line(math.exp(sum(logs) / len(logs)))
        elif kept and contender not in self.found:
            self.centers[contender] += SHIFT * (all(kept) - (not any(kept)))


def permutations(
    random: Generator, contenders: Sequence[str], repeats: int
) -> list[list[tuple[str, int]]]:
    """Draw the turns of a block: each line so often, in random order, all contenders in each."""
    offsets = [offset for _ in range(repeats) for offset in OFFSETS]
    random.shuffle(offsets)
    turns = []
    for offset in offsets:
        order = random.permutation(len(contenders))
        turns.append([(contenders[place], offset) for place in order])
    return turns


def center_of(lower: float | None, upper: float | None) -> float | None:
    """Return the middle of two bounds, or the one that is known."""
    known = [rate for rate in (lower, upper) if rate is not None]
    return math.exp(sum(map(math.log, known)) / len(known)) if known else None


def _line(rate: float) -> int:
    return round(math.log(rate) / math.log1p(STEP))
