"""Find lists that servers return in different orders, and a key to sort them by."""

from collections.abc import Iterator, Sequence
from itertools import chain

Lists = tuple[Sequence[object], Sequence[object]]
"""The same list in two answers to one request."""
ITSELF = "@"
"""The current item, in JMESPath."""


def find_orders(pairs: Sequence[tuple[object, object]]) -> dict[str, str]:
    """Return sort keys for lists that differ only in order: by part, a JMESPath expression.

    `pairs` are the shapes of two answers to one request each. A list is sorted by a scalar
    value that is unique among its items, and has the same values in both answers.
    """
    orders: dict[str, list[Lists]] = {}
    for one, other in pairs:
        for part, lists in _lists(one, other, ()):
            orders.setdefault("/".join(part), []).append(lists)
    expressions = {part: _expression(lists) for part, lists in orders.items()}
    return {part: expression for part, expression in expressions.items() if expression}


def _lists(
    one: object, other: object, part: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], Lists]]:
    """Yield the lists at the same positions of two shapes, with their part."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in one.keys() & other.keys():
            yield from _lists(one[key], other[key], (*part, key))
    elif isinstance(one, list) and isinstance(other, list):
        yield part, (one, other)
        for first_item, second_item in zip(one, other, strict=False):
            yield from _lists(first_item, second_item, (*part, "*"))


def _expression(found: Sequence[Lists]) -> str:
    """Return the sort key of two lists; "" if their order is equal, or if they differ otherwise."""
    items = list(chain.from_iterable(chain.from_iterable(found)))
    for name in sorted(_plain_names(items), key=lambda it: not it.endswith("id")):
        columns = [tuple([_value(row, name) for row in each] for each in pair) for pair in found]
        if all(_are_permutations(*pair) for pair in columns):
            if all(list(map(str, one)) == list(map(str, other)) for one, other in columns):
                return ""
            kinds = {type(_value(item, name)) for item in items}
            return name if len(kinds) == 1 else f"to_string({name})"
    return ""


def _plain_names(items: Sequence[object]) -> list[str]:
    """Return the names of the values that are strings or integers in all items."""
    if items and all(_is_plain(item) for item in items):
        return [ITSELF]
    if not items or not isinstance(items[0], dict):
        return []
    names = [str(name) for name in items[0] if str(name).isidentifier() and str(name).isascii()]
    return [name for name in names if all(_is_plain(_value(item, name)) for item in items)]


def _value(item: object, name: str) -> object:
    if name == ITSELF:
        return item
    return item.get(name) if isinstance(item, dict) else None


def _is_plain(value: object) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def _are_permutations(one: Sequence[object], other: Sequence[object]) -> bool:
    """Return whether two columns have the same values, each of them once."""
    texts = [str(value) for value in one]
    return len(set(texts)) == len(texts) and sorted(texts) == sorted(map(str, other))
