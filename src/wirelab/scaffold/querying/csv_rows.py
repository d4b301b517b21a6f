"""Values for parameters from a CSV of the user."""

import csv
from pathlib import Path

from wirelab.inputs.problems import Problem, ProblemsError, add_problem
from wirelab.terminal.words import plural


def check_csv(file: Path | None) -> None:
    """Check that the file of `--csv`, if that is given, exists."""
    if file is not None and not file.is_file():
        add_problem("--csv", "", str(file), "an existing file")


def read_csv(file: Path) -> list[dict[str, str]]:
    """Read the rows of a CSV whose first line names its columns.

    Raises `ProblemsError` if it is not CSV, or if a row has more or fewer values than columns.
    """
    try:
        with file.open(encoding="utf-8-sig", newline="") as lines:
            reader = csv.reader(lines, strict=True)
            names = next(reader, [])
            rows = [(reader.line_num, row) for row in reader if row]
    except OSError as error:
        unreadable = f"cannot be read: {error.strerror}"
        raise ProblemsError([Problem(str(file), "", unreadable, "")]) from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise ProblemsError(
            [Problem(str(file), "", str(error), "a CSV in UTF-8, whose quotes are closed")]
        ) from None
    if not rows:
        raise ProblemsError([Problem(str(file), "", "empty", "a line of names, then rows")])
    wrong = [(number, len(row)) for number, row in rows if len(row) != len(names)]
    if wrong:
        number, count = wrong[0]
        others = plural(len(wrong) - 1, "more line is", "more lines are")
        more = f" ({others} wrong)" if len(wrong) > 1 else ""
        expected = f"{len(names)}, one for each name in the first line{more}"
        raise ProblemsError(
            [Problem(f"{file}, line {number}", "number of values", count, expected)]
        )
    return [dict(zip(names, row, strict=True)) for _, row in rows]
