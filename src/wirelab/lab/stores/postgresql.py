"""PostgreSQL as a store: each state is a template database, each working database a copy of one."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

from psycopg import sql

from wirelab.domain.dataset import Dataset
from wirelab.domain.model import Domain
from wirelab.inputs.problems import shown
from wirelab.lab.errors import StoreError
from wirelab.lab.stores.postgresql_changes import IN_USE, InUse, Mark, read_mark
from wirelab.lab.stores.postgresql_connection import Connection, connected, statement, with_database
from wirelab.lab.stores.postgresql_state import fill
from wirelab.lab.stores.statement_log import SETTINGS as LOGGING
from wirelab.lab.stores.statement_log import StatementLog
from wirelab.lab.stores.store import Store
from wirelab.lab.stores.store_server import StoreServer

DISK_RESERVE_BYTES = 2 << 30
"""Space kept free beside the copies: for the write-ahead log, and for inserts of contenders."""


@dataclass(frozen=True, slots=True)
class _Template:
    """A template database, and its source."""

    database: str
    domain: Domain
    dataset: Dataset


@dataclass(slots=True)
class _Working:
    """A working database, and its known state."""

    database: str
    state: str = ""
    mark: Mark | None = None
    """Its mark when it was restored; None if unknown."""


class PostgresqlStore(Store):
    """States are template databases on one server, embedded or the user's.

    The database of the URL is used only to connect, and never written to: the created databases
    have other names, and are dropped by `stop`.
    """

    kind = "postgresql"

    def __init__(self, url: str = "", *, server: StoreServer | None = None) -> None:
        super().__init__(url, server)
        self._templates: dict[str, _Template] = {}
        self._workings: dict[str, _Working] = {}
        self._created: set[str] = set()  # databases to drop at the end
        with self._connected("connect") as connection:
            number = connection.info.server_version
        location = server.location if server is not None else f"at {urlsplit(url).hostname}"
        self.title = f"PostgreSQL {number // 10000}.{number % 10000}, {location}"
        # Copying files is faster than writing a copy through the log, especially for large
        # databases. It also leaves no writes to disk for later, when contenders are measured.
        self._strategy = sql.SQL(" STRATEGY file_copy" if number >= 150000 else "")

    def prepare(self, domain: Domain, state: str, dataset: Dataset) -> None:
        """Create the template database of a state; see `Store.prepare`."""
        if state not in self._templates:
            template = _Template(f"{self._prefix}_{state}", domain, dataset)
            self._fill(template, state)
            self._templates[state] = template

    def drop(self, name: str) -> None:
        """Drop a working database; see `Store.drop`."""
        if name in self._workings:
            with self._connected("drop a working database") as connection:
                self._drop(connection, self._workings[name].database)
            del self._workings[name]

    @contextmanager
    def statements(self) -> Iterator[StatementLog | None]:
        """Let an embedded server on this machine log them; see `Store.statements`."""
        file = None if self._server is None else self._server.log_file
        if file is None:
            yield None
            return
        with self._connected("log statements") as connection:
            for setting in LOGGING:
                connection.execute(sql.SQL(f"ALTER SYSTEM SET {setting}"))
            connection.execute("SELECT pg_reload_conf()")
        try:
            yield StatementLog(file)
        finally:
            with self._connected("stop logging statements") as connection:
                connection.execute("ALTER SYSTEM RESET ALL")
                connection.execute("SELECT pg_reload_conf()")

    def why_no_copies(self, state: str, copies: int) -> str:
        """Compare the size of the copies with the free disk space; see `Store.why_no_copies`.

        For a server in a container, or an external one, the disk is unknown.
        """
        folder = None if self._server is None else self._server.data_folder
        if folder is None:
            return ""
        with self._connected("read the size of a state") as connection:
            row = connection.execute(
                "SELECT pg_database_size(%s)", [self._templates[state].database]
            ).fetchone()
        assert row is not None
        there = sum(working.state == state for working in self._workings.values())
        needed = max(copies - there, 0) * row[0]
        free = shutil.disk_usage(folder).free
        if needed + DISK_RESERVE_BYTES <= free:
            return ""
        return (
            f"{copies} copies of the state {state} of {row[0] / 1e6:.0f} MB each do not fit on the"
            f" disk of {folder}, which has {free / 1e6:.0f} MB free, of which"
            f" {DISK_RESERVE_BYTES / 1e6:.0f} MB are kept for the server's log and for inserts"
        )

    def stop(self) -> None:
        """Drop the created databases, or stop the embedded server with them."""
        if self._server is not None:
            self._server.stop()
            return
        with self._connected("clean up") as connection:
            for database in sorted(self._created):
                self._drop(connection, database)

    def _restore(self, state: str, name: str, *, shared: bool) -> tuple[str, bool]:
        working = self._workings.setdefault(name, _Working(self._database(name)))
        url = with_database(self.server_url, working.database)
        if working.state == state and self._can_stay(working, shared=shared):
            return url, False
        working.mark = None
        with self._connected(f"restore the state {state}") as connection:
            self._create(
                connection,
                working.database,
                statement(" TEMPLATE {}", self._templates[state].database) + self._strategy,
            )
        working.state = state
        mark = self._look(working)
        working.mark = mark if isinstance(mark, Mark) else None
        return url, True

    def _recover(self, *, data_survived: bool) -> tuple[str, ...]:
        for working in self._workings.values():
            working.mark = None
        if data_survived:
            return ()
        for state, template in self._templates.items():
            self._fill(template, state)
        return tuple(self._templates)

    def _fill(self, template: _Template, state: str) -> None:
        domain = template.domain
        description = domain.stores.postgresql
        if description is None:
            raise StoreError(
                f"the domain {domain.name} has no description for PostgreSQL",
                f"add [store.postgresql] to {shown(domain.folder / 'domain.toml')}",
            )
        what = f"prepare the state {state} of {domain.name}"
        with self._connected(what) as connection:
            self._create(connection, template.database, sql.SQL(" TEMPLATE template0"))
        with self._connected(what, template.database) as connection:
            fill(connection, description, template.dataset, indexed=domain.states[state].indexed)
            if self._server is not None:
                connection.execute("CHECKPOINT")  # from now on it survives a crash

    def _create(self, connection: Connection, database: str, options: sql.Composable) -> None:
        """Create a database, replacing a used or incomplete one."""
        self._drop(connection, database)
        self._created.add(database)
        connection.execute(statement("CREATE DATABASE {}", database) + options)

    def _drop(self, connection: Connection, database: str) -> None:
        connection.execute(statement("DROP DATABASE IF EXISTS {} WITH (FORCE)", database))
        self._created.discard(database)

    def _can_stay(self, working: _Working, *, shared: bool) -> bool:
        """Return whether it is unchanged, or shared and in use."""
        if working.mark is None and not shared:
            return False
        now = self._look(working)
        return (shared and now is IN_USE) or (working.mark is not None and now == working.mark)

    def _look(self, working: _Working) -> Mark | InUse | None:
        try:
            with self._connected("inspect a working database", working.database) as connection:
                return read_mark(connection)
        except StoreError:  # dropped, for example: copying will report that
            return None

    @contextmanager
    def _connected(self, what: str, database: str | None = None) -> Iterator[Connection]:
        url = self.server_url
        folder = None if self._server is None else self._server.data_folder
        url = url if database is None else with_database(url, database)
        with connected(url, what, data_folder=folder, why_ended=self.why_ended) as connection:
            yield connection
