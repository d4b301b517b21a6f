"""Stores: what every store can do, whichever it is and whoever runs it."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from pathlib import Path
from types import TracebackType
from typing import ClassVar, Self

from wirelab.domain.dataset import Dataset
from wirelab.domain.model import Domain
from wirelab.lab.environment import Counted
from wirelab.lab.errors import StoreError


class Store(ABC):
    """A database that holds the states of a domain and makes the working database from them.

    Every run begins with `restore`, so that each finds the same rows. Use it as a context manager:
    what it made on the server, and the server itself when it is ours, is gone afterwards.
    """

    kind: ClassVar[str]
    """"postgresql" or "mongodb": which of a domain's store descriptions applies."""
    title: str
    """For people: product, version, and whether it is the embedded one."""
    url: str
    """The working database, for contenders. May hold a password: not for files."""
    settings: Mapping[str, str]
    """What was set to other than the server's own defaults; empty when the server is not ours."""
    counted: Counted | None
    """What counters are read for; None when the server is not ours."""

    @abstractmethod
    def prepare(self, domain: Domain, state: str, dataset: Dataset) -> None:
        """Make a state of the domain from the rows of a data set; done once for each state."""

    @abstractmethod
    def restore(self, state: str) -> bool:
        """Make the working database afresh from a prepared state.

        Returns False when nothing was to do: it has this state, and nobody has written to it.
        """

    @abstractmethod
    def stop(self) -> None:
        """Remove what was made, and end the server when it is ours."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()


def open_store(
    kind_or_url: str, *, log_path: Path, cpus: Collection[int] = (), host: str = "127.0.0.1"
) -> Store:
    """Open a store: "postgresql" or "mongodb" for an embedded one, or the URL of a server.

    An embedded PostgreSQL can be limited: "postgresql?cpus=2&memory_mb=1024", see `Limits`.
    "postgresql+container" is the same server in a container, which can be limited likewise.
    `log_path`: where an embedded server writes. `cpus`: where it may run, default anywhere.
    `host`: this machine's address that an embedded one listens on, see `Environment.store_host`.
    Raises `StoreError` when it cannot be used, with the setting to change.
    """
    # Imported here: a study with one kind of store does not need the driver of the other.
    kind, _, limits = kind_or_url.partition("?")
    if kind == "postgresql":
        from wirelab.lab.limits import Limits  # noqa: PLC0415
        from wirelab.lab.postgresql_server import start_postgresql  # noqa: PLC0415

        asked = Limits.parse(limits)
        return start_postgresql(log_path=log_path, cpus=cpus, host=host, limits=asked)
    if kind == "postgresql+container":
        from wirelab.lab.container.postgresql import (  # noqa: PLC0415
            start_postgresql_in_container,
        )
        from wirelab.lab.limits import Limits  # noqa: PLC0415

        asked = Limits.parse(limits)
        return start_postgresql_in_container(log_path=log_path, cpus=cpus, limits=asked)
    if kind_or_url == "mongodb":
        from wirelab.lab.ferretdb import start_ferretdb  # noqa: PLC0415

        return start_ferretdb(log_path=log_path, cpus=cpus, host=host)
    scheme = kind_or_url.partition("://")[0]
    if scheme in {"postgresql", "postgres"}:
        from wirelab.lab.postgresql import PostgresqlStore  # noqa: PLC0415

        return PostgresqlStore(kind_or_url)
    if scheme in {"mongodb", "mongodb+srv"}:
        from wirelab.lab.mongodb import MongodbStore  # noqa: PLC0415

        return MongodbStore(kind_or_url)
    raise StoreError(
        f"no store {kind_or_url!r}",
        "a store is postgresql, mongodb, or the URL of a server: postgresql://… or mongodb://…",
    )
