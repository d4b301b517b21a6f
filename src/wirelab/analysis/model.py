"""What an analysis of a bundle holds: frozen values, ready to be shown."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from wirelab.analysis.points import PaperChart
from wirelab.bundle import BundleInfo, ContenderRecord
from wirelab.claims import ClaimCheck, ConsistencyFinding, Decision
from wirelab.schedule import Run, Schedule
from wirelab.statistics import (
    Comparison,
    Interval,
    NoiseFloor,
    Reporting,
    TwinCheck,
    Verdict,
    WireFit,
)
from wirelab.study import Cell, Metric, Study

if TYPE_CHECKING:
    from wirelab.analysis.open_view import OpenView
    from wirelab.analysis.paper_tables import PaperTables
    from wirelab.analysis.place_costs import ContainerCost, ProxyCost
    from wirelab.analysis.score import Score
    from wirelab.analysis.settling import Settled
    from wirelab.analysis.sweep import Sweep

ROLES = ("contender", "proxy", "forwarder", "store", "engine")
"""Who uses the CPU: the server under test, the proxy before it, what forwards to its container, its
store, the load generator."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A mean over runs and its 95 % interval; None where the runs allow none."""

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
class CellSummary:
    """What the valid runs of one cell say. Times in µs, memory in bytes.

    `cost` is the study's primary metric as a cost (lower is better). `requests` is the smallest
    number in a run. `spectrum` holds (share, latency) of all runs' requests together: a picture,
    never a basis for inference.
    """

    cell: Cell
    label: str
    protocol: str
    runs: int
    planned: int
    requests: int
    latency_us: Measured
    sd_us: float
    min_us: float
    max_us: float
    run_means_us: Mapping[int, float]
    percentiles: tuple[Percentile, ...]
    throughput_per_s: float
    cpu_us: Mapping[str, Measured]
    memory_peak_bytes: Mapping[str, float]
    spectrum: tuple[tuple[float, float], ...]


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
    cpu_ratio: float | None
    bytes_ratio: float | None
    line: str


@dataclass(frozen=True, slots=True)
class Row:
    """One contender's line in the table of a setting."""

    summary: CellSummary
    is_baseline: bool
    against_baseline: Judged | None
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
    control: bool
    judged: bool
    baseline_label: str
    rows: tuple[Row, ...]
    pairs: tuple[Judged, ...]
    noise: NoiseFloor | None

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
    """What the twins say: the noise floor of each cell with a twin, and the margin that follows.

    `largest` is the largest noise floor as a share; None where nothing is known of the noise.
    """

    floors: tuple[tuple[Cell, NoiseFloor], ...]
    largest: float | None
    check: TwinCheck
    margin_ratio: float
    margin_source: str


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


@dataclass(frozen=True, slots=True)
class Analysis:
    """A bundle, understood: everything that a report shows.

    `rerun` is the command that carries the study out again.
    """

    info: BundleInfo
    digest: str | None
    rerun: str
    study: Study
    schedule: Schedule
    contenders: Mapping[str, ContenderRecord]
    labels: Mapping[str, str]
    host: Mapping[str, Any]
    environments: Mapping[str, Mapping[str, str]]
    """What environments and proxies are, by level: names and words."""
    settings: tuple[Setting, ...]
    answers: tuple[Answer, ...]
    noise: Noise
    wire: tuple[WireCost, ...]
    store_shares: tuple[StoreShare, ...]
    container_costs: "tuple[ContainerCost, ...]"
    proxy_costs: "tuple[ProxyCost, ...]"
    charts: tuple[PaperChart, ...]
    published: tuple[PublishedTable, ...]
    paper_tables: "tuple[PaperTables, ...]"
    open_views: "tuple[OpenView, ...]"
    scores: "tuple[Score, ...]"
    sweeps: "tuple[Sweep, ...]"
    claims: tuple[ClaimCheck, ...]
    hypotheses: Decision | None
    consistency: tuple[ConsistencyFinding, ...]
    validity: Validity
    conditions: Mapping[str, str]
    """Under which the runs that count were made: a name to words with figures."""
    settled: "tuple[Settled, ...]"
    cautions: tuple[Caution, ...]

    @property
    def roles(self) -> tuple[str, ...]:
        """Who used CPU time in any run that counts, in the order of `ROLES`."""
        rows = [row for setting in self.settings for row in setting.rows]
        return tuple(role for role in ROLES if any(role in row.summary.cpu_us for row in rows))
