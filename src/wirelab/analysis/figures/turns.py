"""The slices of sessions: the order of turns, their times, and the time stolen by the host."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from wirelab.study import OF_ITEMS, Cell, ClosedLoad, Load

CELL_COLUMNS = [field.name for field in fields(Cell)]


@dataclass(frozen=True)
class SessionTurns:
    """The recorded slices of cells that ran at the same time.

    `table` has one row per slice, with its cell in the column `cell`.
    """

    block: int
    group: str
    session: int
    table: pd.DataFrame
    loads: Mapping[str, Load]

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """The cells that took turns."""
        return tuple(dict.fromkeys(self.table["cell"]))

    def logs(self, metric: str, cell: Cell) -> NDArray[np.float64]:
        """Return ln of a metric by permutation, for a cell; NaN without a value."""
        return self._logs[metric][cell]

    def log_ratios(self, metric: str, a: Cell, b: Cell) -> NDArray[np.float64]:
        """Return ln(A/B) of a metric by permutation."""
        return self.logs(metric, a) - self.logs(metric, b)

    def log_times(self, metric: str) -> NDArray[np.float64]:
        """Return ln of a metric: a row per permutation, a column per cell in `cells`' order."""
        return np.column_stack([self.logs(metric, cell) for cell in self.cells])

    @cached_property
    def order(self) -> NDArray[np.int64]:
        """The order of turns: a row per permutation, with the columns of `log_times` in order."""
        permutations, cells = self._permutations, self._cell_places
        in_turn = np.lexsort((self.table["position"], permutations))
        is_whole = (np.bincount(permutations) == len(self.cells))[permutations[in_turn]]
        order: NDArray[np.int64] = cells[in_turn][is_whole].reshape(-1, len(self.cells))
        return order

    @cached_property
    def _permutations(self) -> NDArray[np.int64]:
        """The place of each slice's permutation among all."""
        places: NDArray[np.int64]
        _, places = np.unique(self.table["permutation"], return_inverse=True)
        return places

    @cached_property
    def _cell_places(self) -> NDArray[np.int64]:
        """The place of each slice's cell in `cells`."""
        places = {cell: place for place, cell in enumerate(self.cells)}
        return np.array([places[cell] for cell in self.table["cell"]], dtype=np.int64)

    @cached_property
    def is_complete(self) -> bool:
        """Whether every cell had a turn in every permutation."""
        permutations = int(self.table["permutation"].nunique())
        return len(self.table) == len(self.cells) * permutations

    @property
    def takes_turns(self) -> bool:
        """Whether several contenders run at the same time; a separate run is a session, too."""
        return len(self.cells) > 1

    @cached_property
    def seconds(self) -> float:
        """The time of all slices, guards and drains included."""
        whole_ns = self.table["guard_ns"] + self.table["drain_ns"]
        whole_ns = whole_ns + self.table["ended_ns"] - self.table["started_ns"]
        return float(whole_ns.sum()) / 1e9

    @cached_property
    def stolen_shares(self) -> NDArray[np.float64]:
        """The share of the study's CPU time that the host stole, by permutation."""
        return _stolen_shares(self.table, self._permutations)

    @cached_property
    def _logs(self) -> dict[str, dict[Cell, NDArray[np.float64]]]:
        by_metric = {
            "latency_typical_us": self.table["median_us"],
            "latency_mean_us": self.table["mean_us"],
            "throughput_per_s": self._rates(),
            **{metric: self._of_items(metric) for metric in OF_ITEMS},
        }
        return {metric: self._pivot(values) for metric, values in by_metric.items()}

    def _of_items(self, metric: str) -> pd.Series:
        """Return a metric of the items of each slice; NaN without items."""
        name = metric.replace("first_item", "first")
        items = self.table.get("items", pd.Series(index=self.table.index, dtype=object))
        values = [found[name] if isinstance(found, dict) else None for found in items]
        return pd.Series(values, index=self.table.index, dtype=float)

    def _rates(self) -> pd.Series:
        """Return the transactions per second of each slice.

        For N clients, it follows from their mean response time R and think time Z: N / (R + Z)
        (Little's law). Counting would be wrong at the edges of a slice, where some transactions in
        flight do not belong to it.
        """
        loads = [self.loads[cell.load] for cell in self.table["cell"]]
        seconds = (self.table["ended_ns"] - self.table["started_ns"]) / 1e9
        answered = (self.table["transactions"] - self.table["failed"]) / seconds
        rates = [
            load.clients / (mean_us + load.think_time_us) * 1e6
            if isinstance(load, ClosedLoad)
            else counted
            for load, mean_us, counted in zip(loads, self.table["mean_us"], answered, strict=True)
        ]
        return pd.Series(rates, index=self.table.index, dtype=float)

    def _pivot(self, values: pd.Series) -> dict[Cell, NDArray[np.float64]]:
        permutations, cells = self._permutations, self._cell_places
        logs = np.full((len(self.cells), int(permutations.max()) + 1), np.nan)
        logs[cells, permutations] = np.log(values.where(values > 0).to_numpy(dtype=float))
        return dict(zip(self.cells, logs, strict=True))


def worst_stolen_share(slices: pd.DataFrame) -> float:
    """Return the largest share of the CPUs' time that was stolen in any permutation.

    `slices` are those of `Bundle.slices`, including invalid runs and repeated blocks. Returns 0 if
    there were no turns.
    """
    recorded = slices[slices["recorded"]] if not slices.empty else slices
    if recorded.empty:
        return 0.0
    groups = recorded.groupby(["block_id", "attempt", "session", "permutation"]).ngroup()
    return float(_stolen_shares(recorded, groups.to_numpy()).max())


def _stolen_shares(slices: pd.DataFrame, groups: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the stolen share of the CPUs' time in each group; `groups` has that of each slice."""
    columns = ["guard_ns", "drain_ns", "ended_ns", "started_ns"]
    guard_ns, drain_ns, ended_ns, started_ns = (slices[name].to_numpy() for name in columns)
    stolen_us = slices["steal_us"].tolist()
    stolen = np.bincount(groups, weights=[*map(sum, stolen_us)])
    whole_us = (guard_ns + drain_ns + ended_ns - started_ns) / 1e3 * [*map(len, stolen_us)]
    with np.errstate(invalid="ignore"):  # NaN without any time
        shares: NDArray[np.float64] = stolen / np.bincount(groups, weights=whole_us)
    return shares


def sessions_of(
    slices: pd.DataFrame, valid: Sequence[tuple[str, int]], loads: Mapping[str, Load]
) -> Iterator[SessionTurns]:
    """Yield the sessions of a bundle's slices, with their valid runs.

    `slices` are those of `Bundle.slices`, of the last attempts only; `valid` names the valid runs,
    each with its session.
    """
    if slices.empty:
        return
    counted = slices[slices["recorded"]]
    keys = zip(counted["run_id"].tolist(), counted["session"].tolist(), strict=True)
    known = set(valid)
    counted = counted[[key in known for key in keys]]
    cells = [Cell(*row) for row in counted[CELL_COLUMNS].drop_duplicates().itertuples(index=False)]
    numbers = counted.groupby(CELL_COLUMNS, sort=False).ngroup()
    counted = counted.assign(cell=[cells[number] for number in numbers])
    for (block, group, session), table in counted.groupby(["block", "group", "session"]):
        yield SessionTurns(int(block), str(group), int(session), table, loads)
