"""The paper's advice on which protocol suits which use, beside the measured figures.

A protocol has one number for several languages: the geometric mean of its values, divided by that
of the best protocol. Only languages in which all protocols were measured count.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import geometric_mean

from wirelab.analysis.cells import measured
from wirelab.analysis.values import RunValues
from wirelab.study import METRICS, Cell, Metric
from wirelab.terminal import words

from .model import Demand, Suitability


@dataclass(frozen=True, slots=True)
class Served:
    """How well one column meets a demand: `times` the best value, and its value in each row.

    None if it was not measured.
    """

    times: float | None
    values: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class DemandFigures:
    """One demand, and how well every column meets it."""

    title: str
    metric: Metric
    served: tuple[Served, ...]

    @property
    def is_measured(self) -> bool:
        """Whether the columns can be compared at all."""
        return any(each.times is not None for each in self.served)


@dataclass(frozen=True, slots=True)
class UseFigures:
    """One use, the advice for it, and its demands."""

    title: str
    advice: str
    demands: tuple[DemandFigures, ...]


@dataclass(frozen=True, slots=True)
class SuitabilityFigures:
    """The table of uses by columns."""

    source: str
    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    uses: tuple[UseFigures, ...]

    @property
    def note(self) -> str:
        """What the ratios are, in sentences."""
        return (
            "Ratio to the best of the row (for rates: of the best to the value), as the geometric"
            f" mean over {words.listed(self.rows)}. The comparisons say whether two of them can be"
            " distinguished."
        )


def compare(
    table: Suitability, cells: Sequence[Cell], values: RunValues
) -> SuitabilityFigures | None:
    """Compare the advice with the measurements; None if no demand was measured."""
    uses = tuple(
        UseFigures(
            use.title,
            use.advice,
            tuple(_demand(table, demand, cells, values) for demand in use.demands),
        )
        for use in table.uses
    )
    if not any(demand.is_measured for use in uses for demand in use.demands):
        return None
    return SuitabilityFigures(table.source, table.title, table.rows, tuple(table.columns), uses)


def _demand(
    table: Suitability, demand: Demand, cells: Sequence[Cell], values: RunValues
) -> DemandFigures:
    metric = METRICS[demand.metric]
    columns = [
        tuple(_value(demand, contender, cells, values) for contender in contenders)
        for contenders in (demand.columns or table.columns).values()
    ]
    whole = [row for row in zip(*columns, strict=True) if None not in row]
    times: list[float | None] = [None] * len(columns)
    if whole:
        means = [
            geometric_mean([value for value in column if value is not None])
            for column in zip(*whole, strict=True)
        ]
        lower = metric.better == "lower"
        times = [mean / min(means) if lower else max(means) / mean for mean in means]
    served = (Served(*each) for each in zip(times, columns, strict=True))
    return DemandFigures(demand.title, metric, tuple(served))


def _value(
    demand: Demand, contender: str, cells: Sequence[Cell], values: RunValues
) -> float | None:
    """Return the value over blocks of a contender's first cell of a demand, if it has any."""
    for cell in cells:
        if cell.contender == contender and not cell.twin and cell.matches(demand.where):
            found = [value for value in values.values(demand.metric, cell).values() if value > 0]
            if found:
                return measured(found).value
    return None
