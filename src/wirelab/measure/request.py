"""Where the engine finds a server, what it asks there, and what replies must be like."""

import binascii
from base64 import b64decode, b64encode
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, PlainSerializer, model_validator

from wirelab.measure.load import Count, JobModel

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
