"""PostgreSQL as a store: each state is a template database, and a restore is a copy of it."""

import secrets
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, LiteralString
from urllib.parse import urlsplit, urlunsplit

import psycopg
from psycopg import errors, sql

from wirelab.domain.dataset import Dataset
from wirelab.domain.model import Domain
from wirelab.domain.model import PostgresqlStore as Description
from wirelab.lab.environment import Launched
from wirelab.lab.errors import StoreError
from wirelab.lab.store import Store

Connection = psycopg.Connection[tuple[Any, ...]]

COPY_BLOCK_BYTES = 1 << 20
CONNECT_TIMEOUT_S = 10
URL_FORM = "postgresql://USER:PASSWORD@HOST:PORT/DATABASE"


class PostgresqlStore(Store):
    """States as template databases on one server, ours or the user's.

    The database of the URL is only connected to, never written: the databases that are made have
    names of their own, and are dropped by `stop`.
    """

    kind = "postgresql"

    def __init__(
        self,
        url: str,
        *,
        server: Launched | None = None,
        settings: Mapping[str, str] | None = None,
        data_folder: Path | None = None,
    ) -> None:
        self._maintenance_url = url
        self._server = server
        self._data_folder = data_folder
        self._working = f"wirelab_{secrets.token_hex(4)}"
        self._made: set[str] = {self._working}  # databases to drop at the end
        self._prepared: dict[str, str] = {}  # by state, those that hold all of its rows
        self._restored: tuple[str, str] | None = None  # the state, and the log position after it
        self.url = _with_database(url, self._working)
        self.settings = settings or {}
        self.counted = server.pid if server is not None else None
        with self._connected("connect") as connection:
            number = connection.info.server_version
        where = "embedded" if server is not None else f"at {urlsplit(url).hostname}"
        self.title = f"PostgreSQL {number // 10000}.{number % 10000}, {where}"
        # Copying files is faster than writing a copy through the log, the more so the larger.
        self._strategy = sql.SQL(" STRATEGY file_copy" if number >= 150000 else "")

    def prepare(self, domain: Domain, state: str, dataset: Dataset) -> None:
        """Make the template database of a state; see `Store.prepare`."""
        if state in self._prepared:
            return
        description = domain.stores.postgresql
        if description is None:
            raise StoreError(
                f"the domain {domain.name} cannot live in PostgreSQL",
                f"add [store.postgresql] to {domain.folder / 'domain.toml'}",
            )
        template = f"{self._working}_{state}"
        what = f"prepare the state {state} of {domain.name}"
        with self._connected(what) as connection:
            self._drop(connection, template)  # what a failure has left half full
            connection.execute(_statement("CREATE DATABASE {} TEMPLATE template0", template))
        self._made.add(template)
        with self._connected(what, template) as connection:
            _fill(connection, description, dataset, domain.states[state].indexed)
        self._prepared[state] = template

    def restore(self, state: str) -> bool:
        """Copy the state's template to the working database; see `Store.restore`."""
        template = self._prepared[state]
        with self._connected(f"restore the state {state}") as connection:
            if self._restored == (state, _log_position(connection)):
                return False
            self._drop(connection, self._working)
            connection.execute(
                _statement("CREATE DATABASE {} TEMPLATE {}", self._working, template)
                + self._strategy
            )
        # The first connection to a database writes hints; that must not look like a change.
        with self._connected("open the working database", self._working) as connection:
            connection.execute("SELECT count(*) FROM pg_class, pg_database")
            self._restored = (state, _log_position(connection))
        return True

    def stop(self) -> None:
        """Drop the databases that were made, or stop the server with them when it is ours."""
        if self._server is not None:
            self._server.stop()
            return
        with self._connected("clean up") as connection:
            for name in sorted(self._made):
                self._drop(connection, name)

    def _drop(self, connection: Connection, name: str) -> None:
        connection.execute(_statement("DROP DATABASE IF EXISTS {} WITH (FORCE)", name))

    @contextmanager
    def _connected(self, what: str, database: str | None = None) -> Iterator[Connection]:
        """Connect, autocommit on, and turn what goes wrong into a `StoreError`."""
        url = self._maintenance_url
        url = url if database is None else _with_database(url, database)
        try:
            connection = psycopg.connect(url, autocommit=True, connect_timeout=CONNECT_TIMEOUT_S)
        except psycopg.Error as error:
            raise _connection_problem(url, error) from error
        with closing(connection):
            try:
                yield connection
            except psycopg.Error as error:
                raise self._problem(what, error) from error

    def _problem(self, what: str, error: psycopg.Error) -> StoreError:
        hint = ""
        if isinstance(error, errors.InsufficientPrivilege):
            hint = "give the user of the store's URL the right to make databases (CREATEDB)"
        elif isinstance(error, errors.DiskFull):
            hint = "free space on the disk of the server's data folder"
            if self._data_folder is not None:
                hint += f" {self._data_folder}, or set TMPDIR to a folder on another disk"
        elif isinstance(error, errors.UndefinedFile | errors.FeatureNotSupported):
            hint = "install the extension that the schema of the domain asks for on this server"
        return StoreError(f"PostgreSQL: cannot {what}: {_one_line(error)}", hint)


def _fill(
    connection: Connection, description: Description, dataset: Dataset, indexed: bool
) -> None:
    connection.execute(_trusted(description.schema_file.read_text()))
    with connection.cursor() as cursor:
        for table, statement in description.copy_statements.items():
            with (
                dataset.csv_paths[table].open("rb") as rows,
                cursor.copy(_trusted(statement)) as copy,
            ):
                while block := rows.read(COPY_BLOCK_BYTES):
                    copy.write(block)
    if indexed and description.index_file is not None:
        connection.execute(_trusted(description.index_file.read_text()))
    # Twice: the second vacuum tidies what the first wrote about the tables' statistics, so that
    # no later read finds anything to tidy, which would look like a change.
    connection.execute("VACUUM (FREEZE, ANALYZE)")
    connection.execute("VACUUM (FREEZE)")


def _log_position(connection: Connection) -> str:
    """Return how far the write-ahead log has been written: it moves with every change."""
    row = connection.execute("SELECT pg_current_wal_insert_lsn()::text").fetchone()
    assert row is not None
    return str(row[0])


def _trusted(text: str) -> sql.SQL:
    """Take the SQL of a domain's file as it is: a domain may do with its database what it likes."""
    return sql.SQL(text)


def _statement(form: LiteralString, *names: str) -> sql.Composed:
    return sql.SQL(form).format(*map(sql.Identifier, names))


def _with_database(url: str, database: str) -> str:
    return urlunsplit(urlsplit(url)._replace(path=f"/{database}"))


def _connection_problem(url: str, error: psycopg.Error) -> StoreError:
    parts = urlsplit(url)
    place = f"{parts.hostname or 'localhost'}:{parts.port or 5432}"
    message = _one_line(error)
    if "authentication failed" in message or "no password supplied" in message:
        hint = f"user and password of the store's URL are wrong: {URL_FORM}"
    elif "does not exist" in message:
        hint = f"the store's URL names a user or database the server does not have: {URL_FORM}"
    else:
        hint = f"start the server, or change host and port of the store's URL: {URL_FORM}"
    return StoreError(f"PostgreSQL does not let us in at {place}: {message}", hint)


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
