"""The scalars of a bundle's valid runs, by metric, cell and block."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from wirelab.analysis.wire import wire_values
from wirelab.bundle import Bundle, WireRecord
from wirelab.study import METRICS, Cell

CELL_COLUMNS = tuple(field.name for field in fields(Cell))


@dataclass(frozen=True, slots=True)
class RunValues:
    """What the valid runs of a bundle measured; at most one run counts for each cell and block."""

    runs: Mapping[Cell, pd.DataFrame]
    wire: tuple[WireRecord, ...]

    @classmethod
    def of(cls, bundle: Bundle) -> "RunValues":
        """Read a bundle. Of several attempts at a run the last valid one counts."""
        frame = bundle.metrics()
        if frame.empty:
            return cls({}, tuple(bundle.wire_records))
        valid = frame[frame["status"] == "valid"].sort_values("attempt")
        runs = {
            Cell(**dict(zip(CELL_COLUMNS, key, strict=True))): (
                group.drop_duplicates("block", keep="last").set_index("block").sort_index()
            )
            for key, group in valid.groupby(list(CELL_COLUMNS))
        }
        return cls(runs, tuple(bundle.wire_records))

    def values(self, metric: str, cell: Cell) -> dict[int, float]:
        """Return the metric's value by block; by repeat for bytes; empty where not measured."""
        if METRICS[metric].exact:
            return wire_values(metric, self.wire, cell.contender, cell.workload)
        return self.column(cell, metric)

    def costs(self, metric: str, cell: Cell) -> dict[int, float]:
        """Return values by block such that lower is better: time per item in place of a rate."""
        values = self.values(metric, cell)
        if METRICS[metric].better == "lower":
            return values
        return {block: 1.0 / value for block, value in values.items() if value > 0}

    def paired(
        self, metric: str, a: Cell, b: Cell
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the costs of two cells by block; NaN where a block has no valid run."""
        costs_a, costs_b = self.costs(metric, a), self.costs(metric, b)
        blocks = sorted(costs_a.keys() | costs_b.keys())
        return _in_order(costs_a, blocks), _in_order(costs_b, blocks)

    def column(self, cell: Cell, column: str) -> dict[int, float]:
        """Return any column of `Bundle.metrics` by block, without missing values."""
        frame = self.runs.get(cell)
        if frame is None or column not in frame:
            return {}
        present = frame[column].dropna()
        return {int(str(block)): float(value) for block, value in present.items()}


def _in_order(costs: Mapping[int, float], blocks: Iterable[int]) -> NDArray[np.float64]:
    return np.array([costs.get(block, np.nan) for block in blocks], dtype=np.float64)
