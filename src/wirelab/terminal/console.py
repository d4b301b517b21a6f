"""Output for people: data to standard output, messages to standard error; no colour required."""

import codecs
import io
import json
import os
import sys
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from rich.console import Console, RenderableType

from wirelab.terminal.untrusted import escaped_in_json, visible

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

stderr = Console(stderr=True, highlight=False, markup=False, emoji=False)
"""Progress, notes and errors. Rich respects NO_COLOR and leaves colours out of pipes."""

LONGEST_LINE = 400
"""Characters of a line of a message."""

_PLAIN = {
    "·": "-",
    "–": "-",
    "×": "x",
    "±": "+/-",
    "µ": "u",
    "…": "...",
    "≤": "<=",
    "≥": ">=",
    "“": '"',
    "”": '"',
    "’": "'",
    "→": "->",
    "\u00a0": " ",
    "\u202f": " ",
    "▲": "^^",
    "△": "^",
    "▼": "vv",
    "▽": "v",
}
"""Replacements for characters that a terminal's encoding lacks; others become question marks."""


def replace_closed_streams() -> None:
    """Discard output to a standard stream that was closed before the start (`>&-`).

    This takes its file descriptor, too, which would otherwise be that of the next file opened.
    """
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            mode = "r" if name == "stdin" else "w"
            setattr(sys, name, Path(os.devnull).open(mode))  # noqa: SIM115  (it stays open)


class _BestEffort(io.FileIO):
    """A file to which as much is written as is possible."""

    def write(self, content: "ReadableBuffer") -> int:
        try:
            return super().write(content)
        except OSError:
            return len(memoryview(content))


def discard_unwritable_messages() -> None:
    """Discard messages that cannot be written (`2>/dev/full`), so that the exit code remains."""
    if sys.stderr is sys.__stderr__ and isinstance(sys.stderr, io.TextIOWrapper):
        sys.stderr.flush()
        raw = _BestEffort(sys.stderr.fileno(), "w", closefd=False)
        encoding, errors = sys.stderr.encoding, sys.stderr.errors
        sys.stderr = io.TextIOWrapper(io.BufferedWriter(raw), encoding, errors, line_buffering=True)


def replace_unencodable() -> None:
    """Replace characters that the terminal's encoding lacks, instead of failing."""
    codecs.register_error("wirelab", _plain)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="wirelab")


def _plain(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join(_PLAIN.get(character, "?") for character in lacking), error.end


def show(renderable: RenderableType) -> None:
    """Print a result for people to standard output, as wide as that is now.

    The lines of a text are not broken, so that the paths in it can be copied and searched.
    """
    console = Console(highlight=False, markup=False, emoji=False)
    if isinstance(renderable, str):
        console.print(visible(renderable), soft_wrap=True)
    else:
        console.print(renderable)


def print_json(value: Any) -> None:
    """Print a result for programs to standard output."""
    document = json.dumps(value, indent=2, ensure_ascii=False, default=str)
    sys.stdout.write(f"{escaped_in_json(document)}\n")


def error(text: str) -> None:
    """Print what is wrong, and on a separate line what to do about it."""
    first, _, rest = _broken(visible(text)).partition("\n")
    stderr.print("error:", style="bold red", end=" ")
    stderr.print(first, soft_wrap=True)
    if rest:
        stderr.print(rest, soft_wrap=True)


def note(text: str) -> None:
    """Print something that the user should know."""
    stderr.print(_broken(visible(text)), soft_wrap=True)


def _broken(text: str) -> str:
    """Break lines that are too long to be read, between words."""
    return "\n".join(
        part
        for line in text.split("\n")
        for part in (_parts(line) if len(line) > LONGEST_LINE else [line])
    )


def _parts(line: str) -> list[str]:
    return wrap(
        line,
        LONGEST_LINE,
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
        replace_whitespace=False,
        drop_whitespace=True,
    )
