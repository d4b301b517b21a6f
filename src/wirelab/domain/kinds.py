"""The kinds of values that JSON distinguishes, and those that a parameter takes."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

Kind = Literal["a text", "a whole number", "a number", "true or false", "a table", "a list"]
Kinds = frozenset[Kind]

TEXT: Kinds = frozenset({"a text"})
WHOLE: Kinds = frozenset({"a whole number"})
NUMBER: Kinds = frozenset({"a whole number", "a number"})
BOOLEAN: Kinds = frozenset({"true or false"})
TABLE: Kinds = frozenset({"a table"})
LIST: Kinds = frozenset({"a list"})


OF_CONSTANT: Mapping[Kind, Kinds] = {
    "a text": TEXT,
    "a whole number": NUMBER,
    "a number": NUMBER,
    "true or false": BOOLEAN,
    "a table": TABLE,
    "a list": LIST,
}
"""The kinds that may replace a constant of each kind."""

OF_TYPE: tuple[tuple[type | tuple[type, ...], Kind], ...] = (
    (bool, "true or false"),  # before int, whose subclass it is
    (int, "a whole number"),
    (float, "a number"),
    (str, "a text"),
    (Mapping, "a table"),
    ((list, tuple), "a list"),
)
"""The kinds of the values of Python's types; the first one counts."""


def kind_of(value: object) -> Kind | None:
    """Return the kind of a value; None if JSON has no such value, or if it is null."""
    return next((kind for types, kind in OF_TYPE if isinstance(value, types)), None)


def in_words(kinds: Kinds) -> str:
    """Return the kinds for a message, such as "a text or a whole number"."""
    shown = kinds - WHOLE if "a number" in kinds else kinds
    return " or ".join(sorted(shown))


def in_common(found: Iterable[Mapping[str, Kinds]]) -> dict[str, Kinds]:
    """Return the kinds that all descriptions allow, by parameter.

    A parameter is left out if its descriptions contradict each other, since protocols may express
    one value differently.
    """
    common: dict[str, Kinds] = {}
    for each in found:
        for name, kinds in each.items():
            common[name] = common.get(name, kinds) & kinds
    return {name: kinds for name, kinds in common.items() if kinds}


def united(found: Iterator[tuple[str, Kinds]]) -> dict[str, Kinds]:
    """Return what every place of a parameter in a request allows, by parameter."""
    return in_common({name: kinds} for name, kinds in found)
