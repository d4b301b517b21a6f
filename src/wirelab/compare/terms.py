"""The terms of a comparison: which operations are sent, and how all sides are queried."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from wirelab.scaffold.access import Access
from wirelab.scaffold.descriptions.given import NO_DETAILS, Details

IN_TURN = 2.0
"""How many times as long a server may take that serves its clients in turn."""


@dataclass(frozen=True)
class Terms:
    """How all sides are queried and measured."""

    margin: float
    clients: int = 1
    rate_per_s: float | None = None
    timeout_s: float = 10.0
    access: Access = field(default_factory=Access)
    pids: Mapping[str, int] = field(default_factory=dict)
    scheme: str = ""
    think_time_us: int = 0
    ignored: tuple[str, ...] = ()
    """Parts of the answers that are not compared, as in a domain."""
    capacity: Mapping[str, Any] | None = None
    """The load that measures capacity, as in a study; it replaces all others."""

    def for_requests_of(self, seconds: float) -> "Terms":
        """Return the terms for requests that take this long alone.

        A server that serves one client at a time needs that for each client.
        """
        return replace(self, timeout_s=max(self.timeout_s, IN_TURN * self.clients * seconds))

    def interval_s(self, request_s: float) -> float:
        """Return the time from one request to the next, of requests that take `request_s`."""
        if self.rate_per_s is not None:
            return 1 / self.rate_per_s
        return request_s + self.think_time_us / 1e6


@dataclass(frozen=True, slots=True)
class OperationSelection:
    """The operations to compare, as the user chose them."""

    description: tuple[str, str] | None = None
    """A protocol, and the file or URL of its description."""
    path: str = ""
    """The path to GET from each side if there is no description; the path of a WebSocket."""
    message: str | None = None
    """The message to send to each side if they are WebSockets."""
    csv: Path | None = None
    only: tuple[str, ...] = ()
    details: Details = NO_DETAILS
    allow_writes: bool = False
    seed: int = 1
