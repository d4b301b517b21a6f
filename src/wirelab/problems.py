"""What is wrong with an input, all at once: where, which key, which value, what is right."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import ValidationError


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a file or an argument, and what would be right."""

    where: str
    key: str
    value: object
    expected: str
    hint: str = ""

    def __str__(self) -> str:
        """Render as one line: place, key, value, remedy."""
        place = f"{self.where}: {self.key}" if self.key else self.where
        shown = "missing" if self.value is None else f"is {_shorten(self.value)}"
        hint = f" (hint: {self.hint})" if self.hint else ""
        return f"{place} {shown}; expected {self.expected}{hint}"


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
        """Note one problem and go on checking."""
        self.found.append(Problem(where, key, value, expected, hint))

    def extend(self, problems: Iterable[Problem]) -> None:
        """Note several problems."""
        self.found.extend(problems)

    def raise_if_any(self) -> None:
        """End the check: raise `ProblemsError` with everything found, if anything was."""
        if self.found:
            raise ProblemsError(self.found)


def from_pydantic(where: str, error: "ValidationError") -> list[Problem]:
    """Turn a pydantic error into problems with dotted keys."""
    problems = []
    for item in error.errors():
        key = ".".join(str(part) for part in item["loc"])
        if item["type"] == "missing":
            problems.append(Problem(where, key, None, "a value"))
        elif item["type"] == "extra_forbidden":
            problems.append(Problem(where, key, item["input"], "no such key", "check the spelling"))
        else:
            expected = item["msg"].removeprefix("Value error, ").removeprefix("Input should be ")
            problems.append(Problem(where, key, item["input"], expected))
    return problems


def _shorten(value: object, limit: int = 80) -> str:
    text = repr(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"
