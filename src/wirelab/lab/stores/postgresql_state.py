"""Fill a database with a state, as domain.toml and the SQL files that it names describe it."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg import errors, sql

from wirelab.domain.dataset import Dataset
from wirelab.domain.stores import PostgresqlSetup as Description
from wirelab.inputs.close_match import close_match
from wirelab.inputs.problems import Problem, ProblemsError, shown
from wirelab.lab.stores.postgresql_connection import Connection

COPY_BLOCK_BYTES = 1 << 20
_NO_COLUMN = re.compile('column "(?P<column>.+)" of relation "(?P<table>.+)" does not exist')
_NO_TABLE = re.compile('relation "(?P<table>.+)" does not exist')
_COLUMNS = """SELECT attname FROM pg_attribute WHERE attrelid = to_regclass(%s) AND attnum > 0
    AND NOT attisdropped ORDER BY attnum"""
_COLUMNS_IN_ORDER = "the CSV needs its columns in the order of the COPY statement, and no header"
_FIRST_ROW = re.compile(r"^COPY .*, line 1\b", re.MULTILINE)
_NO_NUMBER = re.compile('"[+-]?(nan|inf|infinity)"', re.IGNORECASE)
"""A value that is neither a header nor in the wrong column, but one that the type does not have."""
_TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename"


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
            with (
                _problems(connection, where, f"store.postgresql.copy.{table}", rows=file),
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
    with _problems(connection, shown(file), text=text):
        connection.execute(_trusted(text))


@contextmanager
def _problems(
    connection: Connection, where: str, key: str = "", *, text: str = "", rows: Path | None = None
) -> Iterator[None]:
    """Convert an error of PostgreSQL into a problem of a file.

    `text` is the file's content if it consists of SQL; `rows` is the file with the rows.
    """
    try:
        yield
    except errors.InsufficientPrivilege:
        raise
    except (psycopg.ProgrammingError, psycopg.DataError, psycopg.IntegrityError) as error:
        position = int(error.diag.statement_position or 0)
        line = f":{text.count(chr(10), 0, position) + 1}" if text and position else ""
        about_rows = rows is not None and not isinstance(error, psycopg.ProgrammingError)
        facts = (
            error.diag.message_primary,
            (error.diag.message_detail or "").rstrip("."),
            error.diag.context,
            f"the rows are in {rows}" if about_rows else "",
        )
        hint = _remedy(error) if about_rows or text else _similar_name(connection, error)
        message = "; ".join(filter(None, facts)) or str(error)
        raise ProblemsError([Problem(f"{where}{line}", key, message, "", hint)]) from error


def _remedy(error: psycopg.Error) -> str:
    """Return what to do about rows, "" if the error is about something else."""
    message = error.diag.message_primary or ""
    wrong_value = message.startswith("invalid input syntax") and not _NO_NUMBER.search(
        f"{message} {error.diag.message_detail}"
    )
    match error:
        case errors.UniqueViolation():
            return "the generator must write each value of a unique column once"
        case errors.ForeignKeyViolation():
            return "in [store.postgresql.copy], list a table after those that its rows refer to"
        case errors.BadCopyFileFormat() if message.startswith(("extra data", "missing data")):
            return _COLUMNS_IN_ORDER
        case psycopg.DataError() if wrong_value and _FIRST_ROW.search(error.diag.context or ""):
            return _COLUMNS_IN_ORDER
    return ""


def _similar_name(connection: Connection, error: psycopg.Error) -> str:
    """Return the columns or tables that exist, if a COPY statement names one that does not."""
    message = error.diag.message_primary or ""
    if match := _NO_COLUMN.fullmatch(message):
        kind, wanted, query = f"columns of {match['table']}", match["column"], _COLUMNS
        rows = connection.execute(query, [f'"{match["table"]}"']).fetchall()
    elif match := _NO_TABLE.fullmatch(message):
        kind, wanted = "tables", match["table"]
        rows = connection.execute(_TABLES).fetchall()
    else:
        return ""
    known = [str(name) for (name,) in rows]
    listed = f"{kind} are {', '.join(known)}" if known else ""
    return "; ".join(filter(None, (listed, close_match(wanted, known))))


def _trusted(text: str) -> sql.SQL:
    """Accept the SQL of a domain's file: a domain may do anything with its database."""
    return sql.SQL(text)
