"""All errors of an input at once: where, which key, which value, what is expected."""

import math
import os
import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from wirelab.inputs.close_match import close_matches, one_of, some_of
from wirelab.inputs.credential_names import hide_credentials
from wirelab.terminal.untrusted import NESTED, read_whole, visible_in
from wirelab.terminal.words import shortened

MOST_TOML_BYTES = 4 * 2**20
"""Maximum size of a TOML file: tomllib takes up to 5 s and 500 MB for it."""
DEEPEST_KEY = 30
"""Maximum number of dots in a key: tomllib takes memory in proportion to their square."""
LONGEST_REASON = 240
"""Maximum number of characters of a parser's reason."""
_DOTTED = re.compile(
    r"""(?<![\w"'-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+)++"""  # in linear time
)
SYNTAX = {
    r"Illegal character '\\n'": "a quoted text must end with a quote in the same line",
    r"Invalid value": "no value after =, or a text without quotes",
    r"Cannot declare \((.*)\) twice": "a table with this name already exists: [{}]",
}
"""Explanations of errors of tomllib, by their pattern; {} is the key in its only group."""


def shown(path: Path) -> str:
    """Return a path for messages: relative to the working directory if below it, else absolute."""
    here, whole = Path.cwd(), Path(os.path.abspath(path))
    return str(whole.relative_to(here) if whole.is_relative_to(here) else whole)


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a file or an argument, and what would be right.

    `expected` is "" if the value is a message that says what is wrong, or if `stated` made it.
    """

    where: str
    key: str
    value: object
    expected: str
    hint: str = ""
    others: int = 0
    """The number of other keys of the file with the same mistake."""

    @classmethod
    def stated(cls, sentence: str, hint: str = "") -> "Problem":
        """Return a problem that does not concern a single value; `value` is a sentence."""
        return cls(sentence, "", None, "", hint)

    @classmethod
    def unreadable(cls, file: object, kind: str, error: object, hint: str = "") -> "Problem":
        """Return the problem of a file that is not what it should be, with the parser's reason."""
        return cls(str(file), "", f"not {kind}: {shortened(error, LONGEST_REASON)}", "", hint)

    @property
    def said(self) -> tuple[str, str]:
        """What is wrong, and the hint if it is a sentence of its own; else ""."""
        return (self.where, self.hint) if self.is_sentence else (str(self), "")

    @property
    def is_sentence(self) -> bool:
        """Whether `stated` made it."""
        return not self.expected and self.value is None

    def __str__(self) -> str:
        """Render as one line: position, key, value, remedy; or as a sentence with its hint."""
        if self.is_sentence:
            return f"{self.where}\nhint: {self.hint}" if self.hint else self.where
        position = f"{self.where}: {self.key}" if self.key else self.where
        hint = f" (hint: {self.hint})" if self.hint else ""
        if not self.expected:
            return f"{position}: {self.value}{hint}"
        shown = "missing" if self.value is None else f"is {shorten(self.value)}"
        if isinstance(self.value, Mapping) and shown.endswith("…"):
            shown = "is not valid"  # the beginning of a table does not show what is wrong with it
        if self.others:
            shown += f", as are {self.others} other keys"
        return f"{position} {shown}; expected {self.expected}{hint}"


def merged(problems: Iterable[Problem]) -> list[Problem]:
    """Merge three or more keys of a file with the same value and remedy into the first one.

    One misspelt name can make every other mention of it wrong.
    """
    alike: dict[tuple[str, ...], list[Problem]] = {}
    for each in problems:
        same = each.value is not None and bool(each.expected)
        key = "" if same else each.key
        alike.setdefault((each.where, key, repr(each.value), each.expected, each.hint), []).append(
            each
        )
    return [
        each
        for same in alike.values()
        for each in ([replace(same[0], others=len(same) - 1)] if len(same) > 2 else same)
    ]


class ProblemsError(Exception):
    """Raised with every problem of an input at once."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = list(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))

    def __reduce__(self) -> tuple[type["ProblemsError"], tuple[list[Problem]]]:
        """Send it to another process with its problems, of which it makes its message again."""
        return ProblemsError, (self.problems,)


_collected: ContextVar[list[Problem] | None] = ContextVar("collected", default=None)


def add_problem(where: str, key: str, value: object, expected: str, hint: str = "") -> None:
    """Note one problem, and continue if problems are being collected; otherwise raise it."""
    add_problems([Problem(where, key, value, expected, hint)])


def state_problem(sentence: str, hint: str = "") -> None:
    """Note a problem that does not concern a single value."""
    add_problems([Problem.stated(sentence, hint)])


def add_problems(problems: Iterable[Problem]) -> None:
    """Note several problems, as `add_problem` does."""
    collected, problems = _collected.get(), list(problems)
    if collected is not None:
        collected.extend(problems)
    elif problems:
        raise ProblemsError(problems)


def require_at_least(where: str, value: float | None, least: float, most: float = math.inf) -> None:
    """Note a number that is too small, or too large; None is accepted."""
    if value is not None and not least <= value <= most:
        limit = f"a number from {least:g} to {most:,.0f}"
        add_problem(
            where, "", value, limit if most < math.inf else f"a number of at least {least:g}"
        )


def add_unknown(where: str, names: Iterable[str], known: Collection[str]) -> None:
    """Note the names that are not known, as one problem with the closest known names."""
    unknown = [name for name in names if name not in known]
    if unknown:
        several = f"names among {some_of(sorted(known))}"
        expected = several if known and len(unknown) > 1 else one_of(known)
        add_problem(where, "", ", ".join(unknown), expected, close_matches(unknown, known))


@contextmanager
def captured_problems() -> Iterator[list[Problem]]:
    """Provide the problems that the block notes, or raises, which ends the block."""
    captured: list[Problem] = []
    token = _collected.set(captured)
    try:
        yield captured
    except ProblemsError as wrong:
        captured.extend(wrong.problems)
    finally:
        _collected.reset(token)


@contextmanager
def collected_problems() -> Iterator[list[Problem]]:
    """Collect the problems that the block notes. Raises `ProblemsError` with all at its end."""
    with captured_problems() as collected:
        yield collected
    if collected:
        raise ProblemsError(collected)


@contextmanager
def noting_problems() -> Iterator[None]:
    """Note the problems that the block raises, and continue after the block."""
    with captured_problems() as raised:
        yield
    add_problems(raised)


def read_toml(path: Path, where: str = "") -> dict[str, Any] | None:
    """Return the content of a TOML file; if it cannot be read as such, note that and return None.

    `where` is the file's name in messages, if it is not its path.
    """
    try:
        text = read_whole(path, MOST_TOML_BYTES).decode()
        if any(chain[0].count(".") > DEEPEST_KEY for chain in _DOTTED.finditer(text)):
            raise ValueError(NESTED)
        return visible_in(tomllib.loads(text))
    except OSError as error:
        add_problem(where or shown(path), "", f"cannot be read: {error.strerror}", "")
    except RecursionError:
        add_problems([_from_toml(where or shown(path), ValueError(NESTED))])
    except ValueError as error:  # also numbers of thousands of digits, and other encodings
        add_problems([_from_toml(where or shown(path), error)])
    return None


def _from_toml(where: str, error: ValueError) -> Problem:
    """Turn an error of a TOML file into a problem at its line."""
    what, _, position = str(error).partition(" (at line ")
    line = position.partition(",")[0]
    for pattern, explanation in SYNTAX.items():
        if match := re.fullmatch(pattern, what):
            key = "".join(match.groups()).replace("'", "").replace(", ", ".").rstrip(",")
            what = explanation.format(key)
    return Problem(f"{where}, line {line}" if line else where, "", f"not valid TOML: {what}", "")


def shorten(value: object, limit: int = 80) -> str:
    """Return a value for messages as files have it, without credentials and not too long."""
    if isinstance(value, tuple):
        value = list(value)  # as files have it
    text = str(value).lower() if isinstance(value, bool) else repr(hide_credentials(value))
    if len(text) <= limit:
        return text
    cut = text[: limit - 1]
    whole = cut.rpartition(" ")[0]
    return f"{whole if len(whole) > limit // 2 else cut}…"  # one long word is cut
