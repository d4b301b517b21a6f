"""The points of a paper's figure as measured here, ready to be drawn."""

from dataclasses import dataclass

import numpy as np

from wirelab.statistics import Interval
from wirelab.study import Chart


@dataclass(frozen=True, slots=True)
class ChartPoint:
    """One point: a value with the paper's standard deviation and wirelab's 95 % interval.

    `series` distinguishes points, `at` is the position, `x` the position as a number if it is one.
    `count` is the number of runs, queries or repetitions behind it; `box` their minimum, quartiles
    and maximum. `panel` names the panel that it belongs to. `published` is the paper's value, None
    if it gives none.
    """

    series: str
    at: str
    value: float
    x: float | None = None
    sd: float | None = None
    interval: Interval | None = None
    count: int = 1
    box: tuple[float, ...] | None = None
    published: float | None = None
    panel: str = ""

    @property
    def position(self) -> str:
        """The position of the point among all panels of its chart."""
        return " · ".join(dict.fromkeys(filter(None, (self.panel, self.at))))


@dataclass(frozen=True, slots=True)
class Sizes:
    """How the answers to the queries of a workload differ in size.

    `quartiles` go from the smallest to the largest; each is the size of an answer (inverted CDF).
    """

    workload: str
    queries: int
    quartiles: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PaperChart:
    """A figure of the paper with the points measured here. Times in µs.

    `published_as` describes the published values, "" if there are none.
    """

    chart: Chart
    metric: str
    unit: str
    counted: str
    points: tuple[ChartPoint, ...]
    along: str = ""
    """The unit of `x`: seconds, turns, clients; "" if it has none."""
    published_as: str = ""

    @property
    def has_table(self) -> bool:
        """Whether the chart has few enough points for an additional table of all of them."""
        return self.chart.kind not in {"sizes", "courses"}

    @property
    def sizes(self) -> tuple[Sizes, ...]:
        """A summary for each workload of a chart of sizes; empty for other charts."""
        if self.chart.kind != "sizes":
            return ()
        found: dict[str, list[float]] = {}
        for point in self.points:
            found.setdefault(point.series, []).append(point.value)
        return tuple(
            Sizes(workload, len(values), _quartiles(values)) for workload, values in found.items()
        )


def _quartiles(values: list[float]) -> tuple[int, ...]:
    shares = (0.0, 0.25, 0.5, 0.75, 1.0)
    return tuple(int(each) for each in np.quantile(values, shares, method="inverted_cdf"))
