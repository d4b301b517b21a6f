"""What goes over the wire and what it means, the same for every protocol."""

import zlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from wirelab.domain.refusal import RefusalOrFault

Headers = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class WireRequest:
    """One request, encoded: what the engine sends again and again.

    `path` is a URL path with query, or the full name of a gRPC method. `body` is what follows the
    headers, one protobuf message without its frame, or one WebSocket message.
    """

    method: str
    path: str
    headers: Headers = ()
    body: bytes = b""
    binary: bool = False
    introduction: "Introduction | None" = None
    """What goes before it where a server does not understand it yet."""
    stream: bool = False
    """Whether its reply is a stream of items, which the server ends."""
    send: int = 1
    """How often `body` is sent, as a stream of messages that ends after them (gRPC)."""
    in_turn: bool = False
    """Each message but the first waits for an item of the reply."""


@dataclass(frozen=True, slots=True)
class Introduction:
    """A request that teaches a server to understand another, which it answers with `unknown`."""

    request: WireRequest
    unknown: bytes

    def is_wanted(self, reply: "WireReply") -> bool:
        """Tell whether the reply to the other request asks for this one."""
        return self.unknown in reply.body


@dataclass(frozen=True, slots=True)
class WireReply:
    """One reply as it came: an HTTP or gRPC status (None where there is none) and the body.

    `message` is what the server says beside the body: grpc-message, or why a WebSocket was closed.
    `version` is that of HTTP, as the reply gives it: HTTP/1.1; "" where there is none to know.
    `items` are the messages of a gRPC stream, which `body` has one after the other.
    """

    status: int | None
    headers: Headers
    body: bytes
    message: str = ""
    version: str = ""
    items: tuple[bytes, ...] = ()

    def header(self, name: str) -> str:
        """Return the value of a header, "" where it is absent."""
        return next((value for key, value in self.headers if key.lower() == name.lower()), "")

    @property
    def content(self) -> bytes:
        """The body without its encoding; as it came where that is none of gzip and deflate."""
        if self.header("content-encoding").lower() in ("gzip", "x-gzip", "deflate"):
            with suppress(zlib.error):
                return zlib.decompress(self.body, zlib.MAX_WBITS | 32)  # either header
        return self.body


@dataclass(frozen=True, slots=True)
class Answer:
    """The operation was carried out; `value` is JSON-like with keys in snake_case."""

    value: object


@dataclass(frozen=True, slots=True)
class Refusal:
    """The operation was not carried out.

    `remark` says what is unusual about the form of the refusal, for a warning; most often "".
    """

    kind: RefusalOrFault
    detail: str
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Expectation:
    """What the engine checks in every reply: None or () where it cannot be known beforehand.

    `body_xxh3` is XXH3-64 of the body in 16 hexadecimal digits, `body_length` its bytes.
    """

    status: int | None = None
    body_xxh3: str | None = None
    body_length: int | None = None
    must_not_contain: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Malformed:
    """A request that no server of this protocol may accept, and the refusals that are right."""

    what: str
    request: WireRequest
    refusals: Sequence[RefusalOrFault] = ("invalid",)


class CannotEncodeError(Exception):
    """These parameters cannot be spelled in this protocol: its types forbid them."""


class InterfaceError(Exception):
    """A native description of the interface cannot be read; the text says where and why."""
