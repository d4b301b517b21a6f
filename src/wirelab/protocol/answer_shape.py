"""What a description says about the parts of a response, and whether a pointer can lead to one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from wirelab.domain import pointer
from wirelab.domain.model import KeyCase
from wirelab.inputs.close_match import close_match, one_of
from wirelab.protocol.key_case import to_snake


@dataclass(frozen=True, slots=True)
class Single:
    """A value without parts: a text, a number, true or false."""


@dataclass(frozen=True, slots=True)
class Items:
    """A list, and what its items are."""

    item: "Callable[[], Shape]"


@dataclass(frozen=True, slots=True)
class Entries:
    """An object with any keys, and what its values are."""

    value: "Callable[[], Shape]"


@dataclass(frozen=True, slots=True)
class Fields:
    """An object with known keys; `what` is one of them in words, such as `a field of t.Thing`."""

    what: str
    known: "Mapping[str, Callable[[], Shape]]"


Shape: TypeAlias = Single | Items | Entries | Fields | None
"""The form of a value, which may contain itself; None if nothing is known about it."""


def unknown() -> Shape:
    """Return the form of a value that a description leaves open."""
    return None


def single() -> Shape:
    """Return the form of a value without parts."""
    return Single()


def expected_instead(shape: Shape, path: str, case: KeyCase) -> tuple[str, str] | None:
    """Return what is expected instead of a pointer that leads to no part, and a hint.

    None if it may lead to one. `case` is that of the response's keys, which the pointer has in
    snake case.
    """
    tokens = pointer.parts(path)
    for number, token in enumerate(tokens):
        before = pointer.join(tokens[:number])
        match shape:
            case Single() if before:
                return f"no key after {before}, which is a single value", ""
            case Single():
                return 'no value, or "": the response is a single value', ""
            case Items(item):
                if token != pointer.STAR and not token.isdecimal():
                    where = f"after {before}, which is" if before else "first: the response is"
                    return f"an index such as 0 {where} a list", ""
                shape = item()
            case Entries(value):
                shape = value()
            case Fields(what, known):
                fields = {to_snake(key) if case == "camel" else key: key for key in known}
                if token not in fields:
                    where = f" after {before}" if before else ""
                    return f"{what}{where}: {one_of(fields)}", close_match(token, fields)
                shape = known[fields[token]]()
            case None:
                return None
    return None
