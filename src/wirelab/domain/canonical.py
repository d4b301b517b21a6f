"""The canonical form of an answer, and where two answers differ.

Protocols express the same answer differently. Before two answers are compared:

* the keys of objects are sorted; codecs have already converted them to snake_case;
* null, absent and the empty list are the same, because Protocol Buffers and XML cannot
  distinguish them: such keys are dropped from objects, and an empty list elsewhere is null;
* numbers are equal by value: 1.0 is 1, whatever its type or size; booleans are not numbers, and
  a NaN or an infinity of Protocol Buffers equals only itself;
* the order of lists is part of the answer;
* what only the server can know, such as an id that it created, is masked: it must be present,
  with any value.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from math import isfinite
from typing import Any, NamedTuple

from wirelab.domain import pointer
from wirelab.domain.json_value import SCALARS

MASK = "(masked)"
FULL_DIGITS = 16
"""So many significant digits has a float that was rounded, such as 1/3."""
EXACT_BELOW = 2**53
"""From this value on, not every integer is a float, and floats stay what they are."""


@dataclass(frozen=True, slots=True)
class NonFinite:
    """A value of a float that is no number: `nan`, `inf` or `-inf`, which JSON does not have."""

    name: str

    def __str__(self) -> str:
        """Tell it from the text."""
        return f"{self.name} (a number)"


class ValueDifference(NamedTuple):
    """Where two answers first differ, as a JSON pointer; null also means absent."""

    path: str
    expected: object
    got: object


def canonical(value: object, masked: Iterable[str] = ()) -> object:
    """Return the canonical form of a JSON-like value.

    `masked` are pointers without the leading slash, in which `*` stands for every item of a list.
    Whatever they lead to, unless nothing is there, becomes the same mask.
    """
    result = _canonical(value)
    for path in masked:
        for stars, found in list(pointer.matches(result, f"/{path}")):
            if found is not None:
                result = pointer.put(result, f"/{path}", stars, MASK)
    return result


def difference(
    expected: object, got: object, same: Collection[tuple[object, object]] = ()
) -> ValueDifference | None:
    """Return the first difference of two canonical values, None if there is none.

    `same` are pairs of an expected and a received value that count as equal, such as the ids that
    reference and contender each created for the same thing.
    """
    return _difference(expected, got, list(same), ())


def differing_beside(
    expected: object, got: object, path: str, same: Collection[tuple[object, object]] = ()
) -> list[str]:
    """Return pointers to what else differs in the object that contains the first difference.

    `path` is that of the first difference, `same` as in `difference`.
    """
    *outer, last = pointer.parts(path) or [""]
    for token in outer:
        expected, got = _part(expected, token), _part(got, token)
    if not isinstance(expected, dict) or not isinstance(got, dict):
        return []
    return [
        pointer.join((*outer, key))
        for key in sorted(expected.keys() | got.keys())
        if key != last and _difference(expected.get(key), got.get(key), list(same), ())
    ]


def alike(expected: object, got: object) -> bool:
    """Return whether two JSON-like values are equal but for the order of keys.

    Then their canonical forms are equal, too; of large answers, this is found much sooner.
    """
    return expected == got and _same_booleans(expected, got)


def unordered(value: object) -> object:
    """Return a canonical value with the items of all lists in a canonical order."""
    if isinstance(value, dict):
        return {key: unordered(item) for key, item in value.items()}
    return sorted(map(unordered, value), key=repr) if isinstance(value, list) else value


def _canonical(value: object) -> object:
    kind = type(value)
    if kind in SCALARS and kind is not float:  # Most are, and a large answer has millions.
        return value
    if isinstance(value, Mapping):
        items = ((str(key), _canonical(item)) for key, item in value.items())
        return dict(sorted((key, item) for key, item in items if item is not None))
    if isinstance(value, list | tuple):
        return [_canonical(item) for item in value] or None
    return _canonical_number(value) if isinstance(value, float | Decimal) else value


def _canonical_number(value: float | Decimal) -> object:
    if not (value.is_finite() if isinstance(value, Decimal) else isfinite(value)):
        return NonFinite(str(float(value)))
    value = as_written(value) if isinstance(value, Decimal) else value
    if isinstance(value, float) and abs(value) < EXACT_BELOW and value.is_integer():
        return int(value)
    return value


def as_written(exact: Decimal) -> float | Decimal:
    """Return a number as a float if that is how programs write one, otherwise exactly."""
    read = float(exact)
    written = (repr(read), f"{read:.17g}")
    return read if any(exact == Decimal(each) for each in written) else exact


def _difference(
    expected: object, got: object, same: list[tuple[object, object]], path: tuple[object, ...]
) -> ValueDifference | None:
    if isinstance(expected, dict) and isinstance(got, dict):
        for key in sorted(expected.keys() | got.keys()):
            differing = _difference(expected.get(key), got.get(key), same, (*path, key))
            if differing:
                return differing
        return None
    if isinstance(expected, list) and isinstance(got, list):
        for index in range(max(len(expected), len(got))):
            mine = expected[index] if index < len(expected) else None
            other = got[index] if index < len(got) else None
            differing = _difference(mine, other, same, (*path, index))
            if differing:
                return differing
        if len(expected) == len(got):
            return None
    if are_equal(expected, got) or (expected, got) in same:
        return None
    return ValueDifference(pointer.join(path), expected, got)


def _same_booleans(expected: object, got: Any) -> bool:
    """Return whether no boolean of two equal values is a number, 1 or 0, in the other one."""
    if isinstance(expected, dict):
        for key, value in expected.items():
            other = got[key]
            same_scalars = type(value) is type(other) in SCALARS
            if not (same_scalars or _same_booleans(value, other)):
                return False
        return True
    if isinstance(expected, list):
        return all(map(_same_booleans, expected, got))
    return type(expected) in SCALARS and isinstance(expected, bool) == isinstance(got, bool)


def _part(value: object, token: str) -> object:
    """Return a part of an object or a list; None if it has none."""
    if isinstance(value, dict):
        return value.get(token)
    return value[int(token)] if isinstance(value, list) and int(token) < len(value) else None


def are_equal(expected: object, got: object) -> bool:
    """Return whether two canonical values without parts are equal.

    A large float is both the number that it is exactly, and the one that it is written as: 2.0**60
    is 1152921504606846976, and JavaScript writes 1152921504606847000. A float with all digits that
    it can have stands for the fraction that was rounded to it: PostgreSQL writes the average 67/3
    as 22.3333333333333333, and 22.333333333333332 is the nearest float.
    """
    if expected == got:
        return isinstance(expected, bool) == isinstance(got, bool)
    one, other = (got, expected) if isinstance(got, float) else (expected, got)
    if not isinstance(one, float) or not isinstance(other, int | Decimal):
        return False
    if abs(one) >= EXACT_BELOW:
        return Decimal(repr(one)) == other
    digits = len(Decimal(repr(one)).as_tuple().digits)
    return digits >= FULL_DIGITS and float(Decimal(other)) == one  # one that is too large is ∞
