"""All errors of an input at once: where, which key, which value, what is expected."""

import math
import os
import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from wirelab.inputs.close_match import close_matches, one_of
from wirelab.inputs.credential_names import hide_credentials
from wirelab.terminal.untrusted import NESTED, read_whole, visible_in

MOST_TOML_BYTES = 4 * 2**20
"""Maximum size of a TOML file: tomllib takes up to 5 s and 500 MB for it."""
DEEPEST_KEY = 30
"""Maximum number of dots in a key: tomllib takes memory in proportion to their square."""
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


@dataclass(slots=True)
class Problems:
    """Collects problems while an input is checked, so that all are reported together."""

    found: list[Problem] = field(default_factory=list)

    def add(self, where: str, key: str, value: object, expected: str, hint: str = "") -> None:
        """Note one problem and continue."""
        self.found.append(Problem(where, key, value, expected, hint))

    def require_at_least(
        self, where: str, value: float | None, least: float, most: float = math.inf
    ) -> None:
        """Note a number that is too small, or too large; None is accepted."""
        if value is not None and not least <= value <= most:
            limit = f"a number from {least:g} to {most:,.0f}"
            self.add(
                where, "", value, limit if most < math.inf else f"a number of at least {least:g}"
            )

    def add_unknown(self, where: str, names: Iterable[str], known: Collection[str]) -> None:
        """Note the names that are not known, as one problem with the closest known names."""
        unknown = [name for name in names if name not in known]
        if unknown:
            several = f"names among {', '.join(sorted(known))}"
            expected = several if known and len(unknown) > 1 else one_of(known)
            self.add(where, "", ", ".join(unknown), expected, close_matches(unknown, known))

    def extend(self, problems: Iterable[Problem]) -> None:
        """Note several problems."""
        self.found.extend(problems)

    @contextmanager
    def collecting(self) -> Iterator[None]:
        """Note the problems that the block raises, and continue after the block."""
        try:
            yield
        except ProblemsError as wrong:
            self.extend(wrong.problems)

    def raise_if_any(self) -> None:
        """End the check: raise `ProblemsError` with all problems, if there are any."""
        if self.found:
            raise ProblemsError(self.found)


def read_toml(path: Path, problems: Problems, where: str = "") -> dict[str, Any] | None:
    """Return the content of a TOML file; if it cannot be read as such, note that and return None.

    `where` is the file's name in messages, if it is not its path.
    """
    try:
        text = read_whole(path, MOST_TOML_BYTES).decode()
        if any(chain[0].count(".") > DEEPEST_KEY for chain in _DOTTED.finditer(text)):
            raise ValueError(NESTED)
        return visible_in(tomllib.loads(text))
    except OSError as error:
        problems.add(where or shown(path), "", f"cannot be read: {error.strerror}", "")
    except RecursionError:
        problems.extend([_from_toml(where or shown(path), ValueError(NESTED))])
    except ValueError as error:  # also numbers of thousands of digits, and other encodings
        problems.extend([_from_toml(where or shown(path), error)])
    return None


def _from_toml(where: str, error: ValueError) -> Problem:
    """Turn an error of a TOML file into a problem at its line."""
    what, _, position = str(error).partition(" (at line ")
    line = position.partition(",")[0]
    for pattern, explanation in SYNTAX.items():
        if found := re.fullmatch(pattern, what):
            key = "".join(found.groups()).replace("'", "").replace(", ", ".").rstrip(",")
            what = explanation.format(key)
    return Problem(f"{where}, line {line}" if line else where, "", f"not valid TOML: {what}", "")


def shorten(value: object, limit: int = 80) -> str:
    """Return a value for messages as files have it, without credentials and not too long."""
    if isinstance(value, tuple):
        value = list(value)  # as files have it
    text = str(value).lower() if isinstance(value, bool) else repr(hide_credentials(value))
    return text if len(text) <= limit else text[: limit - 1] + "…"
