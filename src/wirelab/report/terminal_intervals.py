"""Ratios with their intervals as a chart of one line each, on a logarithmic axis.

A comparison of two or three servers is seen at a glance this way; more of them are in the matrix.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import RenderableType

from wirelab.analysis.matrix import Matrix, MatrixCell, MatrixRow
from wirelab.report.terminal_matrix import COLOURS, legend
from wirelab.report.unbroken import Text
from wirelab.statistics import Interval
from wirelab.terminal import words

MOST_COMPARED = 2
"""Maximum number of contenders beside the baseline."""
LEAST_CHART = 20
"""Minimum width of the chart in characters."""
LONGEST_NAME = 32
EQUAL = "│"
SPARE = 1.15
"""The factor by which the axis is longer than the intervals."""


@dataclass(frozen=True, slots=True)
class _Axis:
    """A logarithmic axis from `low` to `high`, in characters; it contains 1."""

    low: float
    high: float
    width: int

    def position(self, ratio: float) -> int:
        share = math.log(ratio / self.low) / math.log(self.high / self.low)
        return min(max(round(share * (self.width - 1)), 0), self.width - 1)

    def line(self, ratio: float, interval: Interval) -> str:
        """Draw an interval with its ratio, and where times are equal."""
        drawn = [" "] * self.width
        drawn[self.position(1.0)] = EQUAL
        first, last = self.position(interval.low), self.position(interval.high)
        drawn[first : last + 1] = "─" * (last + 1 - first)
        drawn[self.position(ratio)] = "●"
        return "".join(drawn)

    def scale(self) -> str:
        """Label the ends of the axis, and where times are equal if there is room."""
        low, high = words.times(self.low), words.times(self.high)
        drawn = f"{low}{high.rjust(self.width - len(low))}"
        middle = self.position(1.0)
        if len(low) + 1 < middle < self.width - len(high) - 3:
            drawn = f"{drawn[:middle]}1×{drawn[middle + 2 :]}"
        return drawn


def has_intervals(matrix: Matrix) -> bool:
    """Return whether the results are few enough for a chart, and have intervals."""
    rows = matrix.judged or matrix.others
    return 2 <= len(matrix.columns) <= MOST_COMPARED + 1 and any(map(_compared, rows))


def intervals_view(matrix: Matrix, width: int) -> Iterator[RenderableType]:
    """Show the times of each setting, and each ratio with its interval as a figure and drawn."""
    rows = matrix.judged or matrix.others
    cells = [cell for row in rows for cell in _compared(row)]
    bounds = [cell.judged.comparison.interval95 for cell in cells if cell.judged]
    lows = [interval.low for interval in bounds if interval and interval.low > 0]
    highs = [interval.high for interval in bounds if interval and math.isfinite(interval.high)]
    names = [_name(row, cell) for row in rows for cell in _compared(row)]
    figures = [_figure(cell) for cell in cells]
    name, figure = min(max(map(len, names)), LONGEST_NAME), max(map(len, figures))
    axis = _Axis(
        low=min(1.0, *lows) / SPARE,
        high=max(1.0, *highs) * SPARE,
        width=max(width - name - figure - 4, LEAST_CHART),
    )
    yield Text()
    yield Text(f"{' ' * (name + figure + 4)}{axis.scale()}", style="dim")
    position = 0
    for row in rows:
        for cell in _compared(row):
            comparison = cell.judged.comparison if cell.judged else None
            interval = comparison.interval95 if comparison else None
            drawn = (
                ""
                if interval is None or comparison is None
                else axis.line(comparison.ratio, interval)
            )
            style = COLOURS[cell.verdict.outcome] if cell.verdict else "dim"
            yield Text.assemble(
                f"{_cut(names[position], name):<{name}}  ",
                (f"{figures[position]:<{figure}}", style),
                "  ",
                (drawn, style),
            )
            position += 1
        yield Text("  " + ", ".join(_times(row)), style="dim")
    yield legend(matrix)


def _compared(row: MatrixRow) -> Sequence[MatrixCell]:
    return [cell for cell in row.cells if cell.judged and cell.judged.comparison.interval95]


def _name(row: MatrixRow, cell: MatrixCell) -> str:
    is_only = len(_compared(row)) == 1
    return row.setting.title if is_only else f"{row.setting.title} · {cell.column.label}"


def _cut(name: str, width: int) -> str:
    return name if len(name) <= width else f"{name[: width - 1]}…"


def _figure(cell: MatrixCell) -> str:
    if cell.said is None:
        return ""
    return f"{cell.said.sign or ' '} {cell.said.estimate}"


def _times(row: MatrixRow) -> Iterator[str]:
    """Yield the typical time of each contender, and what the setting detects."""
    for cell in row.cells:
        if cell.summary is not None:
            yield f"{cell.column.label} {cell.shown}"
    yield row.detects
