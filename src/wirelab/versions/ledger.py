"""The file of a history: one line of JSON for each commit and operation."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, FiniteFloat, TypeAdapter, ValidationError

from wirelab.inputs.problems import Problem, ProblemsError, add_problems, collected_problems, shown
from wirelab.inputs.validation import from_pydantic
from wirelab.record import Record
from wirelab.statistics import RepeatedT


class LedgerLine(Record):
    """A commit's time relative to the anchor's, at one operation; both took turns in the blocks."""

    format: Literal["wirelab-history/1"] = "wirelab-history/1"
    commit: str
    subject: str
    committed: str
    """When the commit was made, in ISO format."""
    anchor: str
    """The commit that it was measured against."""
    operation: str
    ratio: FiniteFloat
    interval: tuple[FiniteFloat, FiniteFloat] | None = None
    """At 95 %, for this line alone."""
    log_ratios: Annotated[tuple[FiniteFloat, ...], Field(min_length=1)]
    """The value of each block: the logarithm of the ratio."""
    time_us: FiniteFloat | None = None
    """The typical time of the commit on this machine; not comparable with other machines."""
    anchor_time_us: FiniteFloat | None = None
    measured_utc: str
    machine: str
    wirelab: str

    @property
    def mean(self) -> RepeatedT:
        """The logarithm of the ratio."""
        return RepeatedT.from_blocks(self.log_ratios)


_LINE = TypeAdapter(LedgerLine)


def read_ledger(file: Path) -> list[LedgerLine]:
    """Read a history's file; [] if there is none. Raises `ProblemsError` with all wrong lines."""
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        hint = "give the file that `wirelab history` wrote"
        raise ProblemsError([Problem.stated(f"cannot read {file}: {error}", hint)]) from None
    with collected_problems():
        lines: list[LedgerLine] = []
        for number, line in enumerate(text.splitlines(), start=1):
            if line.strip():
                try:
                    lines.append(_LINE.validate_json(line))
                except ValidationError as error:
                    add_problems(from_pydantic(f"{shown(file)}, line {number}", error))
    return lines


def append_lines(file: Path, lines: Iterable[LedgerLine]) -> None:
    """Append lines, and make them durable; a line that a crash cut off is completed first."""
    file.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(f"{line.model_dump_json(exclude_none=True)}\n" for line in lines)
    with file.open("a+b") as opened:
        if opened.tell():
            opened.seek(-1, os.SEEK_END)
            text = text if opened.read(1) == b"\n" else f"\n{text}"
        opened.write(text.encode())
        opened.flush()
        os.fsync(opened.fileno())


def newest(lines: Sequence[LedgerLine]) -> list[LedgerLine]:
    """Return the last line of each commit, operation and anchor."""
    return list({(it.commit, it.operation, it.anchor): it for it in lines}.values())
