"""Requests and replies on the wire, and their meaning, independent of the protocol."""

import zlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from wirelab.domain import pointer
from wirelab.domain.refusal import RefusalOrFault
from wirelab.inputs.request_target import request_target
from wirelab.terminal.untrusted import visible

Headers = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class WireRequest:
    """One encoded request, which the engine sends repeatedly.

    `path` is a URL path with query, or the full name of a gRPC method; it is quoted here, once for
    verification and load. `body` is what follows the headers, one protobuf message without its
    frame, or one WebSocket message.
    """

    method: str
    path: str
    headers: Headers = ()
    body: bytes = b""
    binary: bool = False
    introduction: "QueryIntroduction | None" = None
    """The request to send first if a server does not know this one yet."""
    session: "ClientSession | None" = None
    """The session that it belongs to, which a client opens before."""
    stream: bool = False
    """Whether its reply is a stream of items that the server ends."""
    until: tuple[str, ...] = ()
    """The texts of the message that ends the stream of a WebSocket, and is no item."""
    item_pointer: str | None = None
    """Where the JSON of an event must have a value, so that it is an item of the stream."""
    send: int = 1
    """Number of times to send `body`, as a stream of messages that then ends (gRPC)."""
    in_turn: bool = False
    """Whether each message except the first waits for an item of the reply."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", request_target(self.path))


@dataclass(frozen=True, slots=True)
class QueryIntroduction:
    """A request that registers another one with a server that answers that with `unknown`."""

    request: WireRequest
    unknown: bytes

    def is_requested_by(self, reply: "WireReply") -> bool:
        """Return whether the reply to the other request requires this one."""
        return self.unknown in reply.body


@dataclass(frozen=True, slots=True)
class ClientSession:
    """What a client sends before other requests, each of which then has the id of its session.

    The answer to the first request of `opening` has the id in `header`; those after it have the id,
    too. A server that answers 404 has ended the session (MCP 2025-11-25, Session Management).
    """

    opening: tuple[WireRequest, ...]
    header: str
    closing: WireRequest | None = None
    """Ends the session; if it is given, each request has a session of its own."""

    def named(self, request: WireRequest, session_id: str) -> WireRequest:
        """Return a request with the id of its session; unchanged if the server gives none."""
        if not session_id:
            return request
        return replace(request, headers=(*request.headers, (self.header, session_id)))


@dataclass(frozen=True, slots=True)
class WireReply:
    """One reply as received: an HTTP or gRPC status (None if there is none) and the body.

    `message` is grpc-message, or the reason why a WebSocket was closed. `version` is that of HTTP,
    such as HTTP/1.1; "" if unknown. `items` are the messages of a stream over gRPC or a WebSocket,
    which `body` has concatenated.
    """

    status: int | None
    headers: Headers
    body: bytes
    message: str = ""
    version: str = ""
    items: tuple[bytes, ...] = ()
    asked: bytes = b""
    """The body of the request; empty if it is not known."""
    is_renewed: bool = False
    """Whether its session had ended, and was opened again for this reply."""

    def header(self, name: str) -> str:
        """Return the value of a header; "" if it is absent."""
        return next((value for key, value in self.headers if key.lower() == name.lower()), "")

    @property
    def content(self) -> bytes:
        """The decoded body; unchanged if its encoding is neither gzip nor deflate."""
        if self.header("content-encoding").lower() in ("gzip", "x-gzip", "deflate"):
            with suppress(zlib.error):
                return zlib.decompress(self.body, zlib.MAX_WBITS | 32)  # either header
        return self.body


@dataclass(frozen=True, slots=True)
class Answer:
    """The operation was performed; `value` is JSON-like with keys in snake_case.

    `instead` are the pointers to what the response has if it has nothing at that of the answer.
    """

    value: object
    instead: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Refusal:
    """The operation was not performed.

    `remark` describes an unusual form of the refusal, for a warning; usually "".
    """

    kind: RefusalOrFault
    detail: str
    remark: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "detail", visible(self.detail))


@dataclass(frozen=True, slots=True)
class Expectation:
    """What the engine checks in every reply; None or () if it cannot be known in advance.

    `body_xxh3` is XXH3-64 of the body in 16 hexadecimal digits, `body_length` its bytes.
    """

    status: int | None = None
    body_xxh3: str | None = None
    body_length: int | None = None
    must_not_contain: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Malformed:
    """A request that no server of this protocol may accept, and the correct refusals."""

    what: str
    request: WireRequest
    refusals: Sequence[RefusalOrFault] = ("invalid",)


def answer_at(response: object, path: str) -> Answer:
    """Return the part of a response that a pointer leads to as the answer; null if it has none."""
    value = pointer.find(response, path)
    return Answer(value, () if value is not None else tuple(pointer.nearby(response, path)))


class CannotEncodeError(Exception):
    """These parameters cannot be encoded in this protocol: its types forbid them."""


class InterfaceError(Exception):
    """A native description of the interface cannot be read; the text gives position and reason."""
