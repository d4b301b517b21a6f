"""Read the rows that a generator has written."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wirelab.problems import Problem, ProblemsError

_parse = json.JSONDecoder().raw_decode
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
                row = parsed(line.decode())
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


def parsed(line: str) -> Any:
    """Parse a line of JSON in two thirds of the time of `json.loads`, which looks for white space.

    Raises `ValueError` if it is none.
    """
    try:
        value, end = _parse(line)
    except ValueError:
        return json.loads(line)  # It may begin with white space.
    return value if line[end:] in ("\n", "") else json.loads(line)
