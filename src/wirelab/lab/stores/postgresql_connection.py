"""Connections of the laboratory to PostgreSQL, with hints in errors."""

import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, LiteralString
from urllib.parse import urlsplit, urlunsplit

import psycopg
from psycopg import errors, sql

from wirelab.errors import Failure
from wirelab.lab.errors import StoreError
from wirelab.lab.processes.shortage import DESCRIPTORS, PORTS, REMEDIES, lacking_in
from wirelab.lab.stores.store_url import redact

Connection = psycopg.Connection[tuple[Any, ...]]

CONNECT_TIMEOUT_S = 10
WATCH_S = 0.5
"""Interval of checks that the server still runs."""
ENDED_HINT = "see the end of its log, then resume the study with `wirelab run --resume`"
URL_FORM = "postgresql://USER:PASSWORD@HOST:PORT/DATABASE"


@contextmanager
def connected(
    url: str,
    what: str,
    *,
    data_folder: Path | None = None,
    why_ended: Callable[[], Failure | None] = lambda: None,
) -> Iterator[Connection]:
    """Connect with autocommit, and convert errors into a `StoreError`.

    `what`: the operation, as it follows "cannot". `data_folder`: that of an embedded server.
    `why_ended`: returns why the server can no longer answer.
    """
    try:
        connection = _connect(url)
    except psycopg.Error as error:
        # Without its cause, whose text may contain the password.
        if ended := why_ended():
            raise StoreError(
                f"PostgreSQL cannot {what}: {ended.what}", ENDED_HINT, ended.log
            ) from None
        raise _connection_problem(url, error) from None
    with closing(connection), _watched(connection, why_ended):
        try:
            yield connection
        except psycopg.Error as error:
            if ended := why_ended():
                raise StoreError(
                    f"PostgreSQL cannot {what}: {ended.what}", ENDED_HINT, ended.log
                ) from error
            raise _problem(url, what, error, data_folder) from error


def _connect(url: str) -> Connection:
    """Connect; wait for a free port for some time, since closed connections release theirs."""
    deadline = time.monotonic() + CONNECT_TIMEOUT_S
    while True:
        try:
            return psycopg.connect(url, autocommit=True, connect_timeout=CONNECT_TIMEOUT_S)
        except psycopg.OperationalError as error:
            if lacking_in(str(error)) != PORTS or time.monotonic() > deadline:
                raise
            time.sleep(WATCH_S)


def with_database(url: str, database: str) -> str:
    """Replace the database in a URL."""
    return urlunsplit(urlsplit(url)._replace(path=f"/{database}"))


def statement(form: LiteralString, *names: str) -> sql.Composed:
    """Insert names of databases into a statement."""
    return sql.SQL(form).format(*map(sql.Identifier, names))


def _ended(what: str, ended: Failure) -> StoreError:
    return StoreError(f"PostgreSQL cannot {what}: {ended.what}", ENDED_HINT, ended.log)


def _connection_problem(url: str, error: psycopg.Error) -> StoreError:
    message = _one_line(url, error)
    if "authentication failed" in message or "no password supplied" in message:
        hint = f"the store's URL has a wrong user or password: {URL_FORM}"
    elif "does not exist" in message:
        hint = f"the store's URL names a user or database the server does not have: {URL_FORM}"
    elif "permission denied" in message:
        hint = "grant the user of the store's URL the right to connect to the database (CONNECT)"
    elif (lacking := lacking_in(message)) in {PORTS, DESCRIPTORS}:
        hint = REMEDIES[lacking]
    else:
        hint = f"start the server, or change host and port of the store's URL: {URL_FORM}"
    return StoreError(f"Cannot connect to PostgreSQL at {_host(url)}: {message}", hint)


def _problem(url: str, what: str, error: psycopg.Error, data_folder: Path | None) -> StoreError:
    hint = ""
    if isinstance(error, errors.InsufficientPrivilege):
        hint = "grant the user of the store's URL the right to create databases (CREATEDB)"
    elif isinstance(error, errors.DiskFull):
        hint = "free space on the disk of the server's data folder"
        if data_folder is not None:
            hint += f" {data_folder}, or set TMPDIR to a folder on another disk"
    elif isinstance(error, errors.UndefinedFile | errors.FeatureNotSupported):
        hint = "install the extension that the domain's schema uses on this server"
    return StoreError(f"PostgreSQL cannot {what}: {_one_line(url, error)}", hint)


@contextmanager
def _watched(connection: Connection, why_ended: Callable[[], Failure | None]) -> Iterator[None]:
    """Close a connection whose server has ended or is suspended, instead of waiting without end."""
    over = threading.Event()
    with socket.socket(fileno=os.dup(connection.fileno())) as line:

        def watch() -> None:
            while not over.wait(WATCH_S):
                if why_ended() is not None:
                    with suppress(OSError):
                        line.shutdown(socket.SHUT_RDWR)
                    return

        watcher = threading.Thread(target=watch, daemon=True)
        watcher.start()
        try:
            yield
        finally:
            over.set()
            watcher.join()


def _host(url: str) -> str:
    try:
        parts = urlsplit(url)
        return f"{parts.hostname or 'localhost'}:{parts.port or 5432}"
    except ValueError:
        return "its URL"


def _one_line(url: str, error: Exception) -> str:
    return redact(" ".join(str(error).split()), url)
