"""The engine's result: the file with what `wirelab-load` measured."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from wirelab.engine.errors import EngineError
from wirelab.engine.events import ResultModel, SliceRow

RESULT = "result.json"


class EngineUse(ResultModel):
    """The engine's own resource use for the whole job."""

    version: str
    cpus: tuple[int, ...]
    real_time: bool = False
    """Whether the engine ran with real-time priority on `cpus`."""
    clock: str
    memory_peak_bytes: int
    cpu_user_us: float
    """CPU time of all workers in all recorded slices, guard and drain included."""
    cpu_system_us: float


class TargetUse(ResultModel):
    """The engine's own resource use for one target, in its recorded slices."""

    cpu_us_per_transaction: float
    """Averaged over all transactions of these slices, including those of the guard."""
    busy_share: float
    """Share of the workers' time, from the start of the guard to the end of the drain."""
    arrival: Literal["kernel", "engine"] = "engine"
    """Whose clock dates the arrival of answers: the kernel's timestamps, or the engine's when it
    reads them."""
    stamped_share: float | None = None
    """Share of reads with a usable kernel timestamp; the engine dates the others. None if kernel
    timestamps were not requested."""


class MeasuredWindow(ResultModel):
    """The time of the measurement; a plain job has one slice for each target."""

    started_unix_ns: int | None
    """Start of the first recorded slice; None if there is none."""
    ended_unix_ns: int | None
    duration_s: float
    """Total duration of the recorded parts of all recorded slices, each from its start to the end
    of its last transaction or of its stop rule, whichever is later."""


class Counts(ResultModel):
    """The outcomes of the transactions of the recorded slices."""

    transactions: int
    succeeded: int
    failed: int
    errors: Mapping[str, int]
    """Failed transactions by the class of their first failure. No connection: `connect_refused`,
    `connect_timeout`, `connect_failed`, `handshake_failed`. No complete reply: `timeout` (nothing
    arrived in time), `slow_reply` (the reply had begun), `closed_early` (the server closed the
    connection, or its side of it, before the reply began), `truncated` (during the reply), `reset`,
    `stream_reset`, `goaway` (the server rejected the request before processing it), `idle_timeout`
    (QUIC: the connection was silent for too long), `flood` (the server requests replies to pings or
    settings faster than it reads them, or answers requests that it has not read). A wrong reply:
    `protocol_error`, `oversized`, `bad_encoding`, `invalid_utf8` (in a WebSocket text message),
    `status`, `grpc_status`, `body_mismatch`, `forbidden_content`, `item_count` (of a stream),
    `missing_value` (the answer lacks a value that later requests need)."""
    late: int
    """Transactions that started more than 1 ms after they were due."""
    dropped: int
    """Transactions in flight when the job was interrupted; not in any other count."""
    never_sent: int
    """Transactions that were due but not sent before the end: no connection was free, or the engine
    was late."""


class DurationSummary(ResultModel):
    """A distribution of durations, in microseconds."""

    count: int
    mean: float
    sd: float
    min: float
    p50: float
    p90: float
    p95: float
    p99: float
    p999: float
    max: float


class Latencies(ResultModel):
    """Response: from the intended start; service: from the actual start; lag: between the two."""

    response: DurationSummary
    service: DurationSummary
    first_byte: DurationSummary
    connect: DurationSummary | None
    """From the start of connecting until requests can be sent, over all connections of the job."""
    tls: DurationSummary | None = None
    """The part of `connect` that the TLS handshake took."""
    lag: DurationSummary


class ItemsOfStreams(ResultModel):
    """The items of all streams."""

    received: int
    sent: int
    received_per_s: float
    sent_per_s: float
    first_us: DurationSummary
    """From a transaction's intended start to its first item."""
    last_us: DurationSummary
    """From a transaction's intended start to its last item."""
    gap_us: DurationSummary
    """Between consecutive items of a stream."""
    stalls: int
    """Gaps longer than the `stall_ms` of their stream."""


class Histograms(ResultModel):
    """Histograms in HdrHistogram V2 format, compressed, base64; the unit is nanoseconds."""

    response: str
    service: str
    first_item: str | None = None
    """From the intended start to the first item; None if the target has no streams."""
    gap: str | None = None
    """Between consecutive items; None if the target has no streams."""


class ToMerge(ResultModel):
    """What else is needed to merge the results of several engines.

    Percentiles cannot be merged, but histograms can; their format is that of `histograms`.
    """

    first_byte: str
    connect: str
    tls: str
    lag: str
    last_item: str
    operations: tuple[str, ...]
    """Histograms of response times, in the order of the target's `operations`."""
    client_ns: int
    """The clients' time, the denominator of `little_closure`."""


class Second(ResultModel):
    """One second of a window."""

    second: int
    transactions: int
    errors: int
    service_p50_us: float
    service_p99_us: float
    response_p99_us: float


class WindowBytes(ResultModel):
    """Bytes of the recorded slices: on the sockets, and of message bodies only.

    The guard's bytes on the sockets are subtracted in proportion to its share of the transactions.
    """

    sent: int
    received: int
    payload_sent: int
    payload_received: int
    payload_decoded: int | None = None
    """Bytes of the received bodies after content decoding."""


class LifetimeBytes(ResultModel):
    """The kernel's counts over the whole life of the connections, with set-up and warm-up.

    `sent` and `received` are bytes of the TCP streams, each counted once. Over QUIC, the counts are
    those of the QUIC library: bytes in datagrams, retransmissions included; datagrams; and lost
    packets.
    """

    connections: int
    sent: int
    received: int
    segments_out: int
    segments_in: int
    retransmitted: int


class Bytes(ResultModel):
    """Bytes, as seen by the client."""

    window: WindowBytes
    lifetime: LifetimeBytes


class ConnectionCounts(ResultModel):
    """All connections of the job, set-up and warm-up included."""

    opened: int
    failed: Mapping[str, int] = {}
    """Connections that could not be opened, by class of failure as in `counts.errors`. If no
    transaction waited for one, none failed with it: the others were used."""
    violations: Mapping[str, int] = {}
    """Connections that broke their protocol when no request was under way, by what the server sent:
    answers to other requests may then be wrong, too."""


class TlsUse(ResultModel):
    """TLS of all connections of the job, set-up and warm-up included."""

    trust: Literal["system", "ca", "insecure"]
    """Which certificates were accepted; insecure: any."""
    version: str
    cipher_suite: str
    """`unknown` over QUIC, whose library does not expose it."""
    handshakes: int
    resumed: int
    """Number of handshakes that resumed the session of an earlier one."""


class PrecisionEstimate(ResultModel):
    """A statistic by batch means: its value, and half the width of its 95 % interval as a share."""

    value_us: float
    half_width: float
    batches: int
    batch_s: float
    correlation: float
    """Correlation between consecutive batches; the interval has been widened accordingly."""


class ReachedPrecision(ResultModel):
    """The precision reached of the statistic whose precision ends the run."""

    of: str
    wanted_half_width: float
    reached: bool
    estimate: PrecisionEstimate | None
    """None if the window was too short for an estimate."""


class OperationResult(ResultModel):
    """The result of one of several operations."""

    name: str
    transactions: int
    failed: int
    errors: Mapping[str, int]
    throughput_per_s: float
    response_us: DurationSummary


class SampledAnswers(ResultModel):
    """Sampled answers to requests with `sample`."""

    seen: int
    """Answers that passed all checks and could have been kept."""
    kept: int


class AnswerMismatch(ResultModel):
    """A reply that differed from what was expected."""

    operation: str
    parameter_set: int
    reason: str
    status: int | None
    expected: str
    got: str
    excerpt: str


class TargetResult(ResultModel):
    """The measurement of one target, over all its recorded slices."""

    name: str
    window: MeasuredWindow
    engine: TargetUse
    idle_cpu_share: Mapping[str, float | None]
    """By role: the share of one CPU that it used outside its target's slices, between the first and
    the last slice of the job. None if it could not be read, or if there was no such time."""
    counts: Counts
    statuses: Mapping[int, int] = {}
    """Number of replies by HTTP or gRPC status; empty if the protocol has none."""
    redirects: int | None = None
    """Number of redirections that were followed; they are part of their transactions. None unless
    `wirelab-load` was started with --follow."""
    reopened_sessions: int | None = None
    """Number of sessions that the server ended, by status 404, and that were opened again as a part
    of a transaction. None without sessions that are kept."""
    throughput_per_s: float
    offered_rate_per_s: float | None
    little_closure: float
    """The share of the clients' time that service and think time account for (Little's law). Time
    in which no connection could take their requests is excluded."""
    precision: ReachedPrecision | None = None
    """Precision of the last slice; None unless its stop rule asked for one."""
    latency_us: Latencies
    items: ItemsOfStreams | None = None
    """None if the target has no streams."""
    histograms: Histograms
    to_merge: ToMerge | None = None
    """None unless the job has an `agent`."""
    series: tuple[Second, ...]
    """Empty if there were several recorded slices: then the slices are the series."""
    bytes: Bytes
    connections: ConnectionCounts = ConnectionCounts(opened=0)
    tls: TlsUse | None = None
    """None for clear text."""
    mismatches: tuple[AnswerMismatch, ...]
    operations: tuple[OperationResult, ...] = ()
    """One row per operation, in the order of the job; empty if there is only one operation. Beyond
    200 operations, the others share one row."""
    answers: SampledAnswers | None = None
    """None if no request has `sample`."""


class EngineResult(ResultModel):
    """result.json."""

    format: Literal["wirelab-result/2"]
    interrupted: bool
    engine: EngineUse
    targets: tuple[TargetResult, ...]
    """In the order of the job."""
    slices: tuple[SliceRow, ...]
    """In the order in which they ran, rehearsals included."""

    def target(self, name: str) -> TargetResult:
        """Return the result of a target. Raises KeyError if there is no such target."""
        for target in self.targets:
            if target.name == name:
                return target
        raise KeyError(name)

    @property
    def only(self) -> TargetResult:
        """The result of the only target. Raises ValueError if there are several."""
        (target,) = self.targets
        return target

    @classmethod
    def read(cls, path: Path) -> "EngineResult":
        """Read a result file; raises `EngineError` if it is invalid."""
        try:
            return cls.model_validate_json(path.read_bytes())
        except (OSError, ValidationError) as error:
            raise EngineError(f"cannot read the engine's result {path.name}: {error}") from error
