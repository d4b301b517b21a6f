"""Where the engine finds a server, which requests it sends, and which replies it expects."""

import binascii
from base64 import b64decode, b64encode
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, PlainSerializer, model_validator

from wirelab.engine.load import Count, JobModel
from wirelab.inputs.request_target import request_target

Header = tuple[str, str]
Transport = Literal["http1", "http2", "http3", "grpc", "websocket"]


def _from_base64(value: Any) -> Any:
    """Decode base64 text from a file; leave other values unchanged."""
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
    """TLS settings of the connections: TLS 1.3 or 1.2.

    The protocol is negotiated by ALPN; `http2` and `grpc` require h2. `http3` always uses TLS 1.3,
    which is part of QUIC.
    """

    ca: Path | None = None
    """PEM file with the certificates to trust. Default: those that the system trusts."""
    insecure: bool = False
    """Accept any certificate. The result records it."""
    server_name: str | None = None
    """The name that the certificate must be valid for. Default: the host of the authority."""
    version: Literal["1.2", "1.3"] | None = None
    """The only version to offer. Default: both."""
    resumption: bool = True
    """Resume the TLS session of an earlier connection, if the server allows it."""
    certificate: Path | None = None
    """PEM file with the client certificate and its chain to the CA, if the server requests one."""
    key: Path | None = None
    """PEM file with the certificate's private key."""

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
    """A message, sent unchanged."""

    body: Body = b""
    binary: bool = False
    answers: Annotated[int, Field(ge=0, le=1000)] = 0
    """Number of messages that answer it; requests wait for them."""


class Endpoint(JobModel):
    """The address of a server, and the protocol to use."""

    transport: Transport
    rpc: Literal["grpc_web", "connect"] | None = None
    """Make unary calls over http1 or http2: bodies are messages, and the status is that of gRPC."""
    address: str
    """host:port, or unix:path of a Unix socket (not with http3). If the name has several addresses,
    the first one that answers is used."""
    sources: tuple[str, ...] = ()
    """IP addresses of this machine to connect from, which connections take in turn: each has its
    own 60,000 ports. Default: the system's choice."""
    authority: str | None = None
    """The server's name in requests. Default: the address."""
    path: Annotated[str, AfterValidator(request_target)] = "/"
    """Path of the opening handshake, if the transport has one."""
    headers: tuple[Header, ...] = ()
    subscribe: Message | None = None
    """Message to send once on each WebSocket, to subscribe to what the server then sends."""
    greetings: Annotated[int, Field(ge=0, le=1000)] = 0
    """Number of messages that the server sends by itself on each new WebSocket; requests wait for
    them. Without it, a message that answers no request is a violation of the protocol."""
    accept_encoding: tuple[Literal["gzip", "deflate", "br", "zstd"], ...] = ()
    """Content encodings to accept for bodies, or with gRPC (not "br") for messages of unary calls.
    They are decoded before they are checked. Not with websocket."""
    tls: Tls | None = None
    """Default: clear text; with `http3`, TLS with the certificates that the system trusts."""

    @property
    def is_secure(self) -> bool:
        """Whether the connections use TLS."""
        return self.tls is not None or self.transport == "http3"


class Expect(JobModel):
    """What every reply must match. Properties that are None are not checked."""

    status: int | None = None
    body_xxh3: Annotated[str, Field(pattern="^[0-9a-f]{16}$")] | None = None
    body_length: int | None = None
    must_not_contain: tuple[str, ...] = ()
    items: int | None = None
    """Number of items in a stream."""
    sample: bool = False
    """Keep the first, the last and 459 random answers that pass all checks, in answers.jsonl beside
    the result. Use it where correct answers differ in their bytes, and check them afterwards.
    Bodies of more than 256 KiB are not kept."""


class Stream(JobModel):
    """A request whose reply is a stream of items, which are counted and timed.

    Without `until_...`, the server ends the stream. The expected body is the whole stream (over
    gRPC and WebSocket: the concatenated messages), at most 4 GiB.
    """

    items: Literal["messages", "events", "lines", "chunks"] | None = None
    """What counts as an item. Default: messages with grpc and websocket, otherwise events
    (server-sent, with data). Lines: non-empty lines. Chunks: of HTTP/1.1, or frames of HTTP/2 and
    HTTP/3."""
    send: Annotated[int, Field(ge=0)] = 1
    """How many times to send the body as a message (grpc); 0 only listens (also with websocket)."""
    messages: tuple[Body, ...] = ()
    """Messages to send instead of the body, one after the other, and all of them `send` times
    (grpc)."""
    in_turn: bool = False
    """Send the next message when an item has arrived for the previous one (grpc)."""
    until_items: Count | None = None
    """The reply is complete after this number of items; the rest of it is cancelled."""
    until_ms: Count | None = None
    """The reply is complete after this time, whatever the number of items."""
    until_texts: tuple[str, ...] = ()
    """The reply is complete with the message that contains one of these texts, and is no item
    (websocket)."""
    pointer: str | None = None
    """JSON pointer (RFC 6901): only items count whose JSON has a value there that is neither null
    nor an empty text (events, lines, messages of websocket)."""
    stall_ms: Count = 1000
    """A longer gap between items is a stall."""


class Request(JobModel):
    """One encoded request."""

    method: str = "GET"
    path: str = "/"
    headers: tuple[Header, ...] = ()
    body: Body = b""
    binary: bool = False
    """Send a binary WebSocket message instead of a text message."""
    stream: Stream | None = None
    deadline_ms: Count | None = None
    """Time limit of the whole reply. Default: `request_timeout_ms`. gRPC sends it to the server."""
    expect: Expect = Expect()


class SessionStart(JobModel):
    """What each client sends once, before the load and not as a part of it (HTTP).

    A client of a load with a schedule is a connection. With `closing`, each transaction has a
    session of its own, which begins and ends it.
    """

    requests: Annotated[tuple[Request, ...], Field(min_length=1)]
    """One after the other."""
    header: str
    """The header of the first answer with the id of the session; later requests of the client
    have it, too. It is empty if the answer lacks it."""
    closing: Request | None = None
    """Ends the session. Default: sessions are kept."""
