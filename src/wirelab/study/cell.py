"""A cell of a study: one combination of levels, which every block measures once."""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass

from wirelab.study.levels import Factor, Where


@dataclass(frozen=True, slots=True)
class Cell:
    """What one run measures. The twin is the baseline contender registered a second time."""

    contender: str
    workload: str
    store: str
    environment: str
    load: str
    twin: bool = False

    @property
    def registration(self) -> str:
        """The contender's label in results: its id, with `~twin` behind it for the twin."""
        return f"{self.contender}~twin" if self.twin else self.contender

    @property
    def label(self) -> str:
        """The cell in words for people: every level it combines."""
        return " · ".join(
            (self.registration, self.workload, self.store, self.environment, self.load)
        )

    def level(self, factor: Factor) -> str:
        """Return this cell's level of a factor."""
        level: str = getattr(self, factor)
        return level

    def matches(self, where: Where) -> bool:
        """Tell whether the cell lies within the levels that `where` names."""
        return all(levels is None or getattr(self, factor) in levels for factor, levels in where)


def cross(levels: Mapping[Factor, tuple[str, ...]], baseline: str) -> list[Cell]:
    """Combine all levels of all factors; each combination of the baseline has a twin."""
    cells = []
    for workload, store, environment, load, contender in itertools.product(
        levels["workload"],
        levels["store"],
        levels["environment"],
        levels["load"],
        levels["contender"],
    ):
        cells.append(Cell(contender, workload, store, environment, load))
        if contender == baseline:
            cells.append(Cell(contender, workload, store, environment, load, twin=True))
    return cells
