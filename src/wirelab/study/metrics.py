"""The metrics that a study, a claim or a published figure can name: one scalar per run."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import AfterValidator

from wirelab.study.levels import unknown_name


@dataclass(frozen=True, slots=True)
class Metric:
    """One scalar of a run: its name, title and unit, and which direction is better.

    `exact` metrics are counts that hardly vary between runs; they are compared without statistics.
    `of_slices` metrics have a value in every slice, so that contenders that took turns are compared
    permutation by permutation; the others have one value per run. `reported_as` is the quantity of
    reported ratios: those of a throughput that follows from a time are reported as those of its
    `inverse`, a time. `iso_25023` is the name of the same measure in ISO/IEC 25023:2016, "" if
    there is none.
    """

    name: str
    title: str
    unit: str
    better: Literal["lower", "higher"] = "lower"
    exact: bool = False
    of_slices: bool = False
    reported_as: Literal["time", "rate"] = "time"
    inverse: str = ""
    iso_25023: str = ""

    @property
    def is_reported_inverted(self) -> bool:
        """Whether ratios are reported of the metric's inverse."""
        return self.better == "higher" and self.reported_as == "time"

    @property
    def ratio_title(self) -> str:
        """Name what reported ratios are ratios of."""
        return f"{self.inverse} (from {self.title})" if self.is_reported_inverted else self.title


CAPACITY = "capacity_per_s"

_LATENCY_STATISTICS = {
    "typical": "typical response time",
    "mean": "mean response time",
    "sd": "standard deviation of the response time",
    "min": "shortest response time",
    "p50": "median response time",
    "p90": "90th percentile of the response time",
    "p95": "95th percentile of the response time",
    "p99": "99th percentile of the response time",
    "p999": "99.9th percentile of the response time",
    "max": "longest response time",
}

_OF_ITEMS = {
    "first_item_median_us": "median time until the first item of a stream",
    "gap_median_us": "median gap between the items of a stream",
    "gap_p99_us": "99th percentile of the gaps between the items of a stream",
}

METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        *(
            Metric(
                f"latency_{statistic}_us",
                title,
                "µs",
                of_slices=statistic in ("typical", "mean"),
                iso_25023="mean response time (PTb-1-G)" if statistic == "mean" else "",
            )
            for statistic, title in _LATENCY_STATISTICS.items()
        ),
        Metric(
            "throughput_per_s",
            "transactions per second",
            "1/s",
            better="higher",
            of_slices=True,
            inverse="time per transaction",
            iso_25023="mean throughput (PTb-5-G)",
        ),
        Metric(
            CAPACITY,
            "requests per second within the objective",
            "1/s",
            better="higher",
            reported_as="rate",
        ),
        Metric("first_byte_mean_us", "mean time until the first byte of the answer", "µs"),
        Metric("first_item_mean_us", "mean time until the first item of a stream", "µs"),
        *(Metric(name, title, "µs", of_slices=True) for name, title in _OF_ITEMS.items()),
        Metric(
            "items_per_s",
            "items of streams per second",
            "1/s",
            better="higher",
            inverse="time per item of a stream",
        ),
        Metric("first_byte_share", "first byte's part of the response time", ""),
        Metric("contender_cpu_us_per_transaction", "server CPU time per transaction", "µs"),
        Metric("store_cpu_us_per_transaction", "store CPU time per transaction", "µs"),
        Metric("proxy_cpu_us_per_transaction", "proxy CPU time per transaction", "µs"),
        Metric("link_cpu_us_per_transaction", "link emulator CPU time per transaction", "µs"),
        Metric("forwarder_cpu_us_per_transaction", "forwarder CPU time per transaction", "µs"),
        Metric("contender_memory_peak_bytes", "largest memory of the server", "B"),
        Metric("wire_single_bytes", "bytes of one request on a new connection", "B", exact=True),
        Metric("wire_setup_bytes", "bytes of setting up a connection", "B", exact=True),
        Metric("wire_marginal_bytes", "bytes of each further request", "B", exact=True),
        Metric("wire_sent_bytes", "bytes that each further request sends", "B", exact=True),
        Metric("wire_received_bytes", "bytes that each further request receives", "B", exact=True),
        Metric("message_bytes", "message size: bodies without headers", "B", exact=True),
        Metric("message_gzip_bytes", "message size, compressed by gzip", "B", exact=True),
        Metric("store_statements", "statements that the store executes", "", exact=True),
    )
}
"""Every metric by its name."""


OF_ITEMS = tuple(_OF_ITEMS)
"""The metrics of streams that every slice has."""
PRIMARY = ("latency_typical_us", "latency_mean_us", "throughput_per_s", *OF_ITEMS, CAPACITY)
"""The metrics that answers can be worded for: faster and slower, or the sustained rate."""


def _among(names: Collection[str]) -> AfterValidator:
    def check(name: str) -> str:
        if name not in names:
            raise ValueError(unknown_name(name, names))
        return name

    return AfterValidator(check)


MetricName = Annotated[str, _among(METRICS)]
PrimaryMetricName = Annotated[str, _among(PRIMARY)]
