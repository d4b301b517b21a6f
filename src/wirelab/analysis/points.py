"""The points of a paper's figure as measured here, ready to be drawn."""

from dataclasses import dataclass

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
    def place(self) -> str:
        """The position of the point among all panels of its chart."""
        return " · ".join(dict.fromkeys(filter(None, (self.panel, self.at))))


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
        """Whether the chart has few enough points for an additional table."""
        return self.chart.kind not in {"sizes", "courses"}
