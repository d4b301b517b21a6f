"""The statements that PostgreSQL executes, read from its log while it runs."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SETTINGS = ("log_statement = 'all'", "log_parameter_max_length = 0")
"""The settings to log every statement without values."""

_FIRST = re.compile(r"\S+ \S+ \S+ \[\d+\] LOG: {2}(?:statement|execute [^:]*): (?P<text>.*)")
_LITERAL = re.compile(r"'(?:[^']|'')*'|(?<![\w$])\d+(?:\.\d+)?\b")
_CONTINUED = "\t"


@dataclass
class StatementLog:
    """New statements of a log, without values, so that similar ones are equal."""

    file: Path

    def __post_init__(self) -> None:
        self._position = self.file.stat().st_size

    def take(self) -> list[str]:
        """Return the statements that were logged since the last call.

        The server logs a statement before it executes it, so those of an answer are included.
        """
        with self.file.open("rb") as log:
            log.seek(self._position)
            whole = log.read().rpartition(b"\n")[0]
        self._position += len(whole) + 1 if whole else 0
        return [_without_values(text) for text in _texts(whole.decode(errors="replace"))]


def _texts(log: str) -> Iterator[str]:
    text = ""
    for line in log.splitlines():
        if text and line.startswith(_CONTINUED):
            text += f" {line.strip()}"
            continue
        if text:
            yield text
        match = _FIRST.match(line)
        text = match["text"] if match else ""
    if text:
        yield text


def _without_values(statement: str) -> str:
    return " ".join(_LITERAL.sub("?", statement).split())
