"""Fill a database with a state, as domain.toml and the SQL files that it names describe it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg import errors, sql

from wirelab.domain.dataset import Dataset
from wirelab.domain.read import shown
from wirelab.domain.stores import PostgresqlStore as Description
from wirelab.lab.postgresql_connection import Connection
from wirelab.problems import Problem, ProblemsError

COPY_BLOCK_BYTES = 1 << 20


def fill(
    connection: Connection, description: Description, dataset: Dataset, *, indexed: bool
) -> None:
    """Create the tables of a domain, load its rows, and create the indexes.

    Raises `ProblemsError` for SQL or rows that PostgreSQL does not accept.
    """
    for schema in description.schema_files:
        _execute(connection, schema)
    with connection.cursor() as cursor:
        for table, copying in description.copy_statements.items():
            file = dataset.csv_paths[table]
            where = shown(dataset.domain.folder / dataset.domain.spelled_in)
            hint = "the CSV needs its columns in the order of the COPY statement, and no header"
            with (
                _problems(where, f"store.postgresql.copy.{table}", hint),
                file.open("rb") as rows,
                cursor.copy(_trusted(copying)) as copy,
            ):
                while block := rows.read(COPY_BLOCK_BYTES):
                    copy.write(block)
    if indexed and description.index_file is not None:
        _execute(connection, description.index_file)
    # Twice: the second vacuum cleans up what the first wrote about the tables' statistics, so that
    # no contender's read has to clean up anything.
    connection.execute("VACUUM (FREEZE, ANALYZE)")
    connection.execute("VACUUM (FREEZE)")


def _execute(connection: Connection, file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    with _problems(shown(file), text=text):
        connection.execute(_trusted(text))


@contextmanager
def _problems(where: str, key: str = "", hint: str = "", *, text: str = "") -> Iterator[None]:
    """Convert an error of PostgreSQL into a problem of a file.

    `text` is the file's content if it consists of SQL; `hint` is about rows.
    """
    try:
        yield
    except errors.InsufficientPrivilege:
        raise
    except (psycopg.ProgrammingError, psycopg.DataError, psycopg.IntegrityError) as error:
        position = int(error.diag.statement_position or 0)
        line = f":{text.count(chr(10), 0, position) + 1}" if text and position else ""
        message = "; ".join(filter(None, (error.diag.message_primary, error.diag.context)))
        about_rows = not isinstance(error, psycopg.ProgrammingError)
        problem = Problem(
            f"{where}{line}", key, message or str(error), "", hint if about_rows else ""
        )
        raise ProblemsError([problem]) from error


def _trusted(text: str) -> sql.SQL:
    """Accept the SQL of a domain's file: a domain may do anything with its database."""
    return sql.SQL(text)
