"""The interface of all stores, embedded or external."""

import secrets
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import ClassVar, Self

from wirelab.domain.dataset import Dataset
from wirelab.domain.model import Domain
from wirelab.errors import Failure
from wirelab.lab.environments.environment import Counted
from wirelab.lab.errors import StoreError
from wirelab.lab.stores.statement_log import StatementLog
from wirelab.lab.stores.store_server import StoreServer
from wirelab.lab.stores.store_url import without_password


@dataclass(frozen=True, slots=True)
class Database:
    """A working database of one contender, or of several contenders that only read."""

    kind: str
    """"postgresql" or "mongodb": its wire protocol."""
    url: str = field(repr=False)
    """The URL for contenders. It may contain a password: use `shown_url` in files and messages."""

    @property
    def shown_url(self) -> str:
        """The URL without its password."""
        return without_password(self.url)


@dataclass(frozen=True, slots=True)
class Restored:
    """A working database with the requested state, and the time to restore it."""

    database: Database
    copied: bool
    """False: it already had the state, without changes."""
    seconds: float


class Store(ABC):
    """A database server with the states of a domain, which makes working databases of them.

    A store can have several working databases at the same time, each with a name, so that
    contenders that run side by side do not share tables. Use it as a context manager: its end
    removes
    everything that the store created on the server, and ends an embedded server.
    """

    kind: ClassVar[str]
    """"postgresql" or "mongodb": which of a domain's store descriptions applies."""
    title: str
    """For people: product, version, and whether it is embedded."""

    def __init__(self, url: str, server: StoreServer | None) -> None:
        self._own_url = url
        self._server = server
        self._prefix = f"wirelab_{secrets.token_hex(4)}"
        self._databases: dict[str, str] = {}

    @property
    def server_url(self) -> str:
        """The URL that the store itself uses. It may contain a password: see `shown_url`."""
        return self._own_url if self._server is None else self._server.url

    @property
    def shown_url(self) -> str:
        """The server's URL without its password, for files and messages."""
        return without_password(self.server_url)

    @property
    def settings(self) -> Mapping[str, str]:
        """The settings that differ from the server's defaults; empty for an external server."""
        return {} if self._server is None else self._server.settings

    @property
    def counted(self) -> Counted | None:
        """The subject of its counters; None for an external server."""
        return None if self._server is None else self._server.counted

    @abstractmethod
    def prepare(self, domain: Domain, state: str, dataset: Dataset) -> None:
        """Create a state of the domain from the rows of a data set, unless it exists.

        Raises `StoreError`.
        """

    def restore(self, state: str, name: str, *, shared: bool = False) -> Restored:
        """Restore the working database `name` from a prepared state.

        Nothing is copied if the database has this state without changes. Otherwise connections to
        it are ended, except to a `shared` one, which remains unchanged while it is in use. Only
        PostgreSQL can detect that, so restore a shared one before it is used. Restore before
        measuring: a copy uses CPU and disk. Raises `StoreError`.
        """
        began = time.monotonic()
        url, copied = self._restore(state, name, shared=shared)
        return Restored(Database(self.kind, url), copied, time.monotonic() - began)

    @abstractmethod
    def drop(self, name: str) -> None:
        """Remove a working database, if there is one of that name."""

    @contextmanager
    def statements(self) -> Iterator[StatementLog | None]:
        """Let the store log its statements until the end of the block.

        None if its log cannot be read. Raises `StoreError`.
        """
        yield None

    def why_no_copies(self, state: str, copies: int) -> str:  # noqa: ARG002
        """Return why the store cannot have `copies` working databases of a prepared state.

        Returns "" if it can.
        """
        return ""

    def why_ended(self) -> Failure | None:
        """Return a message with the end of the log if an embedded server has ended by itself.

        None while it runs, and always None for an external server.
        """
        return None if self._server is None else self._server.why_ended()

    def require_working(self) -> None:  # noqa: B027
        """Raise `StoreError` unless an embedded server works, as far as that can be checked.

        It may run and still answer every contender with an error: out of descriptors, for example.
        """

    def restart(self) -> tuple[str, ...]:
        """Restart an embedded server after it has ended, with all prepared states.

        Returns those that had to be prepared again. Working databases must be restored before they
        are used: their URLs may have changed. Raises `StoreError` if the server does not start, or
        is external.
        """
        if self._server is None:
            raise StoreError(
                f"wirelab cannot restart the store at {self.shown_url}, which it did not start",
                "start the server, and resume the study",
            )
        return self._recover(data_survived=self._server.restart())

    @abstractmethod
    def stop(self) -> None:
        """Remove everything that the store created, and end an embedded server."""

    def _database(self, name: str) -> str:
        """Return the name of a working database on the server, which has a number.

        So all URLs have the same length: the size of a contender's environment shifts its stack,
        which affects its speed.
        """
        return self._databases.setdefault(name, f"{self._prefix}_{len(self._databases) + 1:03}")

    @abstractmethod
    def _restore(self, state: str, name: str, *, shared: bool) -> tuple[str, bool]:
        """Return the URL of the working database, and whether it was copied."""

    @abstractmethod
    def _recover(self, *, data_survived: bool) -> tuple[str, ...]:
        """Ensure that all prepared states exist; return those that were prepared again."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
