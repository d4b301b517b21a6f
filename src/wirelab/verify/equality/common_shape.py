"""The common shape of answers without a reference: project, sort and compare them."""

import json
import re
from collections.abc import Collection, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import jmespath
from jmespath.exceptions import JMESPathError

from wirelab.domain import pointer
from wirelab.domain.canonical import are_equal, canonical
from wirelab.domain.model import Common
from wirelab.inputs.times import read_seconds

MILLISECONDS_FROM = 1e11
"""Numeric times from this value on are milliseconds since 1970, smaller ones seconds."""
LARGEST_EXPONENT = 1000
"""Decimal numbers beyond are near no other one: a fraction would need the memory for all digits."""
_NUMBER = re.compile(r"\s*[-+]?[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]{1,9})?\s*")


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
        if any(is_within(found.part, part) for part in common.ignored):
            continue
        is_other_type = not found.part and type(found.one) is not type(found.other)
        if not is_other_type and any(is_within(found.part, part) for part in varying):
            continue
        tolerance = common.tolerance.get(found.part)
        if tolerance is None or not _is_near(found.one, found.other, tolerance):
            yield found


def leaf_count(value: object, beside: Collection[str] = (), part: str = "") -> int:
    """Count the non-empty values in a shape: strings, numbers, booleans.

    `beside`: parts that do not count. `part`: that of the value itself.
    """
    if any(is_within(part, other) for other in beside):
        return 0
    prefix = f"{part}/" if part else ""
    if isinstance(value, dict):
        return sum(leaf_count(it, beside, f"{prefix}{key}") for key, it in value.items())
    if isinstance(value, list):
        return sum(leaf_count(item, beside, f"{prefix}{pointer.STAR}") for item in value)
    return 0 if value is None or value == "" else 1


def without(value: object, beside: Collection[str], part: str = "") -> object:
    """Return a shape without the parts in `beside`. `part`: that of the value itself."""
    if not beside or any(is_within(part, other) for other in beside):
        return None if beside else value
    prefix = f"{part}/" if part else ""
    if isinstance(value, dict):
        return {key: without(it, beside, f"{prefix}{key}") for key, it in value.items()}
    if isinstance(value, list):
        return [without(item, beside, f"{prefix}{pointer.STAR}") for item in value]
    return value


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
    elif not are_equal(one, other):
        yield ShapeDifference("/".join(part), pointer.join(path), one, other)


def _is_near(one: object, other: object, tolerance: float | str) -> bool:
    if isinstance(tolerance, str):
        first, second = [_seconds(value) for value in (one, other)]
        limit = read_seconds(tolerance)
    else:
        first, second = [read_exactly(value) for value in (one, other)]
        limit = tolerance
    if first is None or second is None:
        return False
    return abs(first - second) <= Fraction(repr(limit))


def read_exactly(value: object) -> Fraction | None:
    """Return a number, or one written as text, as a fraction; None if it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal):
        return None
    if isinstance(value, int):
        return Fraction(value)
    text = value if isinstance(value, str) else str(value)
    if not _NUMBER.fullmatch(text):
        return None
    number = Decimal(text.strip())
    return None if abs(number.adjusted()) > LARGEST_EXPONENT else Fraction(number)


def _seconds(value: object) -> Fraction | None:
    """Read a time: ISO 8601, or seconds or milliseconds since 1970."""
    if isinstance(value, str):
        try:
            read = datetime.fromisoformat(value)
        except ValueError:
            return read_exactly(value)
        return _since_1970(read if read.tzinfo else read.replace(tzinfo=UTC))
    number = read_exactly(value)
    return number / 1000 if number is not None and number >= MILLISECONDS_FROM else number


def _since_1970(moment: datetime) -> Fraction:
    since = moment - datetime(1970, 1, 1, tzinfo=UTC)
    return Fraction(since // timedelta(microseconds=1), 1_000_000)


def is_within(part: str, whole: str) -> bool:
    """Return whether a part is another one, or inside of it."""
    return whole in ("", part) or part.startswith(f"{whole}/")


def _pointer(part: str) -> str:
    return f"/{part}" if part else ""


def _sortable(key: Any) -> tuple[str, Any]:
    if isinstance(key, int | float | Decimal) and not isinstance(key, bool):
        return "number", key
    return type(key).__name__, json.dumps(key, sort_keys=True, default=str)
