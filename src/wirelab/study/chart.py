"""Figures of a paper that are drawn again from the measurement."""

from typing import Literal, Self

from pydantic import model_validator

from wirelab.inputs.close_match import one_of
from wirelab.inputs.file_model import FileModel
from wirelab.study.levels import Where
from wirelab.study.metrics import MetricName

COURSES = ("throughput_per_s", "latency_p50_us", "latency_p99_us")
"""The metrics that have a value for every second of a window and for every turn."""


class Chart(FileModel):
    """`[[chart]]`: a figure of the paper, drawn from the measured values.

    Each contender has its own marks.

    | kind | shows |
    |---|---|
    | bars | mean of the metric by workload, with the standard deviation of the runs |
    | lines | mean of the metric over the number of clients |
    | boxes | distribution of the mean times of a workload's queries |
    | queries | mean time of each query, with the standard deviation of its repetitions |
    | sizes | sizes of the answers to a workload's queries in leaf nodes, ascending |
    | courses | the metric over the seconds of a window, or over the turns |
    | heat | mean of the metric by contender and number of clients, as shades |
    | latencies | response times of all requests: quartiles, 5th and 95th percentile |

    If `where` leaves several levels of other factors, `courses`, `heat` and `latencies` draw one
    picture for each combination.
    """

    source: str
    """Place in the paper, such as "Figure 6a" or "section 7", as reports print it."""
    title: str
    """Title of the chart."""
    kind: Literal["bars", "lines", "boxes", "queries", "sizes", "courses", "heat", "latencies"]
    """What is drawn; see the table above."""
    metric: MetricName = "throughput_per_s"
    """The metric of `bars`, `lines`, `courses` and `heat`; `courses` takes only `throughput_per_s`,
    `latency_p50_us` and `latency_p99_us`. `queries` shows the time until the end of the answer, or
    with `first_byte_mean_us` until its first byte. The other kinds ignore it."""
    quantity: str = ""
    """The paper's own name of what is drawn, such as `aTPt`; reports print it before the metric's
    title. Default: none."""
    where: Where = Where()
    """The cells to draw. Default: all."""

    @model_validator(mode="after")
    def _what_has_a_course(self) -> Self:
        if self.kind == "courses" and self.metric not in COURSES:
            raise ValueError(f"a metric with values over time: {one_of(COURSES)}")
        return self
