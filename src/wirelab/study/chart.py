"""Figures of a paper, to be drawn anew from what is measured here."""

from typing import Literal

from wirelab.study.levels import FileModel, Where
from wirelab.study.metrics import MetricName


class Chart(FileModel):
    """One figure: what is drawn, and of which cells. Contenders tell the marks apart.

    | kind | |
    |---|---|
    | bars | the metric's mean by workload, with the standard deviation of the runs |
    | lines | the metric's mean over the number of clients |
    | boxes | how the times of a workload's queries are distributed, each its mean |
    | queries | the mean time of single queries, with the standard deviation of its repetitions |
    | sizes | the sizes of the answers to a workload's queries in leaf nodes, ascending |

    `metric` is that of bars and lines; of queries it may be `first_byte_mean_us`.
    """

    source: str
    title: str
    kind: Literal["bars", "lines", "boxes", "queries", "sizes"]
    metric: MetricName = "throughput_per_s"
    where: Where = Where()
