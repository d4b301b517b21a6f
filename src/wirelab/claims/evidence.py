"""The evidence of a measurement for claims: values by block, and what was not measured."""

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from wirelab.planning.schedule import Schedule
from wirelab.statistics import BlockValue, Method
from wirelab.study import FACTORS, METRICS, Cell, Factor

Values = Callable[[str, Cell], Mapping[int, float]]
"""Metric and cell to one value for each block with a valid run; empty if there is none.

For an exact metric (bytes on the wire) repeats replace blocks.
"""

LogRatios = Callable[[str, Cell, Cell], Mapping[int, BlockValue]]
"""Metric and cells A and B to ln(A/B) of the metric by block; NaN where a block has no value.

Empty for two cells that were never in one block.
"""

NOT_COMBINED = "the design does not combine these levels"


def no_common_blocks(_metric: str, _a: Cell, _b: Cell) -> Mapping[int, BlockValue]:
    """Report that no cells took turns, so that their values are compared."""
    return {}


def once(_metric: str) -> Method:
    """Test a number of blocks that was fixed beforehand, whatever the metric."""
    return Method.PAIRED_T


@dataclass(frozen=True, slots=True)
class ClaimEvidence:
    """All data for judging claims. `absent` gives the reason for levels not measured.

    `margin_ratio` is the margin that the study declares.
    """

    levels: Mapping[Factor, tuple[str, ...]]
    values: Values
    margin_ratio: float = 0.05
    absent: Mapping[str, str] = field(default_factory=dict)
    in_turns: LogRatios = no_common_blocks
    method_of: Callable[[str], Method] = once
    """How the mean of a metric's block values is tested."""
    cells: Collection[Cell] | None = None
    """The planned cells; None if all combinations of the levels were planned."""

    @classmethod
    def from_schedule(
        cls,
        schedule: Schedule,
        values: Values,
        margin_ratio: float = 0.05,
        in_turns: LogRatios = no_common_blocks,
        method_of: Callable[[str], Method] = once,
    ) -> "ClaimEvidence":
        """Take the measured levels, and why others were not measured, from a schedule."""
        return cls(
            levels={
                factor: tuple(dict.fromkeys(cell.level(factor) for cell in schedule.cells))
                for factor in FACTORS
            },
            values=values,
            margin_ratio=margin_ratio,
            absent={each.level: each.reason.partition("\n")[0] for each in schedule.skipped},
            in_turns=in_turns,
            method_of=method_of,
            cells=frozenset(schedule.cells),
        )

    def log_ratios(self, metric: str, a: Cell, b: Cell) -> dict[int, BlockValue]:
        """Return ln(A/B) of the metric's values by block.

        From slices if the cells took turns; otherwise from their values by block.
        Values that are not above 0 have no logarithm and are left out.
        """
        in_turns = self.in_turns(metric, a, b)
        if in_turns:
            return dict(in_turns)
        values_a, values_b = self.values(metric, a), self.values(metric, b)
        return {
            block: BlockValue(math.log(values_a[block] / values_b[block]))
            for block in sorted(values_a.keys() & values_b.keys())
            if values_a[block] > 0.0 and values_b[block] > 0.0
        }

    def missing(self, metric: str, cell: Cell) -> tuple[str, ...]:
        """Return why a cell was not measured; for bytes, only contender and workload matter.

        It was not planned, or, if all planned cells are known, none of its runs is valid.
        """
        levels = tuple(
            f"no {level} ({self.absent[level]})" if level in self.absent else f"no {level}"
            for factor in FACTORS
            if (level := cell.level(factor)) not in self.levels[factor]
        )
        if levels or self.cells is None:
            return levels
        if cell in self.cells:
            is_there = METRICS[metric].exact or self.values(metric, cell)
            return () if is_there else (f"no valid run of {cell.contender} at {cell.workload}",)
        if METRICS[metric].exact and any(cell.shares_bytes(planned) for planned in self.cells):
            return ()
        return (NOT_COMBINED,)
