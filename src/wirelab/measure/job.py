"""The engine's job: what `wirelab-load` is told to do, exactly as its file says it."""

import binascii
from base64 import b64decode, b64encode
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    model_validator,
)

Count = Annotated[int, Field(ge=1)]
Header = tuple[str, str]


def _from_base64(value: Any) -> Any:
    """Read what a file holds; bytes of our own are taken as they are."""
    if not isinstance(value, str):
        return value
    try:
        return b64decode(value, validate=True)
    except binascii.Error as error:
        raise ValueError("base64") from error


Body = Annotated[
    bytes,
    BeforeValidator(_from_base64),
    PlainSerializer(lambda body: b64encode(body).decode(), when_used="json"),
]


class JobModel(BaseModel):
    """A part of a job."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Tls(JobModel):
    """How connections are secured: TLS 1.3 or 1.2.

    The protocol is negotiated (ALPN): `http2` and `grpc` insist on h2. `http3` is always over TLS
    1.3, which is a part of QUIC.
    """

    ca: Path | None = None
    """A PEM file of the certificates to trust; default what the system trusts."""
    insecure: bool = False
    """Accept any certificate; the result says so."""
    server_name: str | None = None
    """Whom the certificate must be for; default the host of the authority."""
    version: Literal["1.2", "1.3"] | None = None
    """The only version to offer; default both."""
    resumption: bool = True
    """Later connections take up the session of earlier ones, if the server lets them."""

    @model_validator(mode="after")
    def _one_trust(self) -> Self:
        if self.insecure and self.ca is not None:
            raise ValueError("either a file of certificates or insecure, not both")
        return self


class Message(JobModel):
    """A message, as it is."""

    body: Body = b""
    binary: bool = False


class Target(JobModel):
    """Where the load goes, and in which protocol."""

    transport: Literal["http1", "http2", "http3", "grpc", "websocket"]
    rpc: Literal["grpc_web", "grpc_web_text", "connect"] | None = None
    """Unary calls over http1 or http2: bodies are messages, and the status is gRPC's."""
    address: str
    """host:port; where a name has several addresses, the first one that answers."""
    authority: str | None = None
    """The name of the server as requests give it; default the address."""
    path: str = "/"
    """Of the opening handshake, where the transport has one."""
    headers: tuple[Header, ...] = ()
    subscribe: Message | None = None
    """Sent once on each WebSocket, for what the server sends from then on."""
    accept_encoding: tuple[Literal["gzip", "deflate", "br", "zstd"], ...] = ()
    """What bodies may be encoded in, or with gRPC (not "br") messages of unary calls; they are
    decoded before they are checked. Not with websocket."""
    tls: Tls | None = None
    """Default clear text; with `http3`, TLS with the certificates that the system trusts."""

    @property
    def is_secure(self) -> bool:
        """Whether TLS is spoken."""
        return self.tls is not None or self.transport == "http3"


class Connections(JobModel):
    """How many connections, and how they are used."""

    count: Count = 1
    streams_per_connection: Count = 1
    """How many requests at most are under way on each: streams of HTTP/2, HTTP/3 and gRPC, or
    WebSocket messages that wait for their answers, which come in the order of asking; 1 with
    http1."""
    reuse: bool = True
    """False: a fresh connection for each request, whose set-up is timed as `connect`."""
    connect_timeout_ms: Count = 5_000
    request_timeout_ms: Count = 10_000


class Closed(JobModel):
    """Clients that send their next transaction when the last one was answered."""

    kind: Literal["closed"] = "closed"
    clients: Count = 1
    think_time_us: Annotated[int, Field(ge=0)] = 0
    """From the end of each of a client's transactions to the intended start of its next."""


class Constant(JobModel):
    """Transactions at equal distances, whether the server keeps up or not."""

    kind: Literal["constant"] = "constant"
    rate_per_s: Annotated[float, Field(gt=0)]


class Poisson(JobModel):
    """Transactions at random, with the gaps of independent users."""

    kind: Literal["poisson"] = "poisson"
    rate_per_s: Annotated[float, Field(gt=0)]
    seed: int = 1


class Ramp(JobModel):
    """A rate that grows or falls evenly for so many seconds; then the last one stays."""

    kind: Literal["ramp"] = "ramp"
    from_rate_per_s: Annotated[float, Field(gt=0)]
    to_rate_per_s: Annotated[float, Field(gt=0)]
    seconds: Annotated[float, Field(gt=0)]


class Staircase(JobModel):
    """So many constant rates, evenly spread between two, one after the other."""

    kind: Literal["staircase"] = "staircase"
    from_rate_per_s: Annotated[float, Field(gt=0)]
    to_rate_per_s: Annotated[float, Field(gt=0)]
    steps: Annotated[int, Field(ge=2)]
    step_seconds: Annotated[float, Field(gt=0)]


class Replay(JobModel):
    """Transactions at the times of a list; with the last of them the window ends."""

    kind: Literal["replay"] = "replay"
    times_us: Annotated[tuple[Annotated[float, Field(ge=0)], ...], Field(min_length=1)]
    """From the start of the window, ascending."""

    @model_validator(mode="after")
    def _ascend(self) -> Self:
        if any(later < earlier for earlier, later in pairwise(self.times_us)):
            raise ValueError("times that do not go back")
        return self


Pacer = Annotated[
    Closed | Constant | Poisson | Ramp | Staircase | Replay, Field(discriminator="kind")
]

Wait = Literal["precise", "tick", "spin", "sleep_then_spin"]
"""How an open load's next transaction is waited for: by a sleep that ends on time; by a tick each
millisecond (cheap, and up to 1 ms late); by polling (a whole CPU); by sleeping and then polling.
"""


class WarmUp(JobModel):
    """What comes before the window and is not recorded; both must be reached."""

    transactions: Annotated[int, Field(ge=0)] = 0
    seconds: Annotated[float, Field(ge=0)] = 0.0


class Precision(JobModel):
    """Ends the window as soon as a figure of the response times is known well enough.

    By batch means, so that requests which have much in common are not taken for many.
    """

    of: Literal["mean", "p50", "p90", "p95", "p99", "p999"] = "mean"
    half_width: Annotated[float, Field(ge=0.0001, le=0.5)]
    """Of the 95 % interval, as a share of the figure itself."""


class Stop(JobModel):
    """What ends the window; the first one reached. Only a replay needs none of them."""

    transactions: Count | None = None
    seconds: Annotated[float, Field(gt=0)] | None = None
    transactions_per_client: Count | None = None
    precision: Precision | None = None
    """With it, `seconds` is the longest that it may take."""

    @model_validator(mode="after")
    def _is_bounded(self) -> Self:
        if self.precision is not None and self.seconds is None:
            raise ValueError("seconds: the longest time that the precision may take")
        return self

    @property
    def ends(self) -> bool:
        """Whether it says when."""
        conditions = (self.transactions, self.seconds, self.transactions_per_client)
        return any(condition is not None for condition in conditions)


class Cycle(JobModel):
    """The transactions as listed, again and again."""

    kind: Literal["cycle"] = "cycle"


class Shuffle(JobModel):
    """Every pass over the transactions in another order."""

    kind: Literal["shuffle"] = "shuffle"
    seed: int = 1


Order = Annotated[Cycle | Shuffle, Field(discriminator="kind")]


class Expect(JobModel):
    """What every reply must be like; None is not looked at."""

    status: int | None = None
    body_xxh3: Annotated[str, Field(pattern="^[0-9a-f]{16}$")] | None = None
    body_length: int | None = None
    must_not_contain: tuple[str, ...] = ()
    items: int | None = None
    """Of a stream."""


class Stream(JobModel):
    """A request whose reply is a stream of items, which are counted and timed.

    Without `until_...` the server ends the stream. The body that is expected is all of it, over
    gRPC and WebSocket the messages one after the other; at most 256 MiB.
    """

    items: Literal["messages", "events", "lines", "chunks"] | None = None
    """Default messages with grpc and websocket, otherwise events (server-sent, with data);
    lines: those that are not empty; chunks: of HTTP/1.1, or frames of HTTP/2 and HTTP/3."""
    send: Annotated[int, Field(ge=0)] = 1
    """How many times the body is sent as a message (grpc); 0 only listens (websocket as well)."""
    in_turn: bool = False
    """The next message is sent when an item has come for the last one (grpc)."""
    until_items: Count | None = None
    """The reply is complete with so many items, and the rest of it cancelled."""
    until_ms: Count | None = None
    """The reply is complete after this time, however many items have come."""


class Request(JobModel):
    """One request, encoded."""

    method: str = "GET"
    path: str = "/"
    headers: tuple[Header, ...] = ()
    body: Body = b""
    binary: bool = False
    """A WebSocket message of bytes instead of text."""
    stream: Stream | None = None
    deadline_ms: Count | None = None
    """The time for the whole reply; default `request_timeout_ms`. gRPC tells it to the server."""
    expect: Expect = Expect()


class Transaction(JobModel):
    """One logical operation: rounds of indices into the requests, parallel inside a round."""

    operation: str
    parameter_set: int = 0
    rounds: tuple[tuple[int, ...], ...]
    """A round begins when all requests of the last one are answered as expected; with one that is
    not, the transaction has failed and ends with its round. Requests of a round take whatever
    connections and streams are free."""


class Job(JobModel):
    """job.json."""

    format: Literal["wirelab-job/1"] = "wirelab-job/1"
    target: Target
    connections: Connections = Connections()
    pacer: Pacer = Closed()
    wait: Wait = "precise"
    arrival: Literal["kernel", "engine"] | None = None
    """Who says when an answer came: the kernel, when it got the packet, or the engine, when it had
    been woken to read it. Default the kernel, but with clients (closed) the engine: their next
    request comes after it, so waking up is a part of their time."""
    warm_up: WarmUp = WarmUp()
    stop: Stop = Stop()
    order: Order = Cycle()
    requests: Annotated[tuple[Request, ...], Field(min_length=1)]
    transactions: Annotated[tuple[Transaction, ...], Field(min_length=1)]
    cpus: tuple[int, ...] = ()
    """One worker on each; none: one worker, wherever the kernel puts it."""
    real_time: bool = False
    """Let no other program have these CPUs while the engine wants them, where that is permitted
    (SCHED_FIFO; needs the capability SYS_NICE). For CPUs that nothing under test needs. Not with
    `wait` = `spin`: the kernel stops whoever never sleeps for up to 50 ms of each second."""
    handshake: bool = False
    """Wait for "go" between warm-up and window."""
    output: Path
    samples: bool = True
    seed: int = 1

    @model_validator(mode="after")
    def _rounds_point_at_requests(self) -> Self:
        known = range(len(self.requests))
        for transaction in self.transactions:
            indices = [index for round_ in transaction.rounds for index in round_]
            if not indices or any(index not in known for index in indices):
                raise ValueError(f"rounds of indices into the {len(known)} requests")
        return self

    @model_validator(mode="after")
    def _is_dated_by_the_engine_if_closed(self) -> Self:
        if self.arrival == "kernel" and isinstance(self.pacer, Closed):
            raise ValueError("arrival: engine, or a pacer with a schedule")
        return self

    @model_validator(mode="after")
    def _ends(self) -> Self:
        if not self.stop.ends and not isinstance(self.pacer, Replay):
            raise ValueError("stop: transactions, seconds or transactions_per_client")
        return self

    def write(self, path: Path) -> None:
        """Write the file that the engine reads."""
        path.write_text(self.model_dump_json(indent=1) + "\n")
