"""The rows of a domain: generated once, cached by content, and drawn from by seed."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from pathlib import Path
from random import Random
from typing import Any

from pydantic_core import from_json

from wirelab.domain.check_rows import check_columns
from wirelab.domain.generator import SAME_FOR_ALL_SEEDS, generated
from wirelab.domain.generator_command import generator_error, resolved
from wirelab.domain.model import Data, Domain, Operation
from wirelab.domain.parameters import (
    ConstantValue,
    NewColumn,
    NewRow,
    NewRows,
    Source,
    StoredColumn,
    StoredRow,
    ValueCycle,
    parse,
)
from wirelab.domain.rows import DatasetError
from wirelab.inputs.close_match import one_of
from wirelab.installation.guarded import run_guarded
from wirelab.terminal.words import plural

Table = list[dict[str, Any]]


@dataclass(frozen=True)
class Dataset:
    """A number of rows of a domain, and some more that are not in the store.

    `folder` holds the files <table>.csv and <table>.ndjson for each table.
    """

    domain: Domain
    records: int
    seed: int
    folder: Path

    @classmethod
    def generate(
        cls, domain: Domain, records: int, seed: int, cache: Path, source: Path | None = None
    ) -> "Dataset":
        """Return the data set, from the cache folder if it was generated before.

        `source` is a file of real data from which the generator takes the rows (`--from`). Raises
        `DatasetError` if the generator fails, `MissingProgramError` if it is missing, and
        `ProblemsError` if an operation names a column that the rows do not have, or if two rows
        have one key.
        """
        folder = generated(domain, records, seed, cache, source)
        check_columns(domain, folder)
        return cls(domain, records, seed, folder)

    @property
    def ignores_seed(self) -> bool:
        """Whether the generator wrote the same rows for another seed."""
        return (self.folder / SAME_FOR_ALL_SEEDS).is_file()

    @property
    def csv_paths(self) -> dict[str, Path]:
        """The rows in the form that the store's COPY reads, by table."""
        return {table: self.folder / f"{table}.csv" for table in self.domain.data.tables}

    @property
    def ndjson_paths(self) -> dict[str, Path]:
        """The rows as JSON objects, one per line, by table."""
        return {table: self.folder / f"{table}.ndjson" for table in self.domain.data.tables}

    @cached_property
    def tables(self) -> dict[str, Table]:
        """The rows that the store holds, by table."""
        return _read_all(tuple(self.ndjson_paths.items()))

    @cached_property
    def new_rows(self) -> dict[str, Table]:
        """Rows that the store does not hold, without their key, by table."""
        key = self.domain.data.key
        return {
            table: [
                {name: value for name, value in row.items() if name != key}
                for row in _read(self.folder / f"{table}.new.ndjson")
            ]
            for table in self.domain.data.tables
        }

    def draw(
        self,
        operation: Operation,
        sets: int,
        seed: int,
        fixed: Mapping[str, object] | None = None,
    ) -> list[dict[str, object]]:
        """Draw parameters for an operation: one dictionary per set, the same for the same seed.

        Within a set, all columns of a table come from one row. No two sets share a row while there
        are enough rows. `fixed` are parameters with a given value, or with a `ValueCycle`. Raises
        `DatasetError` if there are no rows to draw from, or no such parameter.
        """
        fixed = fixed or {}
        for name in fixed.keys() - operation.parameters.keys():
            expected = one_of(operation.parameters)
            raise DatasetError(f"{operation.name} has no parameter {name!r}; expected {expected}")
        sources = {
            name: _source(fixed[name]) if name in fixed else parse(written)
            for name, written in operation.parameters.items()
        }
        random = Random(f"{seed} {operation.name}")
        used = [
            source.table
            for source in sources.values()
            if isinstance(source, StoredColumn | StoredRow)
        ]
        rows = {
            table: _choose(random, self._rows(self.tables, table, operation), sets)
            for table in sorted(set(used))
        }
        drawn: list[dict[str, object]] = []
        for number in range(sets):
            existing = {table: chosen[number] for table, chosen in rows.items()}
            values = {
                name: self._one(source, number, existing, operation)
                for name, source in sources.items()
                if not isinstance(source, NewRows)
            }
            for name, source in sources.items():
                if isinstance(source, NewRows):
                    values[name] = self._several(source, number, values[source.count], operation)
            drawn.append(values)
        return drawn

    def instances(self, operation: Operation, count: int, state: str = "") -> list[dict[str, Any]]:
        """Return parameters that the domain's query generator creates for an operation.

        They are created for the rows of `state`, which may exceed this data set; "" means these
        rows. There may be fewer than requested. Raises `DatasetError` if the generator fails.
        """
        records = self.domain.states[state].records if state else self.records
        return list(
            _instances(self.domain.folder, self.domain.data, records, self.seed, count).get(
                operation.name.lower(), ()
            )
        )

    def _one(
        self,
        source: Source,
        number: int,
        existing: Mapping[str, dict[str, Any]],
        operation: Operation,
    ) -> object:
        """Return the value of a parameter in one set, given the rows drawn for this set."""
        match source:
            case ConstantValue(value):
                return value
            case ValueCycle(values):
                return values[number % len(values)]
            case NewRow(table):
                return self._new(table, number, operation)
            case NewColumn(table):
                return self._value(self._new(table, number, operation), source, operation)
            case StoredRow(table):
                return existing[table]
            case StoredColumn(table):
                return self._value(existing[table], source, operation)
        raise TypeError(f"{source} is not one value")

    def _several(
        self, source: NewRows, number: int, count: object, operation: Operation
    ) -> list[dict[str, Any]]:
        """Return a list of different new rows; consecutive sets share few."""
        new = self._rows(self.new_rows, source.table, operation)
        if not isinstance(count, int) or not 0 <= count <= len(new):
            raise DatasetError(
                f"{operation.name} needs {source.count} = {count} new rows of {source.table}, but "
                f"there are {len(new)}, the number that `extra` sets in [data] of the domain"
            )
        return [new[(number * count + index) % len(new)] for index in range(count)]

    def _new(self, table: str, number: int, operation: Operation) -> dict[str, Any]:
        new = self._rows(self.new_rows, table, operation)
        return new[number % len(new)]

    def _rows(self, tables: dict[str, Table], table: str, operation: Operation) -> Table:
        if not tables[table]:
            what = "no rows" if tables is self.tables else "no rows beyond those in the store"
            raise DatasetError(
                f"{operation.name} needs a row of {table}, but with"
                f" {plural(self.records, 'record')} there are {what}"
            )
        return tables[table]

    def _value(
        self, row: dict[str, Any], source: StoredColumn | NewColumn, operation: Operation
    ) -> object:
        if source.column not in row:
            raise DatasetError(
                f"{operation.name} needs {source.table}.{source.column}, but a row of it has only "
                f"{', '.join(row)}"
            )
        return row[source.column]


def _source(fixed: object) -> Source:
    return fixed if isinstance(fixed, ValueCycle) else ConstantValue(fixed)


def _choose(random: Random, rows: Table, sets: int) -> Table:
    if sets <= len(rows):
        return random.sample(rows, sets)
    return [row for _ in range(0, sets, len(rows)) for row in random.sample(rows, len(rows))]


@cache
def _instances(
    folder: Path, data: Data, records: int, seed: int, count: int
) -> dict[str, list[dict[str, Any]]]:
    """Run the query generator; return instances of all operations, by lower-case name."""
    size = [data.size, str(records), "--seed", str(seed), "--instances", str(count)]
    command = [*resolved(folder, data, "queries"), *size]
    done = run_guarded(command, cwd=folder)
    if done.returncode != 0:
        options = (data.size, "--seed", "--instances")
        raise generator_error(command, done.returncode, done.stderr.strip()[-2000:], options)
    made: dict[str, list[dict[str, Any]]] = {}
    for line in done.stdout.splitlines():
        query = json.loads(line)
        made.setdefault(query["template"].lower(), []).append(query["parameters"])
    return made


@lru_cache(maxsize=3)
def _read_all(paths: tuple[tuple[str, Path], ...]) -> dict[str, Table]:
    """Read tables, once for all contenders that are compared on them."""
    return {table: _read(path) for table, path in paths}


def _read(path: Path) -> Table:
    """Read rows; null values are left out, as in every protocol."""
    with path.open("rb") as lines:
        return [_without_nulls(from_json(line)) for line in lines]


def _without_nulls(row: dict[str, Any]) -> dict[str, Any]:
    if None not in row.values():
        return row
    return {name: value for name, value in row.items() if value is not None}
