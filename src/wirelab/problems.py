"""What is wrong with an input, all at once: where, which key, which value, what is right."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, get_args

from wirelab.close_match import close_match

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a file or an argument, and what would be right."""

    where: str
    key: str
    value: object
    expected: str
    hint: str = ""

    @classmethod
    def stated(cls, sentence: str, hint: str = "") -> "Problem":
        """Return a problem that is not about a single value: what is wrong, as a sentence."""
        return cls(sentence, "", None, "", hint)

    def __str__(self) -> str:
        """Render as one line: place, key, value, remedy; or as a sentence with its hint."""
        if not self.expected:
            return f"{self.where}\nhint: {self.hint}" if self.hint else self.where
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


def from_pydantic(
    where: str, error: "ValidationError", model: "type[BaseModel] | None" = None
) -> list[Problem]:
    """Turn a pydantic error into problems with dotted keys, and say what was probably meant."""
    problems = []
    for item in error.errors():
        key = ".".join(str(part) for part in item["loc"])
        if item["type"] == "missing":
            problems.append(Problem(where, key, None, "a value"))
        elif item["type"] == "extra_forbidden":
            known = _keys(model, item["loc"][:-1]) if model else ()
            hint = close_match(item["loc"][-1], known)
            problems.append(Problem(where, key, item["input"], "no such key", hint))
        else:
            expected = item["msg"].removeprefix("Value error, ").removeprefix("Input should be ")
            problems.append(Problem(where, key, item["input"], expected))
    return problems


def _keys(model: "type[BaseModel]", path: Sequence[int | str]) -> set[str]:
    """Return the keys of the table that a path leads to, as files spell them."""
    models = {model}
    for part in path:
        below = {
            found
            for each in models
            for name, annotation in _fields(each)
            if name == part
            for found in _models_in(annotation)
        }
        models = below or models  # the name of one of several tables leads no deeper
    return {name for each in models for name, _ in _fields(each)}


def _fields(model: "type[BaseModel]") -> Iterator[tuple[str, Any]]:
    for name, declared in model.model_fields.items():
        yield declared.alias or name, declared.annotation


def _models_in(annotation: Any) -> "Iterator[type[BaseModel]]":
    """Yield the models that a type is made of: those of a union, or of a collection's items."""
    if hasattr(annotation, "model_fields"):
        yield annotation
    for part in get_args(annotation):
        yield from _models_in(part)


def _shorten(value: object, limit: int = 80) -> str:
    text = repr(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"
