"""The base of all clients for verification: one request at a time over one connection."""

from abc import ABC, abstractmethod
from typing import Self

from wirelab.lab.credentials import redact
from wirelab.protocol.message import WireReply, WireRequest

LARGEST_REPLY_BYTES = 256 * 2**20


class NoReplyError(Exception):
    """The server did not answer: it is unreachable, hangs, or violates the transport's rules."""

    def __init__(self, why: str) -> None:
        # Libraries quote requests in errors, including headers with credentials.
        super().__init__(redact(why))


class TimedOutError(NoReplyError):
    """The server did not answer in time."""


def timed_out(seconds: float) -> TimedOutError:
    """Return the error of a request without a reply within `seconds`."""
    return TimedOutError(f"timed out after {seconds:g} s")


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
