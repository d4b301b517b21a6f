"""A contender that is not ours to start: it is found at its address, asked, and left as it is."""

import os
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from wirelab.lab.contender import Contender
from wirelab.lab.errors import ContenderError

FORM = "http://HOST:PORT"


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """What stands in the place of a contender's processes, of which we know nothing."""

    log_path: Path
    pid: int = 0
    """Nobody: nothing descends from it, and nothing can be counted."""
    root_pid: int | None = None

    def poll(self) -> int | None:
        """Return None: as far as we know it runs."""
        return None

    def stop(self) -> int:
        """Leave it running."""
        return 0

    def log_tail(self, lines: int = 20) -> str:  # noqa: ARG002
        """Return nothing: its log is not ours."""
        return ""


def find_address(contender: Contender) -> tuple[str, int]:
    """Return the host and port that the environment names. Raises `ContenderError`."""
    assert contender.address is not None
    written = os.environ.get(contender.address, "")
    try:
        parts = urlsplit(written)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port, parts = None, None, urlsplit("")
    if parts.scheme != "http" or not host or port is None or parts.path not in {"", "/"}:
        raise ContenderError(
            f"{contender.address} is {written!r}, where {contender.id} cannot be",
            f"set {contender.address} to {FORM}; the path is the contender's: {contender.path}",
        )
    return host, port
