"""A store that speaks the MongoDB wire protocol: FerretDB of our own, or any server by its URL."""

import json
import secrets
from collections.abc import Iterator, Mapping
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
from wirelab.lab.errors import StoreError
from wirelab.lab.process import GuardedProcess
from wirelab.lab.store import Store

Document = dict[str, Any]

BATCH = 1000
PATIENCE_MS = 5000
URL_FORM = "mongodb://USER:PASSWORD@HOST:PORT/DATABASE"
AUTHENTICATION_FAILED = 18
UNAUTHORIZED = 13


@dataclass(frozen=True, slots=True)
class _Collection:
    """One collection of a state: where its documents are, which field is the key, its indexes."""

    name: str
    rows: Path
    key: str
    indexes: tuple[str, ...]

    def documents(self) -> Iterator[Document]:
        """Read the rows as documents: the key becomes `_id`."""
        with self.rows.open("rb") as lines:
            for line in lines:
                document = json.loads(line)
                yield {"_id": document.pop(self.key), **document}


class MongodbStore(Store):
    """States as rows on disk, inserted afresh for every run that finds them changed.

    The database of the URL is never touched: a working database of our own is made beside it, and
    dropped by `stop`.
    """

    kind = "mongodb"

    def __init__(
        self,
        url: str,
        *,
        server: GuardedProcess | None = None,
        title: str = "",
        settings: Mapping[str, str] | None = None,
        data_folder: Path | None = None,
    ) -> None:
        self._server = server
        self._data_folder = data_folder
        self._states: dict[str, tuple[_Collection, ...]] = {}
        self._restored: tuple[str, frozenset[object]] | None = None
        self._working = f"wirelab_{secrets.token_hex(4)}"
        self.url = _with_database(url, self._working)
        self.settings = settings or {}
        self.counted = server.pid if server is not None else None
        with self._connected("connect") as client:
            version = client.server_info()["version"]
        self.title = title or f"MongoDB {version}, at {urlsplit(url).hostname}"

    def prepare(self, domain: Domain, state: str, dataset: Dataset) -> None:
        """Note what a state consists of; see `Store.prepare`."""
        description = domain.stores.mongodb
        if description is None:
            raise StoreError(
                f"the domain {domain.name} cannot live in a document store",
                f"add [store.mongodb] to {domain.folder / 'domain.toml'}",
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

    def restore(self, state: str) -> bool:
        """Drop the working database and insert the state's documents; see `Store.restore`."""
        if self._restored == (state, self._traces()):
            return False
        with self._connected(f"restore the state {state}") as client:
            client.drop_database(self._working)
            database = client[self._working]
            for collection in self._states[state]:
                documents = collection.documents()
                target = database.create_collection(collection.name)
                while batch := list(islice(documents, BATCH)):
                    target.insert_many(batch, ordered=False)
                for field in collection.indexes:
                    target.create_index(field)
        self._restored = (state, self._traces())
        return True

    def stop(self) -> None:
        """Drop the working database, or stop the server with it when it is ours."""
        if self._server is not None:
            self._server.stop()
            return
        with self._connected("clean up") as client:
            client.drop_database(self._working)

    def _traces(self) -> frozenset[object]:
        """Return what changes when somebody writes: of our own server the files of the database.

        From somebody else's server there is no such sign: a new value every time.
        """
        if self._data_folder is None:
            return frozenset({object()})
        files = [path for path in self._data_folder.iterdir() if path.suffix != ".sqlite-shm"]
        facts = [(path.name, path.stat()) for path in files]
        return frozenset((name, fact.st_size, fact.st_mtime_ns) for name, fact in facts)

    @contextmanager
    def _connected(self, what: str) -> Iterator[MongoClient[Document]]:
        """Connect for one piece of work, and turn what goes wrong into a `StoreError`.

        Not for longer: a driver that stays connected asks the server for its health all the time.
        """
        try:
            with MongoClient[Document](
                self.url, serverSelectionTimeoutMS=PATIENCE_MS, connectTimeoutMS=PATIENCE_MS
            ) as client:
                yield client
        except PyMongoError as error:
            raise self._problem(what, error) from error

    def _problem(self, what: str, error: PyMongoError) -> StoreError:
        message = " ".join(str(error).split())
        if isinstance(error, Unreachable | ConfigurationError):
            place = urlsplit(self.url).netloc.rpartition("@")[2]
            return StoreError(
                f"the document store does not answer at {place}: {message.split(', Timeout')[0]}",
                f"start the server, or change host and port of the store's URL: {URL_FORM}",
            )
        hint = ""
        code = error.code if isinstance(error, OperationFailure) else None
        if code == AUTHENTICATION_FAILED:
            hint = f"user and password of the store's URL are wrong: {URL_FORM}"
        elif code == UNAUTHORIZED:
            hint = "give the user of the store's URL the right to make and drop databases"
        elif "disk is full" in message or "OutOfDiskSpace" in message:
            hint = "free space on the disk of the server's data folder"
            if self._data_folder is not None:
                hint += f" {self._data_folder}, or set TMPDIR to a folder on another disk"
        return StoreError(f"the document store cannot {what}: {message}", hint)


def _with_database(url: str, database: str) -> str:
    """Name another database in a URL; who logs in does so where the URL said before."""
    parts = urlsplit(url)
    query = parse_qs(parts.query)
    if parts.username and "authSource" not in query:
        query["authSource"] = [parts.path.strip("/") or "admin"]
    return urlunsplit(parts._replace(path=f"/{database}", query=urlencode(query, doseq=True)))
