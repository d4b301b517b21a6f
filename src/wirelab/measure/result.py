"""The engine's result: what `wirelab-load` has measured, as its file says it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from hdrh.histogram import HdrHistogram
from pydantic import ValidationError

from wirelab.measure.errors import EngineError
from wirelab.measure.events import ResultModel, SliceRow

RESULT = "result.json"


class EngineUse(ResultModel):
    """What the whole job cost the engine itself."""

    version: str
    cpus: tuple[int, ...]
    real_time: bool = False
    """Whether the engine ran on them before all other programs."""
    clock: str
    memory_peak_bytes: int
    cpu_user_us: float
    """Of all workers in all recorded slices, guard and drain included."""
    cpu_system_us: float


class TargetUse(ResultModel):
    """What one target cost the engine, in its recorded slices."""

    cpu_us_per_transaction: float
    """Over all transactions of these slices, those of the guard included."""
    busy_share: float
    """Of its workers' time from the start of the guard to the end of the drain."""
    arrival: Literal["kernel", "engine"] = "engine"
    """Who says when answers came: the kernel by its stamps, or the engine when it read them."""
    stamped_share: float | None = None
    """The share of readings that had a usable stamp of the kernel; the engine says of the others
    when they came. None where the kernel was not asked."""


class Window(ResultModel):
    """When was measured; a plain job has one slice for each target."""

    started_unix_ns: int | None
    """Start of the first recorded slice; None without any."""
    ended_unix_ns: int | None
    duration_s: float
    """Of the recorded parts of all recorded slices together, each from its start to the end of its
    last transaction or of its stop rule, whichever came later."""


class Counts(ResultModel):
    """What became of the transactions of the recorded slices."""

    transactions: int
    succeeded: int
    failed: int
    errors: Mapping[str, int]
    """Failed transactions by the class of their first failure. Connecting: `connect_refused`,
    `connect_timeout`, `connect_failed`, `handshake_failed`. No whole reply: `timeout` (nothing
    came in time), `slow_reply` (it had begun), `closed_early` (the server closed the connection,
    or its side, before anything came), `truncated` (in the midst of it), `reset`, `stream_reset`,
    `goaway` (given up before it was looked at), `idle_timeout` (QUIC: silent for too
    long), `flood` (it asks for answers, to pings or settings, faster than it takes them). A wrong
    one: `protocol_error`, `oversized`, `bad_encoding`, `invalid_utf8` (a WebSocket message that
    calls itself text), `status`, `grpc_status`, `body_mismatch`, `forbidden_content`, `item_count`
    (of a stream), `missing_value` (the answer lacks what later requests need)."""
    late: int
    """Started more than 1 ms after they were due."""
    dropped: int
    """Under way when the job was interrupted; in none of the other counts."""
    never_sent: int
    """Due before the end, not sent by then: no connection was free, or the engine was late."""


class Summary(ResultModel):
    """A distribution of durations in microseconds."""

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
    """response: from the intended start; service: from the actual one; lag: between the two."""

    response: Summary
    service: Summary
    first_byte: Summary
    connect: Summary | None
    """From the start of connecting until requests may go, over all connections there have been."""
    tls: Summary | None = None
    """The part of it that the TLS handshake took."""
    lag: Summary


class ItemsOfStreams(ResultModel):
    """The items of all streams; first and last: from a transaction's actual start."""

    received: int
    sent: int
    received_per_s: float
    sent_per_s: float
    first_us: Summary
    last_us: Summary


class Histograms(ResultModel):
    """HdrHistogram V2, compressed, base64; the unit is nanoseconds."""

    response: str
    service: str


class ToMerge(ResultModel):
    """What else is needed to put the results of several engines together.

    Percentiles cannot be, but histograms can; they are written as those of `histograms` are.
    """

    first_byte: str
    connect: str
    tls: str
    lag: str
    first_item: str
    last_item: str
    operations: tuple[str, ...]
    """Response times, in the order of the target's `operations`."""
    client_ns: int
    """The clients' time that `little_closure` is a share of."""


class Second(ResultModel):
    """One second of a window."""

    second: int
    transactions: int
    errors: int
    service_p50_us: float
    service_p99_us: float
    response_p99_us: float


class WindowBytes(ResultModel):
    """Bytes of the recorded slices: on the sockets, and message bodies only.

    Of bytes on the sockets, the guard's are taken off by its share of the transactions.
    """

    sent: int
    received: int
    payload_sent: int
    payload_received: int
    payload_decoded: int | None = None
    """The bodies received, after their content encoding was taken off."""


class LifetimeBytes(ResultModel):
    """What the kernel counted in the whole life of the connections, with set-up and warm-up.

    `sent` and `received` are bytes of the TCP streams, each counted once. Over QUIC, what its own
    machinery counted: bytes in datagrams, with those sent again; datagrams; and packets lost.
    """

    connections: int
    sent: int
    received: int
    segments_out: int
    segments_in: int
    retransmitted: int


class Bytes(ResultModel):
    """Bytes from the client's side."""

    window: WindowBytes
    lifetime: LifetimeBytes


class TlsUse(ResultModel):
    """How the connections were secured, over all there have been, set-up and warm-up included."""

    trust: Literal["system", "ca", "insecure"]
    """Whose certificates were accepted; insecure: any."""
    version: str
    cipher_suite: str
    """`unknown` over QUIC, whose machinery keeps it to itself."""
    handshakes: int
    resumed: int
    """How many of the handshakes took up the session of an earlier one."""


class PrecisionEstimate(ResultModel):
    """A figure by batch means: its value, and half the width of its 95 % interval as a share."""

    value_us: float
    half_width: float
    batches: int
    batch_s: float
    correlation: float
    """Between a batch and the next; what there is of it has widened the interval."""


class Precision(ResultModel):
    """How well the figure is known at which the run was to stop."""

    of: str
    wanted_half_width: float
    reached: bool
    estimate: PrecisionEstimate | None
    """None where the window was too short to say."""


class OperationResult(ResultModel):
    """What became of one of several operations."""

    name: str
    transactions: int
    failed: int
    errors: Mapping[str, int]
    throughput_per_s: float
    response_us: Summary


class Answers(ResultModel):
    """Answers to requests with `sample`."""

    seen: int
    """They passed all checks, and might have been kept."""
    kept: int


class Mismatch(ResultModel):
    """A reply that was not as expected."""

    operation: str
    parameter_set: int
    reason: str
    status: int | None
    expected: str
    got: str
    excerpt: str


class TargetResult(ResultModel):
    """What was measured of one target, over all its recorded slices."""

    name: str
    window: Window
    engine: TargetUse
    idle_cpu_share: Mapping[str, float | None]
    """By role: the share of one CPU that it used outside its target's slices, between the first and
    the last slice of the job. None where it could not be read, or there was no such time."""
    counts: Counts
    statuses: Mapping[int, int] = {}
    """How many replies had each status, of HTTP or of gRPC; empty where the protocol has none."""
    throughput_per_s: float
    offered_rate_per_s: float | None
    little_closure: float
    """The share of the clients' time that service and thinking account for, without the time in
    which no connection could take their requests."""
    precision: Precision | None = None
    """Of its last slice; None unless that asked for one."""
    latency_us: Latencies
    items: ItemsOfStreams | None = None
    """Of a target with streams."""
    histograms: Histograms
    to_merge: ToMerge | None = None
    """None unless the job has an `agent`."""
    series: tuple[Second, ...]
    """Empty where there were several recorded slices: then they are the series."""
    bytes: Bytes
    tls: TlsUse | None = None
    """None in clear text."""
    mismatches: tuple[Mismatch, ...]
    operations: tuple[OperationResult, ...] = ()
    """Of several, in the order of the job; beyond 200 the others are one. Empty if there is one."""
    answers: Answers | None = None
    """None where no request asks for a sample."""


class EngineResult(ResultModel):
    """result.json."""

    format: Literal["wirelab-result/2"]
    interrupted: bool
    engine: EngineUse
    targets: tuple[TargetResult, ...]
    """In the order of the job."""
    slices: tuple[SliceRow, ...]
    """In the order in which they were carried out, rehearsals included."""

    def target(self, name: str) -> TargetResult:
        """Return what was measured of a target. Raises KeyError where it has no such target."""
        for target in self.targets:
            if target.name == name:
                return target
        raise KeyError(name)

    @property
    def only(self) -> TargetResult:
        """What was measured of the only target. Raises ValueError where there are several."""
        (target,) = self.targets
        return target

    @classmethod
    def read(cls, path: Path) -> "EngineResult":
        """Read a result file; raises `EngineError` when it is not one."""
        try:
            return cls.model_validate_json(path.read_bytes())
        except (OSError, ValidationError) as error:
            raise EngineError(f"cannot read the engine's result {path}: {error}") from error


def decode_histogram(text: str) -> HdrHistogram:
    """Decode one of the histograms; its values are nanoseconds."""
    return HdrHistogram.decode(text)
