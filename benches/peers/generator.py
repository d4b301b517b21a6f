"""The contract of a load generator: a command for a case, and a parser for its output."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from benches.peers.case import Case


class NotUnderstoodError(Exception):
    """A generator did not print what was expected of it."""


@dataclass(frozen=True, slots=True)
class Order:
    """One case, to be carried out now."""

    case: Case
    port: int
    """Of the server on 127.0.0.1."""
    seconds: float
    requests: int | None
    """How many, where the case asks for a number."""
    program: str
    material: Path
    folder: Path
    """For files of this run."""
    cpu: int

    @property
    def url(self) -> str:
        """The address for generators that want a URL."""
        scheme = "https" if self.case.protocol in {"tls", "http3"} else "http"
        return f"{scheme}://127.0.0.1:{self.port}/{self.case.body}"

    @property
    def output(self) -> Path:
        """What the generator prints."""
        return self.folder / "output"


@dataclass(frozen=True, slots=True)
class Reported:
    """What a generator says of its run; None where it does not say."""

    requests: int
    """Answered without an error."""
    errors: int
    seconds: float
    mean_us: float | None = None
    p50_us: float | None = None
    p99_us: float | None = None
    unsent: int = 0
    """Due by the schedule, but not sent."""


class Generator(Protocol):
    """A load generator, or one way to use it."""

    @property
    def name(self) -> str:
        """How the results call it."""

    @property
    def program(self) -> str:
        """The program it is."""

    def carries(self, case: Case) -> bool:
        """Return whether it supports the case."""

    def command(self, order: Order) -> list[str]:
        """Return the command line, after writing the files that it needs."""

    def read(self, order: Order) -> Reported:
        """Parse its output; raises `NotUnderstoodError`."""


_UNITS_US = {"us": 1.0, "ms": 1e3, "s": 1e6, "m": 60e6}


def duration_us(text: str) -> float:
    """Read a duration such as "258.00us" or "1.2ms" into microseconds."""
    found = re.fullmatch(r"([\d.]+)(us|ms|s|m)", text)
    if found is None:
        raise NotUnderstoodError(f"{text!r} is not a duration")
    return float(found[1]) * _UNITS_US[found[2]]


def find(pattern: str, text: str) -> re.Match[str]:
    """Find what must be there, line by line."""
    found = re.search(pattern, text, re.MULTILINE)
    if found is None:
        raise NotUnderstoodError(f"nothing like {pattern!r} in:\n{text[:2_000]}")
    return found
