"""Answers of a reference as JSON: a copy of the answer, and where it has no such value."""

from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass
from datetime import date, time
from decimal import Decimal
from math import isfinite
from types import NoneType
from typing import NamedTuple
from uuid import UUID

from wirelab.domain import pointer

SCALARS = frozenset({str, int, float, bool, NoneType})
"""The types of values that contain no other."""
_TEXT = frozenset({str})
_UNCHECKED = SCALARS - {float}
"""The types whose values all have a JSON form. Most values of a large answer have one of them:
functions that handle it look at the type before they call themselves, which takes much longer."""
REMEDIES: dict[type | tuple[type, ...], str] = {
    (set, frozenset): "a list: JSON has no sets",
    float: "a finite number or None: JSON has neither NaN nor Infinity",
    Decimal: "an int, a float or a text: JSON has no Decimal",
    (bytes, bytearray, memoryview): "a text: JSON has no bytes",
    (date, time): "a text, as from isoformat(): JSON has no dates and times",
    UUID: "a text, as from str(): JSON has no UUID",
}
"""What is right instead of a value, by its type."""


class NotJsonError(Exception):
    """A value is outside JSON."""


class Outside(NamedTuple):
    """A value outside JSON, its JSON pointer, and what is right instead."""

    path: str
    value: object
    expected: str


def json_copy(value: object) -> object:
    """Copy a value; tuples become lists. Raises `NotJsonError` if a part of it is outside JSON."""
    if isinstance(value, dict) or isinstance(value, Mapping):  # noqa: SIM101, the first is faster
        if _TEXT.issuperset(map(type, value)) or all(isinstance(key, str) for key in value):
            return {
                key: inner if type(inner) in _UNCHECKED else json_copy(inner)
                for key, inner in value.items()
            }
    elif isinstance(value, (list, tuple)):
        return [inner if type(inner) in _UNCHECKED else json_copy(inner) for inner in value]
    elif isinstance(value, float):
        if isfinite(value):
            return value
    elif value is None or isinstance(value, (str, int)):
        return value
    raise NotJsonError


def outside_json(value: object) -> list[Outside]:
    """Return the parts of a value that are outside JSON; of all items of a list, the first."""
    outside: dict[tuple[object, ...], Outside] = {}
    for path, inner, expected in _outside(value, ()):
        place = tuple(pointer.STAR if isinstance(part, int) else part for part in path)
        outside.setdefault(place, Outside(pointer.join(path), inner, expected))
    return list(outside.values())


def _outside(
    value: object, path: tuple[object, ...]
) -> Iterator[tuple[tuple[object, ...], object, str]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if isinstance(key, str):
                yield from _outside(inner, (*path, key))
            else:
                yield path, value, f"text as keys, unlike {key!r}"
    elif isinstance(value, list | tuple):
        for index, inner in enumerate(value):
            yield from _outside(inner, (*path, index))
    elif isinstance(value, float) and isfinite(value):
        return
    elif not isinstance(value, str | int | None):
        yield path, value, _remedy(value)


def _remedy(value: object) -> str:
    for types, remedy in REMEDIES.items():
        if isinstance(value, types):
            return remedy
    name = type(value).__name__
    if is_dataclass(value):
        return f"a dict, as from dataclasses.asdict(): JSON has no {name}"
    return f"a dict, list, text, number, bool or None: JSON has no {name}"
