"""Stores: what every store can do, whichever it is and whoever runs it."""

import secrets
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import ClassVar, Self

from wirelab.domain.dataset import Dataset
from wirelab.domain.model import Domain
from wirelab.lab.environment import Counted
from wirelab.lab.errors import StoreError
from wirelab.lab.statement_log import StatementLog
from wirelab.lab.store_server import StoreServer
from wirelab.lab.store_url import without_password


@dataclass(frozen=True, slots=True)
class Database:
    """A working database: one contender's own, or one that several contenders only read."""

    kind: str
    """"postgresql" or "mongodb": how a contender speaks to it."""
    url: str = field(repr=False)
    """Where contenders connect. It may hold a password: files and messages get `shown_url`."""

    @property
    def shown_url(self) -> str:
        """The URL without its password."""
        return without_password(self.url)


@dataclass(frozen=True, slots=True)
class Restored:
    """A working database that has the state it was asked for, and what that took."""

    database: Database
    copied: bool
    """False: it had the state already, and nobody had written to it."""
    seconds: float


class Store(ABC):
    """A database server that holds the states of a domain and makes working databases of them.

    A store can hold several working databases at once, each with a name, so that contenders that
    run side by side do not write into one another's tables. Use it as a context manager: its end
    removes what the store made on the server, and the server itself when it is ours.
    """

    kind: ClassVar[str]
    """"postgresql" or "mongodb": which of a domain's store descriptions applies."""
    title: str
    """For people: product, version, and whether it is the embedded one."""

    def __init__(self, url: str, server: StoreServer | None) -> None:
        self._own_url = url
        self._server = server
        self._prefix = f"wirelab_{secrets.token_hex(4)}"
        self._databases: dict[str, str] = {}

    @property
    def server_url(self) -> str:
        """Where the store itself connects. It may hold a password: see `shown_url`."""
        return self._own_url if self._server is None else self._server.url

    @property
    def shown_url(self) -> str:
        """The server's URL without its password, for files and messages."""
        return without_password(self.server_url)

    @property
    def settings(self) -> Mapping[str, str]:
        """What differs from the server's own defaults; empty when the server is not ours."""
        return {} if self._server is None else self._server.settings

    @property
    def counted(self) -> Counted | None:
        """What counters are read for; None when the server is not ours."""
        return None if self._server is None else self._server.counted

    @abstractmethod
    def prepare(self, domain: Domain, state: str, dataset: Dataset) -> None:
        """Make a state of the domain from the rows of a data set, unless it is there already.

        Raises `StoreError`.
        """

    def restore(self, state: str, name: str, *, shared: bool = False) -> Restored:
        """Make the working database `name` afresh from a prepared state.

        Nothing is copied when the database has this state and nobody has written to it. Else
        whoever is connected is thrown out; not from a `shared` one, which is left as it is while it
        is in use. Only PostgreSQL can tell that, so restore a shared one before it is used. Restore
        before measuring: a copy uses CPU and disk. Raises `StoreError`.
        """
        began = time.monotonic()
        url, copied = self._restore(state, name, shared=shared)
        return Restored(Database(self.kind, url), copied, time.monotonic() - began)

    @abstractmethod
    def drop(self, name: str) -> None:
        """Remove a working database; nothing happens where there is none of that name."""

    @contextmanager
    def statements(self) -> Iterator[StatementLog | None]:
        """Have the store log its statements until the end of the block.

        None where nobody can see them. Raises `StoreError`.
        """
        yield None

    def why_no_copies(self, state: str, copies: int) -> str:  # noqa: ARG002
        """Say why the store cannot hold `copies` working databases of a prepared state at once.

        Empty when it can.
        """
        return ""

    def why_ended(self) -> str | None:
        """Say that a server of ours has ended by itself, and how its log ends.

        None while it runs, and always None for a server that is not ours.
        """
        return None if self._server is None else self._server.why_ended()

    def require_working(self) -> None:  # noqa: B027
        """Raise `StoreError` unless a server of ours can do its work, as far as that can be told.

        It may run and still answer every contender with an error: out of descriptors, for example.
        """

    def restart(self) -> tuple[str, ...]:
        """Start a server of ours again after it has ended; all prepared states are there then.

        Returns those that had to be prepared again. Working databases must be restored before they
        are used: their URLs may have changed. Raises `StoreError` when the server does not start,
        or is not ours.
        """
        if self._server is None:
            raise StoreError(
                f"wirelab cannot restart the store at {self.shown_url}, which it did not start",
                "start the server, and resume the study",
            )
        return self._recover(data_survived=self._server.restart())

    @abstractmethod
    def stop(self) -> None:
        """Remove what the store made, and end the server when it is ours."""

    def _database(self, name: str) -> str:
        """Return what a working database is called on the server: it has a number.

        So all URLs have one length. The size of a contender's environment moves its stack, and with
        it its speed.
        """
        return self._databases.setdefault(name, f"{self._prefix}_{len(self._databases) + 1:03}")

    @abstractmethod
    def _restore(self, state: str, name: str, *, shared: bool) -> tuple[str, bool]:
        """Return the URL of the working database, and whether it was copied."""

    @abstractmethod
    def _recover(self, *, data_survived: bool) -> tuple[str, ...]:
        """See to it that all prepared states are there; return those that were prepared again."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
