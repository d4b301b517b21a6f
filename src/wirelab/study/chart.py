"""Figures of a paper, to be drawn anew from what is measured here."""

from typing import Literal, Self

from pydantic import model_validator

from wirelab.close_match import one_of
from wirelab.study.levels import FileModel, Where
from wirelab.study.metrics import MetricName

COURSES = ("throughput_per_s", "latency_p50_us", "latency_p99_us")
"""The metrics that are known of every second of a window, and of every turn."""


class Chart(FileModel):
    """One figure: what is drawn, and of which cells. Contenders tell the marks apart.

    | kind | |
    |---|---|
    | bars | the metric's mean by workload, with the standard deviation of the runs |
    | lines | the metric's mean over the number of clients |
    | boxes | how the times of a workload's queries are distributed, each its mean |
    | queries | the mean time of single queries, with the standard deviation of its repetitions |
    | sizes | the sizes of the answers to a workload's queries in leaf nodes, ascending |
    | courses | the metric from second to second of a window, or from turn to turn |
    | heat | the metric's mean for each contender and number of clients, as shades |
    | latencies | the response times of all requests: quartiles, 5th and 95th percentile |

    `metric` is that of bars, lines, courses and heat; of queries it may be `first_byte_mean_us`.
    Courses are of `throughput_per_s`, `latency_p50_us` or `latency_p99_us`. The last three kinds
    have a picture for each workload, load, proxy, … of several.
    """

    source: str
    title: str
    kind: Literal["bars", "lines", "boxes", "queries", "sizes", "courses", "heat", "latencies"]
    metric: MetricName = "throughput_per_s"
    where: Where = Where()

    @model_validator(mode="after")
    def _what_has_a_course(self) -> Self:
        if self.kind == "courses" and self.metric not in COURSES:
            raise ValueError(f"a metric that has a course, with kind = courses: {one_of(COURSES)}")
        return self
