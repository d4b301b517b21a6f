"""The engine's job: what `wirelab-load` is told to do, exactly as its file says it."""

import binascii
from base64 import b64decode, b64encode
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, PlainSerializer, model_validator

from wirelab.measure.load import (
    Closed,
    Connections,
    Constant,
    Count,
    Cycle,
    JobModel,
    Order,
    Pacer,
    Poisson,
    Precision,
    Ramp,
    Replay,
    Shuffle,
    Stage,
    Stages,
    Staircase,
    Stop,
    Wait,
    WarmUp,
)

__all__ = [
    "Agent",
    "Body",
    "Closed",
    "Connections",
    "Constant",
    "Cycle",
    "Endpoint",
    "Expect",
    "Header",
    "Job",
    "Message",
    "Order",
    "Pacer",
    "Permutations",
    "Poisson",
    "Precision",
    "Ramp",
    "Replay",
    "Request",
    "Role",
    "Shuffle",
    "Slice",
    "Stage",
    "Stages",
    "Staircase",
    "Stop",
    "Stream",
    "Target",
    "Tls",
    "Transaction",
    "Transport",
    "Wait",
    "WarmUp",
]

Header = tuple[str, str]
Transport = Literal["http1", "http2", "http3", "grpc", "websocket"]


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
    certificate: Path | None = None
    """A PEM file of our own certificate, with the chain to its CA, for servers that ask for one."""
    key: Path | None = None
    """A PEM file of its private key."""

    @model_validator(mode="after")
    def _one_trust(self) -> Self:
        if self.insecure and self.ca is not None:
            raise ValueError("either a file of certificates or insecure, not both")
        return self

    @model_validator(mode="after")
    def _whole_identity(self) -> Self:
        if (self.certificate is None) != (self.key is None):
            raise ValueError("certificate and key, or neither")
        return self


class Message(JobModel):
    """A message, as it is."""

    body: Body = b""
    binary: bool = False


class Endpoint(JobModel):
    """Where a server is, and in which protocol it is spoken to."""

    transport: Transport
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


class Expect(JobModel):
    """What every reply must be like; None is not looked at."""

    status: int | None = None
    body_xxh3: Annotated[str, Field(pattern="^[0-9a-f]{16}$")] | None = None
    body_length: int | None = None
    must_not_contain: tuple[str, ...] = ()
    items: int | None = None
    """Of a stream."""
    sample: bool = False
    """Keep the first, the last and 459 random answers that pass, for somebody who knows what they
    mean, in answers.jsonl beside the result: where right answers differ in their bytes. Bodies of
    more than 256 KiB are not kept."""


class Stream(JobModel):
    """A request whose reply is a stream of items, which are counted and timed.

    Without `until_...` the server ends the stream. The body that is expected is all of it, over
    gRPC and WebSocket the messages one after the other; at most 4 GiB.
    """

    items: Literal["messages", "events", "lines", "chunks"] | None = None
    """Default messages with grpc and websocket, otherwise events (server-sent, with data);
    lines: those that are not empty; chunks: of HTTP/1.1, or frames of HTTP/2 and HTTP/3."""
    send: Annotated[int, Field(ge=0)] = 1
    """How many times the body is sent as a message (grpc); 0 only listens (websocket as well)."""
    in_turn: bool = False
    """The next message is sent when an item has come for the last one (grpc)."""
    until_items: Count | None = None
    """The reply is complete after this number of items, and the rest of it cancelled."""
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


class Role(JobModel):
    """Whose CPU time is counted: that of a process tree, or of a control group."""

    pid: Count | None = None
    """The root of the process tree."""
    cgroup: Path | None = None
    """The file in which the kernel counts: `cpuacct.usage` (version 1), `cpu.stat` (version 2)."""

    @model_validator(mode="after")
    def _is_one_of_them(self) -> Self:
        if (self.pid is None) == (self.cgroup is None):
            raise ValueError("either a pid or a cgroup")
        if self.cgroup is not None and self.cgroup.name not in {"cpuacct.usage", "cpu.stat"}:
            raise ValueError("cgroup: a file called cpuacct.usage or cpu.stat")
        return self


class Target(Endpoint):
    """A server, and the load that is put on it in its turns."""

    name: str
    """Unique within the job."""
    connections: Connections = Connections()
    """They stay open from the beginning of the job to its end."""
    pacer: Pacer = Closed()
    wait: Wait = "precise"
    arrival: Literal["kernel", "engine"] | None = None
    """Who says when an answer came: the kernel, when it got the packet, or the engine, when it had
    been woken to read it. Default the kernel, but with clients (closed) the engine: their next
    request comes after it, so waking up is a part of their time."""
    order: Order = Cycle()
    requests: Annotated[tuple[Request, ...], Field(min_length=1)]
    transactions: Annotated[tuple[Transaction, ...], Field(min_length=1)]
    roles: Mapping[str, Role] = {}
    """Whose CPU time is read before and after each of its slices, by the name of the role."""

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


class Permutations(JobModel):
    """Slices by permutations: in each of them every target named has one slice, in this order.

    A target's slices go on in the list of its transactions where its last one stopped.
    """

    permutations: Annotated[tuple[tuple[int, ...], ...], Field(min_length=1)]
    """Of indices into the targets."""
    stop: Stop
    """Of each slice."""
    guard_us: Annotated[int, Field(ge=0)] = 0
    """How long load runs before each slice that is not recorded, and flows into it; then it goes on
    behind the slice, too, until the last recorded transaction has ended."""


class Agent(JobModel):
    """One of several engines that share the load of a job: they have the same job but for this.

    Connections and clients are divided among them; a constant rate, or any other schedule, is dealt
    out in turn; arrivals at random are independent streams, together of the whole rate.
    """

    number: Annotated[int, Field(ge=0)]
    """From 0."""
    of: Count
    """At most as many as the connections, and clients, of any target."""

    @model_validator(mode="after")
    def _is_one_of_them(self) -> Self:
        if self.number >= self.of:
            raise ValueError(f"number: below {self.of}")
        return self


class Job(JobModel):
    """job.json. What is to be done is said by exactly one of `stop`, `slices` and `control`."""

    format: Literal["wirelab-job/2"] = "wirelab-job/2"
    targets: Annotated[tuple[Target, ...], Field(min_length=1)]
    roles: Mapping[str, Role] = {}
    """Whose CPU time is read before and after every slice, whichever target's it is."""
    warm_up: WarmUp = WarmUp()
    """Of each target, before anything else. Not with `control`, which has a command for it."""
    stop: Stop | None = None
    """One window for each target, one after the other: a slice without a guard."""
    slices: Permutations | None = None
    control: bool = False
    """Commands come on standard input, one JSON object a line."""
    cpus: tuple[int, ...] = ()
    """For each target one worker on each; none: one worker, wherever the kernel puts it."""
    real_time: bool = False
    """Let no other program have these CPUs while the engine wants them, where that is permitted
    (SCHED_FIFO; needs the capability SYS_NICE). For CPUs that nothing under test needs. Not with
    `wait` = `spin`: the kernel throttles real-time threads that never sleep (RT throttling), for up
    to 50 ms of each second."""
    output: Path
    samples: bool = True
    seed: int = 1
    agent: Agent | None = None
    """Default: this engine carries all of the load."""

    @model_validator(mode="after")
    def _names_are_unique(self) -> Self:
        names = [target.name for target in self.targets]
        if len(set(names)) < len(names):
            raise ValueError("targets: names that are unique")
        for target in self.targets:
            if both := target.roles.keys() & self.roles.keys():
                raise ValueError(f"roles: {', '.join(sorted(both))} is a role of {target.name}")
        return self

    @model_validator(mode="after")
    def _says_what_is_to_be_done(self) -> Self:
        if [self.stop is not None, self.slices is not None, self.control].count(True) != 1:
            raise ValueError("exactly one of stop, slices and control")
        if self.control and self.warm_up != WarmUp():
            raise ValueError("warm_up: none with control, which has a command for it")
        return self

    @model_validator(mode="after")
    def _ends(self) -> Self:
        stop = self.stop or (self.slices.stop if self.slices else None)
        end_by_themselves = all(
            isinstance(target.pacer, Replay | Stages) for target in self.targets
        )
        if stop is not None and not stop.ends and not end_by_themselves:
            raise ValueError("stop: transactions, seconds or transactions_per_client")
        return self

    @model_validator(mode="after")
    def _permutations_are_of_targets(self) -> Self:
        if self.slices is not None:
            known = range(len(self.targets))
            for permutation in self.slices.permutations:
                if not permutation or any(index not in known for index in permutation):
                    raise ValueError(f"permutations: indices into the {len(known)} targets")
        return self

    def write(self, path: Path) -> None:
        """Write the file that the engine reads."""
        path.write_text(self.as_json())

    def as_json(self) -> str:
        """Return the content of that file."""
        # With control, commands say what a plain job has to say itself.
        without = {"warm_up", "stop", "slices"} if self.control else set()
        return self.model_dump_json(indent=1, exclude=without, exclude_none=True) + "\n"


class Slice(JobModel):
    """One turn of a target, as the command `slices` has it: guard, recorded part, drain."""

    target: Annotated[int, Field(ge=0)]
    """Index into the job's targets."""
    first: Annotated[int, Field(ge=0)] | None = None
    """Where in the list of the target's transactions the recorded part begins, modulo its length
    and counted over all workers; default where its last slice stopped."""
    guard_us: Annotated[int, Field(ge=0)] = 0
    """How long load runs before the recorded part, into which it flows; then it goes on behind that
    part, too, until the last recorded transaction has ended. 0 for a load with a shape (ramp,
    staircase, stages, replay)."""
    begin_monotonic_ns: Annotated[int, Field(ge=0)] | None = None
    """When load begins, guard included: a time to come, by the kernel's monotonic clock; default as
    soon as possible."""
    stop: Stop
    """It counts and times the recorded part alone."""
    seed: Annotated[int, Field(ge=0)] | None = None
    """Of a Poisson pacer, in place of its own: the same for all targets of a permutation."""
    rate_per_s: Annotated[float, Field(ge=0.001, le=1e8)] | None = None
    """The rate of this slice, in place of the target's own load: at random times with a target
    whose pacer is `poisson`, else evenly spaced."""
    clients: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    """So many clients in this slice, in place of the target's own load: each has its next
    transaction as soon as its last one has ended."""
    objective: str | None = None
    """What the slice is held against: conditions such as `p99<50ms`, or `p99<50ms,failed<0.1%`."""
