"""What a figure of a paper shows, as measured here: its points, ready to be drawn."""

from dataclasses import dataclass

from wirelab.statistics import Interval
from wirelab.study import Chart


@dataclass(frozen=True, slots=True)
class ChartPoint:
    """One mark: a value with the standard deviation the paper asks for, and our 95 % interval.

    `series` tells marks apart, `at` says where it stands, `x` where that is a number. `count` are
    the runs, queries or repetitions that it is made of; `box` their least, quartiles and greatest.
    `panel` names the picture of several that it belongs to. `published` is the paper's value, None
    where it gives none.
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
        """Say where it stands among all pictures of its chart."""
        return " · ".join(dict.fromkeys(filter(None, (self.panel, self.at))))


@dataclass(frozen=True, slots=True)
class PaperChart:
    """A figure of the paper with the points measured here. Times in µs.

    `published_as` says what the published values are, "" where there are none.
    """

    chart: Chart
    metric: str
    unit: str
    counted: str
    points: tuple[ChartPoint, ...]
    along: str = ""
    """What `x` counts: seconds, turns, clients; "" where it counts nothing."""
    published_as: str = ""

    @property
    def has_table(self) -> bool:
        """Whether its points are few enough to be read as figures, too."""
        return self.chart.kind not in {"sizes", "courses"}
