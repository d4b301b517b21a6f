"""The values of a bundle's valid runs: one for each block, and log-ratios between cells."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd

from wirelab.analysis.figures.turns import (
    CELL_COLUMNS,
    SessionTurns,
    sessions_of,
    worst_stolen_share,
)
from wirelab.analysis.figures.wire import wire_values
from wirelab.bundle import Contents, WireRecord
from wirelab.statistics import BlockValue, block_value
from wirelab.study import METRICS, OF_ITEMS, Cell, Study

OF_A_WINDOW = {"latency_typical_us": "latency_p50_us"}
"""The column of `Bundle.metrics` that is a metric's value if a run had a window, not slices."""


@dataclass(frozen=True)
class RunValues:
    """The values of a bundle's valid runs, in the last attempts at its blocks.

    `runs` has a frame for each cell, one row per block; `turns` has the sessions in which a cell
    took turns, by cell and block. If a cell was in several sessions of a block (groups that share
    their baseline), its own values are those of the first.
    """

    runs: Mapping[Cell, pd.DataFrame]
    turns: Mapping[Cell, Mapping[int, tuple[SessionTurns, ...]]]
    wire: tuple[WireRecord, ...]
    baseline: str
    worst_stolen_share: float = 0.0
    """Stolen share of the CPUs' time in the worst permutation, whether or not it is valid."""

    @classmethod
    def from_bundle(cls, bundle: Contents, study: Study, block: str = "") -> "RunValues":
        """Read a bundle of a study, or only the block with that id."""
        wire = tuple(bundle.wire_records)
        frame = bundle.counting(bundle.metrics(block))
        if frame.empty:
            return cls({}, {}, wire, study.baseline)
        valid = frame[frame["status"] == "valid"].sort_values(["block", "session"])
        first = valid.drop_duplicates([*CELL_COLUMNS, "block"], keep="first").set_index("block")
        runs = {
            Cell(**dict(zip(CELL_COLUMNS, key, strict=True))): group
            for key, group in first.groupby(CELL_COLUMNS)
        }
        counted = list(zip(valid["run_id"], valid["session"], strict=True))
        turns: dict[Cell, dict[int, tuple[SessionTurns, ...]]] = {}
        slices = bundle.slices(block)
        for session in sessions_of(bundle.counting(slices), counted, study.loads):
            for cell in session.cells:
                by_block = turns.setdefault(cell, {})
                by_block[session.block] = (*by_block.get(session.block, ()), session)
        return cls(runs, turns, wire, study.baseline, worst_stolen_share(slices))

    @classmethod
    def merged(cls, parts: Sequence["RunValues"]) -> "RunValues":
        """Put the values of different blocks together; `parts` has one or more."""
        frames: dict[Cell, list[pd.DataFrame]] = {}
        turns: dict[Cell, dict[int, tuple[SessionTurns, ...]]] = {}
        for part in parts:
            for cell, frame in part.runs.items():
                frames.setdefault(cell, []).append(frame)
            for cell, by_block in part.turns.items():
                turns.setdefault(cell, {}).update(by_block)
        runs = {cell: pd.concat(own).sort_index() for cell, own in frames.items()}
        worst = max(part.worst_stolen_share for part in parts)
        return cls(runs, turns, parts[0].wire, parts[0].baseline, worst)

    def values(self, metric: str, cell: Cell) -> Mapping[int, float]:
        """Return the metric's value by block (for bytes, by repeat); empty if not measured.

        For a cell that took turns, a time is exp of the trimmed mean of its slices' logarithms;
        for another, the typical time is the median of its requests.
        """
        if (metric, cell) not in self._values:  # each is compared with many others
            self._values[metric, cell] = self._read_values(metric, cell)
        return self._values[metric, cell]

    @cached_property
    def _values(self) -> dict[tuple[str, Cell], Mapping[int, float]]:
        return {}

    def _read_values(self, metric: str, cell: Cell) -> Mapping[int, float]:
        if METRICS[metric].exact:
            return wire_values(metric, self.wire, cell.contender, cell.workload)
        values = self.column(cell, OF_A_WINDOW.get(metric, metric))
        if METRICS[metric].of_slices:
            for block, sessions in self.turns.get(cell, {}).items():
                value = float(np.exp(block_value(sessions[0].logs(metric, cell))))
                if np.isfinite(value) or metric not in OF_ITEMS:  # a gap of 0 has no logarithm
                    values[block] = value
        return {block: value for block, value in values.items() if np.isfinite(value)}

    def costs(self, metric: str, cell: Cell) -> Mapping[int, float]:
        """Return values by block for which lower is better: time per item instead of a rate."""
        values = self.values(metric, cell)
        if METRICS[metric].better == "lower":
            return values
        return {block: 1.0 / value for block, value in values.items() if value > 0}

    def cost_ratios(self, metric: str, a: Cell, b: Cell) -> list[BlockValue]:
        """Return ln(A/B) of the costs, one value per block, NaN if it has none."""
        values = self.block_values(metric, a, b).values()
        return [v if METRICS[metric].better == "lower" else v.inverted() for v in values]

    def reported_ratios(self, metric: str, a: Cell, b: Cell) -> list[BlockValue]:
        """Return ln(A/B) as the metric's ratios are reported: of it, or of its inverse."""
        values = self.block_values(metric, a, b).values()
        return [v.inverted() if METRICS[metric].is_reported_inverted else v for v in values]

    def log_ratios(self, metric: str, a: Cell, b: Cell) -> dict[int, float]:
        """Return ln(A/B) of the metric by block, NaN if a block has no value."""
        return {block: each.value for block, each in self.block_values(metric, a, b).items()}

    def block_values(self, metric: str, a: Cell, b: Cell) -> dict[int, BlockValue]:
        """Return ln(A/B) of the metric by block, NaN if a block has no value, and its variance.

        Cells that took turns are compared permutation by permutation; cells of two groups of a
        block, each with the baseline of its own; others by their values. What two machines of a
        cluster measured is not compared, nor are bytes that were counted once for both cells.
        """
        if METRICS[metric].exact and a.shares_bytes(b):
            return {}
        values_a, values_b = self.values(metric, a), self.values(metric, b)
        apart = set() if METRICS[metric].exact else self._on_two_machines(a, b)
        ratios = {}
        for block in sorted(values_a.keys() | values_b.keys()):
            if block in apart:
                ratios[block] = BlockValue(np.nan)
            elif METRICS[metric].of_slices and (session := self.together(block, a, b)):
                ratios[block] = BlockValue.from_permutations(session.log_ratios(metric, a, b))
            elif METRICS[metric].of_slices and (way := self._by_way_of_baseline(block, a, b)):
                (first, base_a), (second, base_b) = way
                over = BlockValue.from_permutations(first.log_ratios(metric, a, base_a))
                under = BlockValue.from_permutations(second.log_ratios(metric, b, base_b))
                ratios[block] = over.minus(under)
            else:
                value_a, value_b = values_a.get(block, np.nan), values_b.get(block, np.nan)
                has_both = value_a > 0 and value_b > 0
                ratios[block] = BlockValue(float(np.log(value_a / value_b)) if has_both else np.nan)
        return ratios

    def together(self, block: int, a: Cell, b: Cell) -> SessionTurns | None:
        """Return the session of a block in which two cells took turns, if there is one."""
        sessions = self.turns.get(a, {}).get(block, ())
        return next((session for session in sessions if b in session.cells), None)

    def machines(self, cell: Cell) -> dict[int, str]:
        """Return the cluster's machine that measured a cell, by block; "" on a single machine."""
        return self._machines.get(cell, {})

    @cached_property
    def _machines(self) -> dict[Cell, dict[int, str]]:
        return {
            cell: dict(zip(frame.index.tolist(), frame["machine"].tolist(), strict=True))
            for cell, frame in self.runs.items()
        }

    def _on_two_machines(self, a: Cell, b: Cell) -> set[int]:
        """Return the blocks in which the two cells were measured on different machines."""
        machines_a, machines_b = self.machines(a), self.machines(b)
        both = machines_a.keys() & machines_b.keys()
        return {block for block in both if machines_a[block] != machines_b[block]}

    def sessions(self) -> list[SessionTurns]:
        """Return every session once."""
        found = {
            id(session): session
            for by_block in self.turns.values()
            for sessions in by_block.values()
            for session in sessions
        }
        return sorted(found.values(), key=lambda each: (each.block, each.group, each.session))

    def column(self, cell: Cell, column: str) -> dict[int, float]:
        """Return any column of `Bundle.metrics` by block, without missing values."""
        frame = self.runs.get(cell)
        if frame is None or column not in frame:
            return {}
        present = frame[column].dropna().astype(float)
        return dict(zip(present.index.tolist(), present.tolist(), strict=True))

    def _by_way_of_baseline(
        self, block: int, a: Cell, b: Cell
    ) -> tuple[tuple[SessionTurns, Cell], tuple[SessionTurns, Cell]] | None:
        """Return a session of each cell in which the same baseline took turns with it."""
        for first in self.turns.get(a, {}).get(block, ()):
            for second in self.turns.get(b, {}).get(block, ()):
                for base in (replace(cell, contender=self.baseline, twin=False) for cell in (a, b)):
                    if first.group == second.group and base in first.cells and base in second.cells:
                        return (first, base), (second, base)
        return None
