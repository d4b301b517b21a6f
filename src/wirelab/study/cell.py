"""A cell of a study: one combination of levels, which every block measures once."""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, replace

from wirelab.study.levels import NO_NETWORK, NO_PROXY, Factor, Where


@dataclass(frozen=True, slots=True)
class Cell:
    """What one run measures. The twin is the baseline contender, registered a second time."""

    contender: str
    workload: str
    store: str
    environment: str
    load: str
    proxy: str = NO_PROXY
    network: str = NO_NETWORK
    twin: bool = False

    @property
    def registration(self) -> str:
        """The contender's label in results: its id, followed by `~twin` for the twin."""
        return f"{self.contender}~twin" if self.twin else self.contender

    @property
    def label(self) -> str:
        """The cell in words: every level that it combines."""
        levels = [self.registration, self.workload, self.store, self.environment, self.load]
        if self.proxy != NO_PROXY:
            levels.append(self.level_title("proxy"))
        if self.network != NO_NETWORK:
            levels.append(self.level_title("network"))
        return " · ".join(levels)

    def level(self, factor: Factor) -> str:
        """Return this cell's level of a factor."""
        level: str = getattr(self, factor)
        return level

    def level_title(self, factor: Factor) -> str:
        """Return the level of a factor in words that are clear without the factor's name."""
        if factor == "proxy":
            return "no proxy" if self.proxy == NO_PROXY else f"behind {self.proxy}"
        if factor == "network":
            return self.network if self.network == NO_NETWORK else f"over {self.network}"
        return self.level(factor)

    @property
    def place(self) -> str:
        """Where the contender runs, in words: environment, proxy in front of it, and network."""
        proxy = () if self.proxy == NO_PROXY else (self.level_title("proxy"),)
        network = () if self.network == NO_NETWORK else (self.level_title("network"),)
        return ", ".join((self.environment, *proxy, *network))

    def shares_bytes(self, other: "Cell") -> bool:
        """Return whether one count of bytes holds for both: same contender and workload."""
        return (self.contender, self.workload) == (other.contender, other.workload)

    def matches(self, where: Where) -> bool:
        """Return whether the cell is within the levels of `where`."""
        return all(levels is None or getattr(self, factor) in levels for factor, levels in where)


def cross(levels: Mapping[Factor, tuple[str, ...]], baseline: str) -> list[Cell]:
    """Combine all levels of all factors, and add a twin to each combination of the baseline."""
    cells = []
    for workload, store, environment, load, proxy, network, contender in itertools.product(
        levels["workload"],
        levels["store"],
        levels["environment"],
        levels["load"],
        levels["proxy"],
        levels["network"],
        levels["contender"],
    ):
        cell = Cell(contender, workload, store, environment, load, proxy, network)
        cells.append(cell)
        if contender == baseline:
            cells.append(replace(cell, twin=True))
    return cells
