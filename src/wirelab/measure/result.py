"""The engine's result: what `wirelab-load` has measured, as its file says it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from hdrh.histogram import HdrHistogram
from pydantic import BaseModel, ConfigDict, ValidationError

from wirelab.measure.errors import EngineError

RESULT = "result.json"


class ResultModel(BaseModel):
    """A part of a result."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


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


class Warm(ResultModel):
    """What a warm-up came to: the event `warm`."""

    target: int
    """Index into the job's targets."""
    seconds: float
    transactions: int
    failed: int
    errors: Mapping[str, int]
    mean_us: float | None
    """Response times of the transactions that succeeded; None without any."""
    median_us: float | None
    p99_us: float | None


class Judged(ResultModel):
    """How a slice did by its objective."""

    due: int
    """All that should have been sent in it: those sent, never sent and dropped."""
    good: int
    """Answered rightly within the first limit; without a limit, answered rightly."""
    loss_ratio: float
    """The share that was late, failed or never sent; above the share that the first condition
    allows exactly if some condition is not kept."""
    is_kept: bool


class SliceRow(ResultModel):
    """One slice: an event `slice`, and a row of the result."""

    number: int
    """From 0, over all slices of the job."""
    target: int
    """Index into the job's targets."""
    recorded: bool
    """False: a rehearsal, which is in no total, histogram or sample."""
    first: int
    """Where in the list of transactions the recorded part began."""
    started_ns: int
    """Of the recorded part, by the engine's clock: nanoseconds since it was started."""
    ended_ns: int
    """The end of the last recorded transaction, or of the stop rule if that is later."""
    guard_ns: int
    drain_ns: int
    """From when nothing more was recorded until everything had ended. Behind a guard, load goes on
    in it, unrecorded, until the last recorded transaction has ended."""
    transactions: int
    """They started in the recorded part, as all that follows is about them."""
    failed: int
    errors: Mapping[str, int]
    late: int
    never_sent: int
    dropped: int
    """Under way when the job was interrupted in this slice; in none of the other counts."""
    mean_us: float | None
    """Response times of the transactions that succeeded; None without any. Percentiles are values
    that occurred (inverted CDF); beyond 1,048,576 transactions of a worker they are right within a
    thousandth."""
    median_us: float | None
    p90_us: float | None
    p99_us: float | None
    min_us: float | None
    max_us: float | None
    first_byte_mean_us: float | None
    bytes_sent: int
    """On the sockets, without TLS."""
    bytes_received: int
    engine_cpu_us: float
    """Of the engine's workers, from the start of the guard to the end of the drain."""
    cpu_us: Mapping[str, float | None]
    """By role, from the reading before the guard to the one after the drain; None: it is gone."""
    share_recorded: float
    """Recorded transactions as a share of all between these readings: the others are those of the
    guard, and those behind the last recorded one."""
    clock_gap_us: float
    """The sum of intervals above 1 ms in which the engine did not get to run although it had work:
    its CPU was stolen, or another program had it."""
    steal_us: tuple[float, ...]
    """By CPU of the machine, between the readings: what the hypervisor gave to others."""
    judged: Judged | None = None
    """None for a slice without an objective."""


class Rung(ResultModel):
    """So many clients, each with its next request as soon as it has its answer."""

    clients: int
    rate_per_s: float
    is_kept: bool


class Bounds(ResultModel):
    """What a search has found for one goal."""

    exceed_ratio: float
    """The share of a rate's trials that may miss the objective."""
    lower_per_s: float | None
    """The highest rate that is sustained."""
    upper_per_s: float | None
    """The lowest rate that is not."""
    throughput_per_s: float | None
    """What of the lower bound was answered in time: the conditional throughput of RFC 9971."""
    outcome: Literal["found", "every rate", "no rate", "unfinished"]


class Trial(ResultModel):
    """One trial of a search."""

    at_s: float
    """Since the search began."""
    rate_per_s: float
    seconds: float
    due: int
    good: int
    loss_ratio: float
    is_kept: bool
    """This and the three before it are those of a slice's `judged`."""
    failed: int
    never_sent: int
    errors: Mapping[str, int]
    median_us: float | None
    p99_us: float | None
    engine_busy_share: float


class CapacityFound(ResultModel):
    """What a search came to: the event `capacity`.

    The JSON of `--find-capacity` is the same without `target`.
    """

    format: Literal["wirelab-capacity/1"]
    target: int | None = None
    """Index into the job's targets."""
    interrupted: bool
    out_of_time: bool
    """The time was over before all bounds were found."""
    url: str
    load: str
    objective: str
    allowed_loss_ratio: float
    trial_s: float
    duration_sum_s: float
    """With so much time in trials a rate is classified, whatever they came to."""
    seed: int
    seconds: float
    ladder: tuple[Rung, ...]
    goals: tuple[Bounds, ...]
    """The headline first."""
    trials: tuple[Trial, ...]
    change: float | None
    """What the ladder's best rung did at the end over what it did at the beginning; below 1/1.3 or
    above 1.3 the server is not what it was, and the bounds mix both."""
    warnings: tuple[str, ...]


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
