"""The values of a bundle's analysis: frozen, ready for display."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from wirelab.bundle.run_reasons import RunReason
from wirelab.engine.events import SearchOutcome
from wirelab.planning.schedule import Run
from wirelab.statistics import (
    Comparison,
    Estimate,
    Interval,
    Outcome,
    Reporting,
    Resolution,
    StolenEffect,
    TwinCheck,
    Verdict,
    WireFit,
)
from wirelab.study import Cell, Metric

ROLES = ("contender", "proxy", "forwarder", "store", "link", "engine")
"""The roles that use CPU time: the server under test, the proxy in front of it, the forwarder to
its container, its store, the network emulator, the load generator."""

SHOWN_PERCENTILES = ("p50", "p95", "p99")
"""The percentiles of response times in tables; the data has more."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A quantity over blocks and its 95 % interval (None if too few blocks), of one estimand."""

    value: float
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class Percentile:
    """The mean over runs of one percentile, and whether a run has enough requests to show it."""

    name: str
    quantile: float
    value_us: float
    reporting: Reporting


@dataclass(frozen=True, slots=True)
class ServiceCost:
    """The share of one service in a contender's resource use."""

    name: str
    cpu_us: Measured
    """CPU time per transaction."""
    memory_peak_bytes: float | None


@dataclass(frozen=True, slots=True)
class Overloaded:
    """The behaviour of a contender under more load than it sustains: medians over blocks."""

    times: float
    """The rate, as a multiple of what the contender sustains."""
    good_share: float
    """Answers in time per second, divided by the rate that the contender sustains."""
    failed: tuple[str, ...]
    """The classes of the failures, the most frequent first."""
    failed_share: float
    never_sent_share: float
    recovery_s: float | None
    """None if it did not recover in more than half of the blocks."""


@dataclass(frozen=True, slots=True)
class Sustained:
    """The rate that a contender sustains within an objective, over its valid runs."""

    objective: str
    rate_per_s: Measured
    """The rate at which half of the trials meet the objective."""
    strict_per_s: tuple[float | None, float | None]
    """The bounds that the first block's search found for 5 % missed trials instead of half."""
    strict_outcome: SearchOutcome | None
    """How this search ended; None without a search. "unfinished": its time was over first, and the
    bounds are those of a coarser phase."""
    overload: tuple[Overloaded, ...]
    ended: tuple[RunReason, ...]
    """Why it ended under an overload, in the blocks in which it did."""
    warnings: tuple[str, ...]
    """Warnings of the search."""


@dataclass(frozen=True, slots=True)
class CellSummary:
    """Summary of the valid runs of one cell. Times in µs, memory in bytes.

    `latency_us` is the study's time metric: `typical_us`, or `mean_us`. Standard deviation,
    extremes and percentiles are those of all requests of a run, averaged over runs. `requests` is
    the smallest number in a run. `spectrum` has (share, latency) over the requests of all runs
    together: for display only, never a basis for inference.
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
    """The study's time metric, by block."""
    percentiles: tuple[Percentile, ...]
    throughput_per_s: float
    cpu_us: Mapping[str, Measured]
    memory_peak_bytes: Mapping[str, float]
    spectrum: tuple[tuple[float, float], ...]
    services: tuple[ServiceCost, ...] = ()
    """The resource use of each service, if the contender consists of several."""
    items: "ItemsSummary | None" = None
    """None if the answers are no streams."""
    sustained: Sustained | None = None
    """None if the load does not measure capacity."""


@dataclass(frozen=True, slots=True)
class ItemsSummary:
    """The items of a cell's streams. Times in µs; `stalls` are those of all runs together."""

    first_median_us: float
    gap_median_us: float
    gap_p99_us: float
    stalls: int
    per_s: float
    per_transaction: float


@dataclass(frozen=True, slots=True)
class ComparedPair:
    """A comparison of A with B; it has no verdict if it is outside the study's family."""

    a: Cell
    b: Cell
    a_label: str
    b_label: str
    comparison: Comparison
    p_holm: float | None
    verdict: Verdict | None
    other: Comparison | None
    """The same comparison by the other metric: the mean time if this is by the typical time, or
    vice versa."""
    stolen: StolenEffect | None
    """With all permutations, and with the half that lost the least time; None without turns."""
    cpu: Comparison | None
    """Comparison of the contenders' CPU time per transaction."""
    bytes_ratio: float | None
    elsewhere: Estimate | None
    """The mean time in which the server does not compute, A minus B, as a share of B's mean time.
    None unless there is one client and its requests keep no server busy on several CPUs."""
    line: str

    @property
    def is_decided(self) -> bool:
        """Whether it has a verdict other than "cannot tell"."""
        return self.verdict is not None and self.verdict.outcome is not Outcome.CANNOT_TELL

    @property
    def cpu_ratio(self) -> float | None:
        """CPU time per transaction, A over B; None if it was not measured."""
        return None if self.cpu is None or not self.cpu.blocks else self.cpu.ratio


@dataclass(frozen=True, slots=True)
class ContenderRow:
    """One contender's line in the table of a setting.

    `judged` is the comparison that a question makes: with the baseline, or otherwise with the
    first contender of the first question about this one. Where no question makes it, it is the same
    comparison without a verdict.
    """

    summary: CellSummary
    is_baseline: bool
    against_baseline: ComparedPair | None
    judged: ComparedPair | None
    group: int | None
    wire: "WireCost | None"


@dataclass(frozen=True, slots=True)
class Setting:
    """One level of each factor except the contender: the content of a table.

    Rows are sorted, the best first, by their ratios to the baseline, or by their figures if one has
    none. `group` of a row numbers tie groups from 1; it is None if the study compares nothing here
    (`judged` is False), if nothing is decided yet, or if the verdicts contradict the order.
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
    reported_as: Literal["time", "rate"]
    """What ratios compare."""
    time_title: str
    """The name of `latency_us` here: typical time, or mean time."""
    rows: tuple[ContenderRow, ...]
    pairs: tuple[ComparedPair, ...]
    resolution: Resolution | None
    """How small a difference the setting resolves; None without a twin."""
    compared: tuple[ComparedPair, ...] = ()
    """Every comparison of two contenders, in both orders, as far as a question names both or one
    is the baseline."""

    def comparison(self, contender: str, other: str) -> ComparedPair | None:
        """Return the comparison of a contender with another; None if there is none."""
        named = (contender, other)
        return next(
            (pair for pair in self.compared if (pair.a.contender, pair.b.contender) == named), None
        )

    @property
    def percentiles(self) -> tuple[str, ...]:
        """The percentiles that a table shows: those with enough requests for some contender."""
        known = {
            each.name
            for row in self.rows
            for each in row.summary.percentiles
            if each.reporting is not Reporting.OMITTED
        }
        return tuple(name for name in SHOWN_PERCENTILES if name in known)

    @property
    def relative_to(self) -> str:
        """The contender that all ratios are relative to; "" if there are several."""
        others = {row.judged.b_label for row in self.rows if row.judged}
        return others.pop() if len(others) == 1 else "" if others else self.baseline_label

    @property
    def is_ranked(self) -> bool:
        """Whether rows have numbers of tie groups."""
        return any(row.group is not None for row in self.rows)

    @property
    def is_wired(self) -> bool:
        """Whether bytes were counted for some contender."""
        return any(row.wire is not None for row in self.rows)


@dataclass(frozen=True, slots=True)
class QuestionAnswer:
    """The answer to one question of the study in one setting.

    `in_full` is a sentence that leaves nothing out, if `sentence` does.
    """

    question: str
    text: str
    sentence: str
    decided: bool
    setting: str | None
    pairs: tuple[ComparedPair, ...]
    in_full: str = ""


@dataclass(frozen=True, slots=True)
class WireCost:
    """Bytes of one contender's connections for one workload, at the level of IP packets.

    The parts of `setup` and `marginal` add up: message bodies, framing and headers of the protocol,
    headers of TCP and IP. Sent and received are as seen by the client.
    """

    contender: str
    label: str
    protocol: str
    workload: str
    fit: WireFit
    single_bytes: float
    parts: Mapping[str, WireFit]
    gzip_bytes: float | None = None
    """The message bodies of each transaction, each compressed by gzip; None if not counted."""
    statements: float | None = None
    """Statements that the store executes for each transaction; None if it does not show them."""

    @property
    def message_bytes(self) -> float:
        """The message bodies of each transaction, without any header."""
        return self.parts["message bodies"].marginal


@dataclass(frozen=True, slots=True)
class StoreShare:
    """The share of an answer's time beyond that of the control operation, which uses no store.

    It is an upper bound for the store's share, since it includes building and sending the larger
    answer. `store_cpu_share` is the store's CPU time over the response time: a lower bound.
    """

    cell: Cell
    label: str
    protocol: str
    control_us: float
    latency_us: float
    beyond_control: Measured
    store_cpu_share: float | None


@dataclass(frozen=True, slots=True)
class Faulty:
    """An invalid run, and the reason."""

    run: Run
    status: str
    reasons: tuple[RunReason, ...]


@dataclass(frozen=True, slots=True)
class Validity:
    """How many of the planned runs are valid."""

    planned: int
    valid: int
    faulty: tuple[Faulty, ...]
    missing: int


@dataclass(frozen=True, slots=True)
class Noise:
    """What the settings resolve, by the cell that has a twin, and whether twins can be trusted.

    `largest` is the coarsest resolution as a share; None without enough blocks.
    `margin_ratio` is the study's, declared before anything was measured.
    """

    resolutions: tuple[tuple[Cell, Resolution], ...]
    largest: float | None
    check: TwinCheck
    margin_ratio: float


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """A published row with the measured values; None if this bundle has no such cell."""

    label: str
    protocol: str | None
    published: tuple[float, ...]
    measured: tuple[Measured | None, ...]
    by_procedure: tuple[Measured | None, ...] = ()
    """The values that the paper's own procedure gave here; empty if it was not run."""


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """A table of the paper, with the measured values beside the printed ones."""

    source: str
    title: str
    metrics: tuple[Metric, ...]
    rows: tuple[PublishedRow, ...]

    @property
    def has_procedure(self) -> bool:
        """Whether the paper's own procedure gave a value."""
        return any(value is not None for row in self.rows for value in row.by_procedure)


@dataclass(frozen=True, slots=True)
class LintItem:
    """One rule of good reporting, and whether this report meets it."""

    rule: str
    kept: bool
    how: str
