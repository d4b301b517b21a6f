"""The common shape of answers without a reference: project, sort and compare them."""

import json
from collections.abc import Collection, Iterable, Iterator
from datetime import UTC, datetime
from typing import Any, NamedTuple

import jmespath
from jmespath.exceptions import JMESPathError

from wirelab.domain import pointer
from wirelab.domain.canonical import canonical
from wirelab.domain.model import Common
from wirelab.inputs.times import read_seconds

MILLISECONDS_FROM = 1e11
"""Numeric times from this value on are milliseconds since 1970, smaller ones seconds."""


class ShapeError(Exception):
    """An expression of the domain does not fit an answer."""


class ShapeDifference(NamedTuple):
    """A place where two answers differ; `part` is `path` with `*` for the indices of items."""

    part: str
    path: str
    one: object
    other: object


def shape(common: Common, protocol: str, answer: object) -> object:
    """Return the common shape of an answer: projected, canonical, with lists in order.

    Raises `ShapeError`.
    """
    shaped = canonical(projected(common, protocol, answer))
    for part, key in common.ordered.items():
        for stars, found in list(pointer.matches(shaped, _pointer(part))):
            if isinstance(found, list):
                ordered = sorted(found, key=lambda item: _sortable(_search(key, item)))
                shaped = pointer.put(shaped, _pointer(part), stars, ordered)
    return shaped


def projected(common: Common, protocol: str, answer: object) -> object:
    """Return what is compared of an answer, as the protocol represents it. Raises `ShapeError`."""
    expression = common.project.get(protocol)
    return _search(expression, answer) if expression else answer


def shape_differences(
    common: Common, one: object, other: object, beside: Iterable[str] = ()
) -> Iterator[ShapeDifference]:
    """Yield every place where two shapes differ, except ignored or tolerated ones and `beside`.

    If all of it is `beside`, its type must still be the same: an object is not a page of text.
    """
    varying = set(beside)
    for found in _walk(one, other, (), ()):
        if any(_within(found.part, part) for part in common.ignored):
            continue
        is_other_type = not found.part and type(found.one) is not type(found.other)
        if not is_other_type and any(_within(found.part, part) for part in varying):
            continue
        tolerance = common.tolerance.get(found.part)
        if tolerance is None or not _is_near(found.one, found.other, tolerance):
            yield found


def leaf_count(value: object, beside: Collection[str] = (), part: str = "") -> int:
    """Count the non-empty values in a shape: strings, numbers, booleans.

    `beside`: parts that do not count. `part`: that of the value itself.
    """
    if any(_within(part, other) for other in beside):
        return 0
    prefix = f"{part}/" if part else ""
    if isinstance(value, dict):
        return sum(leaf_count(it, beside, f"{prefix}{key}") for key, it in value.items())
    if isinstance(value, list):
        return sum(leaf_count(it, beside, f"{prefix}{pointer.STAR}") for it in value)
    return 0 if value is None or value == "" else 1


def _search(expression: str, value: object) -> Any:
    try:
        return jmespath.search(expression, value)
    except JMESPathError as error:
        reason = f"the expression {expression!r} does not fit it: {error}"
        raise ShapeError(reason) from None


def _walk(
    one: object, other: object, part: tuple[str, ...], path: tuple[object, ...]
) -> Iterator[ShapeDifference]:
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted(one.keys() | other.keys()):
            yield from _walk(one.get(key), other.get(key), (*part, key), (*path, key))
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for number, (first_item, second_item) in enumerate(zip(one, other, strict=True)):
            yield from _walk(first_item, second_item, (*part, pointer.STAR), (*path, number))
    elif one != other or isinstance(one, bool) != isinstance(other, bool):
        yield ShapeDifference("/".join(part), pointer.join(path), one, other)


def _is_near(one: object, other: object, tolerance: float | str) -> bool:
    if isinstance(tolerance, str):
        seconds = [_seconds(value) for value in (one, other)]
        limit = read_seconds(tolerance)
    else:
        seconds, limit = [_number(value) for value in (one, other)], tolerance
    first, second = seconds
    return first is not None and second is not None and abs(first - second) <= limit + 1e-12


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return float(value)
    except ValueError:
        return None


def _seconds(value: object) -> float | None:
    """Read a time: ISO 8601, or seconds or milliseconds since 1970."""
    if isinstance(value, str):
        try:
            read = datetime.fromisoformat(value)
        except ValueError:
            return _number(value)
        return (read if read.tzinfo else read.replace(tzinfo=UTC)).timestamp()
    number = _number(value)
    return number / 1000 if number is not None and number >= MILLISECONDS_FROM else number


def _within(part: str, whole: str) -> bool:
    return whole in ("", part) or part.startswith(f"{whole}/")


def _pointer(part: str) -> str:
    return f"/{part}" if part else ""


def _sortable(key: Any) -> tuple[str, Any]:
    if isinstance(key, int | float) and not isinstance(key, bool):
        return "number", key
    return type(key).__name__, json.dumps(key, sort_keys=True, default=str)
