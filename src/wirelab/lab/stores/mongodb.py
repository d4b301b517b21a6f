"""A store with the MongoDB wire protocol: the embedded FerretDB, or any server by its URL."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit, urlunsplit

from pymongo import MongoClient
from pymongo.errors import ConfigurationError, OperationFailure, PyMongoError
from pymongo.errors import ServerSelectionTimeoutError as Unreachable

from wirelab.domain.dataset import Dataset
from wirelab.domain.model import Domain
from wirelab.inputs.problems import shown
from wirelab.lab.errors import StoreError
from wirelab.lab.stores.store import Store
from wirelab.lab.stores.store_server import StoreServer
from wirelab.lab.stores.store_url import redact, without_password

Document = dict[str, Any]

BATCH = 1000
PATIENCE_MS = 5000
URL_FORM = "mongodb://USER:PASSWORD@HOST:PORT/DATABASE"
AUTHENTICATION_FAILED = 18
UNAUTHORIZED = 13


@dataclass(frozen=True, slots=True)
class _Collection:
    """One collection of a state: the file of its documents, the key field, and its indexes."""

    name: str
    rows: Path
    key: str
    indexes: tuple[str, ...]

    def documents(self) -> Iterator[Document]:
        """Read the rows as documents; the key becomes `_id`."""
        with self.rows.open("rb") as lines:
            for line in lines:
                document = json.loads(line)
                yield {"_id": document.pop(self.key), **document}


@dataclass(slots=True)
class _Working:
    """A working database, and its known state."""

    database: str
    state: str = ""
    traces: frozenset[object] = frozenset()
    """The state of its files when it was restored."""


class MongodbStore(Store):
    """States are rows on disk, inserted again into a working database that was written to.

    The database of the URL is never changed: working databases are created beside it, and dropped
    by `stop`.
    """

    kind = "mongodb"

    def __init__(
        self, url: str = "", *, server: StoreServer | None = None, title: str = ""
    ) -> None:
        super().__init__(url, server)
        self._states: dict[str, tuple[_Collection, ...]] = {}
        self._workings: dict[str, _Working] = {}
        with self._connected("connect") as client:
            version = client.server_info()["version"]
        self.title = title or f"MongoDB {version}, at {_hosts(url)}"

    def prepare(self, domain: Domain, state: str, dataset: Dataset) -> None:
        """Note the content of a state; see `Store.prepare`."""
        description = domain.stores.mongodb
        if description is None:
            raise StoreError(
                f"the domain {domain.name} has no description for a document store",
                f"add [store.mongodb] to {shown(domain.folder / 'domain.toml')}",
            )
        indexed = domain.states[state].indexed
        self._states[state] = tuple(
            _Collection(
                name,
                dataset.ndjson_paths[table],
                domain.data.key,
                description.indexes.get(name, ()) if indexed else (),
            )
            for table, name in description.collections.items()
        )

    def drop(self, name: str) -> None:
        """Drop a working database; see `Store.drop`."""
        if name in self._workings:
            with self._connected("drop a working database") as client:
                client.drop_database(self._workings[name].database)
            del self._workings[name]

    def require_working(self) -> None:
        """Write to a separate database; see `Store.require_working`."""
        if self._server is None:
            return
        with self._connected("write") as client:
            check = client[f"{self._prefix}_check"]["check"]
            check.insert_one({"_id": 0})
            check.find_one_and_update({"_id": 0}, {"$set": {"changed": True}})
            client.drop_database(f"{self._prefix}_check")

    def stop(self) -> None:
        """Drop the working databases, or stop the embedded server with them."""
        if self._server is not None:
            self._server.stop()
            return
        with self._connected("clean up") as client:
            for working in self._workings.values():
                client.drop_database(working.database)

    def _restore(self, state: str, name: str, *, shared: bool) -> tuple[str, bool]:  # noqa: ARG002
        working = self._workings.setdefault(name, _Working(self._database(name)))
        url = _with_database(self.server_url, working.database)
        if working.state == state and working.traces == self._traces(working):
            return url, False
        working.state = ""
        with self._connected(f"restore the state {state}") as client:
            client.drop_database(working.database)
            database = client[working.database]
            for collection in self._states[state]:
                documents = collection.documents()
                target = database.create_collection(collection.name)
                while batch := list(islice(documents, BATCH)):
                    target.insert_many(batch, ordered=False)
                for field in collection.indexes:
                    target.create_index(field)
        working.state, working.traces = state, self._traces(working)
        return url, True

    def _recover(self, *, data_survived: bool) -> tuple[str, ...]:  # noqa: ARG002
        """Forget the working databases; the states are rows on disk, which remain."""
        for working in self._workings.values():
            working.state = ""
        return ()

    def _traces(self, working: _Working) -> frozenset[object]:
        """Return a value that changes with every write: the state of the embedded server's files.

        Other servers have no such indication: a new value every time.
        """
        folder = None if self._server is None else self._server.data_folder
        if folder is None:
            return frozenset({object()})
        files = [f for f in folder.glob(f"{working.database}.*") if f.suffix != ".sqlite-shm"]
        facts = [(path.name, path.stat()) for path in files]
        return frozenset((name, fact.st_size, fact.st_mtime_ns) for name, fact in facts)

    @contextmanager
    def _connected(self, what: str) -> Iterator[MongoClient[Document]]:
        """Connect for one operation, and convert errors into a `StoreError`.

        Not for longer: a connected driver checks the server's health all the time.
        """
        try:
            with MongoClient[Document](
                self.server_url,
                serverSelectionTimeoutMS=PATIENCE_MS,
                connectTimeoutMS=PATIENCE_MS,
            ) as client:
                yield client
        except (PyMongoError, ValueError) as error:  # a port that is not a number, for example
            # Without its cause, whose text may contain the password.
            raise self._problem(what, error) from None

    def _problem(self, what: str, error: PyMongoError | ValueError) -> StoreError:
        message = redact(" ".join(str(error).split()), self.server_url)
        if isinstance(error, Unreachable | ConfigurationError | ValueError):
            return StoreError(
                f"the document store does not answer at {_hosts(self.server_url)}:"
                f" {message.split(', Timeout')[0]}",
                f"start the server, or change host and port of the store's URL: {URL_FORM}",
            )
        hint = ""
        code = error.code if isinstance(error, OperationFailure) else None
        if code == AUTHENTICATION_FAILED:
            hint = f"the store's URL has a wrong user or password: {URL_FORM}"
        elif code == UNAUTHORIZED:
            hint = "grant the user of the store's URL the right to create and drop databases"
        elif "disk is full" in message or "OutOfDiskSpace" in message:
            hint = "free space on the disk of the server's data folder"
            if self._server is not None and self._server.data_folder is not None:
                hint += f" {self._server.data_folder}, or set TMPDIR to a folder on another disk"
        return StoreError(f"the document store cannot {what}: {message}", hint)


def _hosts(url: str) -> str:
    """Return the hosts of a URL, with their ports."""
    return without_password(url).partition("://")[2].partition("/")[0].rpartition("@")[2]


def _with_database(url: str, database: str) -> str:
    """Replace the database in a URL; authentication still uses the original one."""
    parts = urlsplit(url)
    query = parse_qs(parts.query)
    if parts.username and "authSource" not in query:
        query["authSource"] = [parts.path.strip("/") or "admin"]
    return urlunsplit(parts._replace(path=f"/{database}", query=urlencode(query, doseq=True)))
