"""The engine's result: what `wirelab-load` has measured, as its file says it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from hdrh.histogram import HdrHistogram
from pydantic import BaseModel, ConfigDict, ValidationError

from wirelab.measure.errors import EngineError


class ResultModel(BaseModel):
    """A part of a result."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class EngineUse(ResultModel):
    """What the load cost the engine itself in the window."""

    version: str
    cpus: tuple[int, ...]
    real_time: bool = False
    """Whether the engine ran on them before all other programs."""
    cpu_user_us: float
    cpu_system_us: float
    busy_share: float
    cpu_us_per_transaction: float
    memory_peak_bytes: int
    clock: str
    arrival: Literal["kernel", "engine"] = "engine"
    """Who says when answers came: the kernel by its stamps, or the engine when it read them."""
    stamped_share: float | None = None
    """The share of readings that had a usable stamp of the kernel; the engine says of the others
    when they came. None where nobody asked the kernel."""


class Window(ResultModel):
    """When was measured."""

    started_unix_ns: int
    ended_unix_ns: int
    duration_s: float
    """To the end of the last transaction, or to an interruption that came after it."""


class Counts(ResultModel):
    """What became of the transactions of the window."""

    transactions: int
    succeeded: int
    failed: int
    errors: Mapping[str, int]
    """Failed transactions by the class of their first failure. Connecting: `connect_refused`,
    `connect_timeout`, `connect_failed`, `handshake_failed`. No whole reply: `timeout` (nothing
    came in time), `slow_reply` (it had begun), `closed_early` (the server closed the connection,
    or its side, before anything came), `truncated` (in the midst of it), `reset`, `stream_reset`,
    `goaway` (given up before it was looked at), `idle_timeout` (QUIC: silent for too
    long). A wrong one: `protocol_error`, `oversized`, `bad_encoding`, `status`, `grpc_status`,
    `body_mismatch`, `forbidden_content`, `item_count` (of a stream)."""
    late: int
    """Started more than 1 ms after they were due."""
    dropped: int
    """Under way when the run was interrupted; in none of the other counts."""
    never_sent: int
    """Due before the end and not sent, because no connection was free, or the engine late."""


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


class Second(ResultModel):
    """One second of the window."""

    second: int
    transactions: int
    errors: int
    service_p50_us: float
    service_p99_us: float
    response_p99_us: float


class WindowBytes(ResultModel):
    """Bytes of the window: on the sockets, and message bodies only."""

    sent: int
    received: int
    payload_sent: int
    payload_received: int
    payload_decoded: int | None = None
    """The bodies received, after their content encoding was taken off."""


class LifetimeBytes(ResultModel):
    """What the kernel counted in the whole life of the connections, set-up and warm-up included.

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
    """Whose certificates were accepted; insecure: anybody's."""
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


class Mismatch(ResultModel):
    """A reply that was not as expected."""

    operation: str
    parameter_set: int
    reason: str
    status: int | None
    expected: str
    got: str
    excerpt: str


class EngineResult(ResultModel):
    """result.json."""

    format: Literal["wirelab-result/1"]
    interrupted: bool
    engine: EngineUse
    window: Window
    counts: Counts
    throughput_per_s: float
    offered_rate_per_s: float | None
    little_closure: float
    """The share of the clients' time that service and thinking account for, without the time in
    which no connection could take their requests."""
    precision: Precision | None = None
    """None unless the job asked for one."""
    latency_us: Latencies
    items: ItemsOfStreams | None = None
    """Of a job with streams."""
    histograms: Histograms
    series: tuple[Second, ...]
    bytes: Bytes
    tls: TlsUse | None = None
    """None in clear text."""
    mismatches: tuple[Mismatch, ...]

    @classmethod
    def read(cls, path: Path) -> "EngineResult":
        """Read a result file; raises `EngineError` when it is not one."""
        try:
            return cls.model_validate_json(path.read_bytes())
        except (OSError, ValidationError) as error:
            raise EngineError(f"the engine's result {path} cannot be read: {error}") from error


def decode_histogram(text: str) -> HdrHistogram:
    """Decode one of the histograms; its values are nanoseconds."""
    return HdrHistogram.decode(text)
