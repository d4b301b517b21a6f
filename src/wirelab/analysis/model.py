"""What an analysis of a bundle holds: frozen values, ready to be shown."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from wirelab.schedule import Run
from wirelab.statistics import (
    Comparison,
    Interval,
    Reporting,
    Resolution,
    StolenEffect,
    TwinCheck,
    Verdict,
    WireFit,
)
from wirelab.study import Cell, Metric

ROLES = ("contender", "proxy", "forwarder", "store", "link", "engine")
"""Who uses the CPU: the server under test, the proxy before it, what forwards to its container, its
store, what emulates the network, the load generator."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A quantity over blocks and its 95 % interval, both of one estimand; None where too few."""

    value: float
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class Percentile:
    """Mean over runs of one percentile, and whether the requests of a run allow showing it."""

    name: str
    quantile: float
    value_us: float
    reporting: Reporting


@dataclass(frozen=True, slots=True)
class ServiceCost:
    """What one service of a contender takes of what the contender takes."""

    name: str
    cpu_us: Measured
    """Of one transaction."""
    memory_peak_bytes: float | None


@dataclass(frozen=True, slots=True)
class Overloaded:
    """What becomes of a contender that is asked for more than it sustains: medians over blocks."""

    times: float
    """What it sustains, so often."""
    good_share: float
    """Answers in time, a second, over what the contender sustains."""
    failed: tuple[str, ...]
    """The classes of the failures, the most frequent first."""
    failed_share: float
    never_sent_share: float
    recovery_s: float | None
    """None where it did not recover in more than half of the blocks."""


@dataclass(frozen=True, slots=True)
class Sustained:
    """What a contender sustains within an objective, over its valid runs."""

    objective: str
    rate_per_s: Measured
    """The rate that half of the trials keep."""
    strict_per_s: tuple[float | None, float | None]
    """The bounds that the search of the first block found for 5 % in place of half."""
    overload: tuple[Overloaded, ...]
    ended: tuple[str, ...]
    """Why it ended under an overload, in the blocks in which it did."""
    warnings: tuple[str, ...]
    """Of the search."""


@dataclass(frozen=True, slots=True)
class CellSummary:
    """What the valid runs of one cell say. Times in µs, memory in bytes.

    `latency_us` is the time that the study is about: `typical_us`, or `mean_us`. Standard
    deviation, extremes and percentiles are those of all requests of a run, averaged over runs.
    `requests` is the smallest number in a run. `spectrum` holds (share, latency) of all runs'
    requests together: a picture, never a basis for inference.
    """

    cell: Cell
    label: str
    protocol: str
    runs: int
    planned: int
    requests: int
    latency_us: Measured
    typical_us: Measured
    mean_us: Measured
    sd_us: float
    min_us: float
    max_us: float
    run_times_us: Mapping[int, float]
    """By block, the time that the study is about."""
    percentiles: tuple[Percentile, ...]
    throughput_per_s: float
    cpu_us: Mapping[str, Measured]
    memory_peak_bytes: Mapping[str, float]
    spectrum: tuple[tuple[float, float], ...]
    services: tuple[ServiceCost, ...] = ()
    """What each service of the contender takes, where it consists of several."""
    sustained: Sustained | None = None
    """None where the load does not ask for it."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A comparison of A relative to B; outside the study's family it carries no verdict."""

    a: Cell
    b: Cell
    a_label: str
    b_label: str
    comparison: Comparison
    p_holm: float | None
    verdict: Verdict | None
    other: Comparison | None
    """The same in the other metric: the mean time beside the typical one, or the reverse."""
    stolen: StolenEffect | None
    """With all permutations, and with the half that lost the least time; None without turns."""
    cpu: Comparison | None
    """Of the contenders' CPU time per transaction."""
    bytes_ratio: float | None
    line: str

    @property
    def cpu_ratio(self) -> float | None:
        """CPU time per transaction, A over B; None where it was not measured."""
        return None if self.cpu is None or not self.cpu.blocks else self.cpu.ratio


@dataclass(frozen=True, slots=True)
class Row:
    """One contender's line in the table of a setting.

    `asked` is the comparison that a question asks for: with the baseline, or else with the first
    contender of the first question about this one. Where none is asked for, it is the one with the
    baseline, without a verdict.
    """

    summary: CellSummary
    is_baseline: bool
    against_baseline: Judged | None
    asked: Judged | None
    group: int | None
    wire: "WireCost | None"


@dataclass(frozen=True, slots=True)
class Setting:
    """One level of each factor but the contender: what a table is about.

    Rows stand cheapest first. `group` of a row counts tie groups from 1; it is None where the
    study compares nothing here (`judged` is False) or nothing can be told yet.
    """

    key: str
    workload: str
    title: str
    store: str
    environment: str
    load: str
    proxy: str
    network: str
    control: bool
    judged: bool
    baseline_label: str
    told_as: Literal["time", "rate"]
    """What ratios are of."""
    time_title: str
    """What `latency_us` is called here: typical time, or mean time."""
    rows: tuple[Row, ...]
    pairs: tuple[Judged, ...]
    resolution: Resolution | None
    """How small a difference it shows; None without a twin."""

    @property
    def percentiles(self) -> tuple[str, ...]:
        """Those that a table shows, as far as some contender had requests enough for them."""
        known = {
            each.name
            for row in self.rows
            for each in row.summary.percentiles
            if each.reporting is not Reporting.OMITTED
        }
        return tuple(name for name in ("p50", "p95", "p99") if name in known)

    @property
    def is_wired(self) -> bool:
        """Bytes were counted for some contender."""
        return any(row.wire is not None for row in self.rows)


@dataclass(frozen=True, slots=True)
class Answer:
    """What the study found out about one question in one setting."""

    question: str
    text: str
    sentence: str
    decided: bool
    setting: str | None
    pairs: tuple[Judged, ...]


@dataclass(frozen=True, slots=True)
class WireCost:
    """Bytes of one contender's connections at one workload, on the level of IP packets.

    The parts of `setup` and `marginal` add up: message bodies, framing and headers of the
    protocol, headers of TCP and IP. Sent and received are seen from the client.
    """

    contender: str
    label: str
    protocol: str
    workload: str
    fit: WireFit
    single_bytes: float
    parts: Mapping[str, WireFit]


@dataclass(frozen=True, slots=True)
class StoreShare:
    """How much of an answer's time lies beyond the control operation, which touches no store.

    An upper bound for the store's share: building and sending the larger answer is in it, too.
    `store_cpu_share` is the store's CPU time over the response time: a lower bound.
    """

    cell: Cell
    label: str
    protocol: str
    control_us: float
    latency_us: float
    beyond_control: Measured
    store_cpu_share: float | None


@dataclass(frozen=True, slots=True)
class Caution:
    """Something found by machine that limits what the results mean."""

    severity: Literal["serious", "minor"]
    title: str
    detail: str


@dataclass(frozen=True, slots=True)
class Faulty:
    """A run that does not count, and why."""

    run: Run
    status: str
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Validity:
    """How many of the planned runs count."""

    planned: int
    valid: int
    faulty: tuple[Faulty, ...]
    missing: int


@dataclass(frozen=True, slots=True)
class Noise:
    """What the twins say: what each setting resolves, by the cell that has a twin.

    `largest` is the coarsest resolution as a share; None where no twin has blocks enough.
    `margin_ratio` is the study's, declared before anything was measured.
    """

    resolutions: tuple[tuple[Cell, Resolution], ...]
    largest: float | None
    check: TwinCheck
    margin_ratio: float


@dataclass(frozen=True, slots=True)
class Disturbance:
    """What the machine did besides, over all sessions. Shares of the CPUs' time."""

    stolen_share: float
    """By the host, of all the time that was measured."""
    stolen_span: tuple[float, float]
    """The least and the largest of a session."""
    worst_stolen_share: float
    """Of the permutation that lost the most."""
    other_share: float | None
    """By programs that are no part of a session: the largest."""
    repeated_blocks: int
    lost_runs: int
    """For a fault: in the last attempts at all blocks."""
    is_notable: bool
    """Whether anything is worth a word."""
    sentence: str


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """A published row beside what was measured; None where this bundle holds no such cell."""

    label: str
    protocol: str | None
    published: tuple[float, ...]
    measured: tuple[Measured | None, ...]


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """A table of the paper with the measured values beside the printed ones."""

    source: str
    title: str
    metrics: tuple[Metric, ...]
    rows: tuple[PublishedRow, ...]


@dataclass(frozen=True, slots=True)
class LintItem:
    """One rule of good reporting, and whether this report keeps it."""

    rule: str
    kept: bool
    how: str
