"""Check generated rows: they have the columns that operations name, and each row its own key."""

import json
from collections.abc import Hashable, Iterator
from functools import cache
from pathlib import Path

from wirelab.domain.model import Domain
from wirelab.domain.parameters import NewColumn, StoredColumn, parse
from wirelab.domain.rows import checked_rows
from wirelab.inputs.close_match import close_match, one_of
from wirelab.inputs.problems import Problem, ProblemsError, shown


def check_columns(domain: Domain, folder: Path) -> None:
    """Compare the key and the parameters of all operations with the files of a data set.

    Raises `ProblemsError` with every column that no row has. A table without rows has any column.
    """
    if unknown := list(_unknown(domain, folder)):
        raise ProblemsError(unknown)


def check_keys(domain: Domain, folder: Path, command: str) -> None:
    """Raise `ProblemsError` with the first key of each table that two rows have.

    `command` has written the rows; `DatasetError` if they are not JSON objects.
    """
    key, where = domain.data.key, shown(domain.folder / "domain.toml")
    hint = f"correct the generator, or name the column of unique values as data.key in {where}"
    problems = []
    for table in domain.data.tables:
        lines: dict[object, int] = {}
        rows = checked_rows(folder / f"{table}.ndjson", command)
        for number, row in enumerate(rows, start=1):
            value = row.get(key)
            if value is None or not isinstance(value, Hashable):
                continue
            first = lines.setdefault(value, number)
            if first != number:
                where_twice = f"in lines {first} and {number} of what {command} writes"
                sentence = f"two rows of {table} have {key} = {value!r}, {where_twice}"
                problems.append(Problem.stated(sentence, hint))
                break
    if problems:
        raise ProblemsError(problems)


def _unknown(domain: Domain, folder: Path) -> Iterator[Problem]:
    where = shown(domain.folder / "domain.toml")
    key = domain.data.key
    if "key" in domain.data.model_fields_set:
        present: set[str] = set()
        for table in domain.data.tables:
            present |= _columns(folder / f"{table}.ndjson", key)
            if key in present:
                break  # All rows of a table without it would be read.
        if present and key not in present:
            expected = "the column of unique values in the rows that the generator writes: "
            hint = close_match(key, present)
            yield Problem(where, "data.key", key, expected + one_of(present), hint)
    for operation in domain.operations.values():
        for name, written in operation.parameters.items():
            source = parse(written)
            if (
                not isinstance(source, StoredColumn | NewColumn)
                or source.table not in domain.data.tables
            ):
                continue
            if isinstance(source, StoredColumn):
                columns = _columns(folder / f"{source.table}.ndjson", source.column)
            else:
                columns = _columns(folder / f"{source.table}.new.ndjson", source.column) - {key}
            if columns and source.column not in columns:
                place = f"operation.{operation.name}.parameters.{name}"
                rows = "new rows" if isinstance(source, NewColumn) else "rows"
                expected = f"a column of the {rows} that the generator writes for {source.table}: "
                hint = close_match(source.column, columns)
                yield Problem(where, place, written, expected + one_of(columns), hint)


@cache
def _columns(file: Path, wanted: str) -> frozenset[str]:
    """Return the columns of the rows of a file, up to the first row that has the wanted one."""
    names: set[str] = set()
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            names |= json.loads(line).keys()
            if wanted in names:
                break
    return frozenset(names)
