"""Where the parameters of an operation take their values from.

| written | meaning |
|---|---|
| "game.id" | the value of this column in an existing row |
| "game" | a whole existing row |
| "new game" | a row that is not in the store yet, without its key |
| "new game.name" | the value of this column in such a row |
| "new game[count]" | a list of such rows, as many as the parameter `count` states |
| "= text" | the text itself |
| any other TOML value | itself |
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

_SEVERAL = re.compile(r"new\s+(?P<table>\w+)\[(?P<count>\w+)\]")


@dataclass(frozen=True, slots=True)
class StoredColumn:
    """The value of one column of an existing row."""

    table: str
    column: str


@dataclass(frozen=True, slots=True)
class StoredRow:
    """A whole existing row."""

    table: str


@dataclass(frozen=True, slots=True)
class NewRow:
    """A row beyond the loaded ones, without its key."""

    table: str


@dataclass(frozen=True, slots=True)
class NewColumn:
    """The value of one column of a row beyond the loaded ones."""

    table: str
    column: str


@dataclass(frozen=True, slots=True)
class NewRows:
    """A list of rows beyond the loaded ones; the parameter `count` states how many."""

    table: str
    count: str


@dataclass(frozen=True, slots=True)
class ConstantValue:
    """The value as written."""

    value: object


@dataclass(frozen=True, slots=True)
class ValueCycle:
    """One value per set, in turn; from a workload that gives a list of values."""

    values: tuple[object, ...]


Source = StoredColumn | StoredRow | NewColumn | NewRow | NewRows | ConstantValue | ValueCycle


def parse(written: object) -> Source:
    """Parse the source of one parameter as written in the file."""
    if not isinstance(written, str):
        return ConstantValue(written)
    if written.startswith("="):
        return ConstantValue(written[1:].strip())
    if several := _SEVERAL.fullmatch(written):
        return NewRows(several["table"], several["count"])
    is_new = written.startswith("new ")
    table, dot, column = written.removeprefix("new ").strip().partition(".")
    if is_new:
        return NewColumn(table, column) if dot else NewRow(table)
    return StoredColumn(table, column) if dot else StoredRow(table)


def is_new(written: object) -> bool:
    """Return whether a parameter takes rows that are not in the store."""
    return isinstance(parse(written), NewRow | NewColumn | NewRows)


def unknown_table(written: object, tables: Iterable[str]) -> str | None:
    """Return the table that a parameter names and the domain lacks, if any."""
    source = parse(written)
    if isinstance(source, ConstantValue | ValueCycle) or source.table in set(tables):
        return None
    return source.table


def unknown_count(written: object, parameters: Iterable[str]) -> str | None:
    """Return the parameter that counts a list of rows and that the operation lacks, if any."""
    source = parse(written)
    if not isinstance(source, NewRows) or source.count in set(parameters):
        return None
    return source.count
