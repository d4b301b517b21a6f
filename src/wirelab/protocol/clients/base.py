"""The base of all clients for verification: one request at a time over one connection."""

from abc import ABC, abstractmethod
from enum import Enum, auto
from typing import Self

from wirelab.lab.credentials import redact
from wirelab.protocol.message import WireReply, WireRequest

LARGEST_REPLY_BYTES = 256 * 2**20


class Cause(Enum):
    """Why a server did not reply, as far as it tells what to do."""

    TIMED_OUT = auto()
    ENDLESS_EVENTS = auto()
    """It began a stream of events, and did not end it in time."""
    REFUSED = auto()
    CLOSED = auto()
    """It closed the connection without an answer."""
    RESET = auto()
    NOT_HTTP_2 = auto()
    UNTRUSTED_CERTIFICATE = auto()
    CLIENT_CERTIFICATE = auto()
    """It requests one."""
    HANDSHAKE = auto()
    """It answered the opening handshake of a WebSocket with another status than 101."""
    UNASKED = auto()
    """It sent a message that answers no request."""
    OTHER = auto()


class NoReplyError(Exception):
    """The server did not answer: it is unreachable, hangs, or violates the transport's rules.

    `status`: that of its answer to a handshake.
    """

    def __init__(self, why: str, cause: Cause = Cause.OTHER, status: int | None = None) -> None:
        # Libraries quote requests in errors, including headers with credentials.
        super().__init__(redact(why))
        self.cause = cause
        self.status = status

    @property
    def broke_off(self) -> bool:
        """Whether the server ended the connection; its log may say why."""
        return self.cause in (Cause.CLOSED, Cause.RESET)


def timed_out(seconds: float) -> NoReplyError:
    """Return the error of a request without a reply within `seconds`."""
    return NoReplyError(f"timed out after {seconds:g} s", Cause.TIMED_OUT)


def endless(seconds: float) -> NoReplyError:
    """Return the error of a stream of events without an end within `seconds`."""
    what = f"timed out after {seconds:g} s: the stream of events does not end"
    return NoReplyError(what, Cause.ENDLESS_EVENTS)


class Client(ABC):
    """Sends one request at a time over one connection."""

    @abstractmethod
    def send(self, request: WireRequest) -> WireReply:
        """Send a request and wait for its reply; raises `NoReplyError` if none arrives in time."""

    @abstractmethod
    def close(self) -> None:
        """End the connection."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
