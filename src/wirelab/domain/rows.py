"""Read the rows that a generator has written."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from wirelab.inputs.problems import Problem, ProblemsError

MOST_SHOWN = 80
"""Maximum number of characters of a line in a message."""


class DatasetError(ProblemsError):
    """Rows cannot be generated, or an operation lacks rows; the text says what to change."""

    def __init__(self, what: str, hint: str = "") -> None:
        super().__init__([Problem.stated(what, hint)])


def checked_rows(file: Path, command: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file that a command has written.

    Raises `DatasetError` for a line that is not a JSON object.
    """
    with file.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                row = from_json(line)
            except ValueError:
                row = None
            if not isinstance(row, dict):
                text = line.decode(errors="backslashreplace").rstrip("\r\n")
                shown = text if len(text) <= MOST_SHOWN else f"{text[: MOST_SHOWN - 1]}…"
                raise DatasetError(
                    f"{command} wrote {shown!r} in line {number} of {file.name}; expected a JSON"
                    " object",
                    "write each row as a JSON object in a line of its own, encoded as UTF-8",
                )
            yield row
