"""Read the Parquet files of a bundle, which may be damaged or come from another source.

A small file can claim to contain any number of values. What it claims is therefore checked before
its values are read, so that the memory that this takes is proportional to the size of the file,
without its holes.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
from pyarrow import compute, parquet

from wirelab.inputs.problems import Problem, ProblemsError
from wirelab.lab.processes.shortage import remedy_of

WHOLE = "a whole Parquet file, as `wirelab run` wrote it"

MOST_VALUES_PER_BYTE = 16
"""Maximum number of values for each byte of a file; samples of a busy server have 2.4."""

MOST_UNCOMPRESSED_PER_BYTE = 128
"""Maximum number of bytes, uncompressed, for each byte of a file."""

MOST_TEXT_PER_BYTE = 64
"""Maximum number of bytes of a column's decoded texts for each byte of a file."""


def read_table(path: Path, types: Mapping[str, pa.DataType], filters: Any = None) -> pd.DataFrame:
    """Return the rows of a Parquet file, with all of its columns.

    The columns in `types` have these types; only floats may be missing. `filters` are those of
    `pyarrow.parquet.read_table`. Raises `ProblemsError` if the file is damaged, lacks columns, has
    numbers that are not finite, or claims more values than a file of its size contains.
    """
    try:
        texts = _check_claims(path)
        table = _read(path, texts, filters)
        _check_texts(path, table)
        problems = list(_unfit(path, table, types))
        if problems:
            raise ProblemsError(problems)
        decoded = dict.fromkeys(texts, pa.large_string()) | dict(types)
        fields = [
            pa.field(column.name, decoded.get(column.name, column.type)) for column in table.schema
        ]
        frame: pd.DataFrame = table.cast(pa.schema(fields)).to_pandas(use_threads=False)
    except MemoryError:
        raise
    except (OSError, ValueError, pa.ArrowException) as error:
        if not isinstance(error, OSError) and remedy_of(error):
            raise  # it says nothing of the file
        raise ProblemsError([Problem(str(path), "", str(error), WHOLE)]) from None
    return frame


def _read(path: Path, texts: list[str], filters: Any) -> pa.Table:
    if filters is not None:
        return parquet.read_table(path, read_dictionary=texts, use_threads=False, filters=filters)
    with parquet.ParquetFile(path, read_dictionary=texts) as file:  # takes half of the time
        return file.read(use_threads=False)


def _check_claims(path: Path) -> list[str]:
    """Return the names of the columns of text.

    Raises `ValueError` if there are too many values, or bytes. The headers of pages, which pyarrow
    does not show, may claim more: it then reserves up to 2 GB until it finds the page damaged.
    """
    size_bytes = _size_without_holes(path)
    with parquet.ParquetFile(path) as file:
        names = file.schema_arrow.names
        if len(set(names)) < len(names):
            raise ValueError("two columns have the same name")
        groups = [file.metadata.row_group(index) for index in range(file.num_row_groups)]
        columns = range(file.metadata.num_columns)
        chunks = [group.column(index) for group in groups for index in columns]
        values = sum(chunk.num_values for chunk in chunks)
        rows = sum(group.num_rows for group in groups)
        most = MOST_VALUES_PER_BYTE * size_bytes
        if max(values, rows) > most:
            raise ValueError(f"{max(values, rows):,} values, more than a file of its size contains")
        uncompressed_bytes = sum(chunk.total_uncompressed_size for chunk in chunks)
        if uncompressed_bytes > MOST_UNCOMPRESSED_PER_BYTE * size_bytes:
            raise ValueError(f"{uncompressed_bytes:,} bytes, more than a file of its size contains")
        leaves = [file.schema.column(index) for index in columns]
        texts = [leaf.path for leaf in leaves if leaf.physical_type == "BYTE_ARRAY"]
        if nested := [path for path in texts if path not in names]:
            raise ValueError(f"the column {nested[0]} has texts in lists or tables")
        return texts


def _size_without_holes(path: Path) -> int:
    """Return how many bytes a file has on the disk, apart from how it is stored there."""
    with path.open("rb") as file:
        descriptor, size_bytes, end = file.fileno(), 0, 0
        with suppress(OSError):  # no data until the end of the file
            while True:
                begin = os.lseek(descriptor, end, os.SEEK_DATA)
                end = os.lseek(descriptor, begin, os.SEEK_HOLE)
                size_bytes += end - begin
    return size_bytes


def _check_texts(path: Path, table: pa.Table) -> None:
    """Raise `ValueError` if a column repeats a text too often to be decoded."""
    most = MOST_TEXT_PER_BYTE * _size_without_holes(path)
    for name in table.schema.names:
        for chunk in table[name].chunks:
            if pa.types.is_dictionary(chunk.type) and len(chunk.dictionary):
                longest = compute.max(compute.binary_length(chunk.dictionary)).as_py() or 0
                if longest * len(chunk) > most:
                    raise ValueError(f"the texts of the column {name} have too many characters")


def _unfit(path: Path, table: pa.Table, types: Mapping[str, pa.DataType]) -> Iterator[Problem]:
    """Yield a problem for each column that is missing or has other values than its type."""
    for name, expected in types.items():
        if name not in table.schema.names:
            yield Problem(str(path), name, None, WHOLE)
            continue
        try:
            values = table[name].cast(expected)
        except pa.ArrowException:
            yield Problem(str(path), name, str(table[name].type), str(expected))
            continue
        has_gaps = values.null_count > 0 and not pa.types.is_floating(expected)
        if pa.types.is_list(expected):
            values = compute.list_flatten(values)
            has_gaps |= values.null_count > 0
        if has_gaps:
            yield Problem(str(path), name, None, "a value in every row")
        elif pa.types.is_floating(values.type):
            infinite = values.filter(compute.invert(compute.is_finite(values)))
            if len(infinite):
                yield Problem(str(path), name, infinite[0].as_py(), "finite numbers")
