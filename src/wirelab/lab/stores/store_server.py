"""An embedded database server: start, watch, restart and stop it."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import psutil

from wirelab.errors import Failure
from wirelab.lab.environments.environment import Counted, Launched
from wirelab.lab.errors import log_of
from wirelab.lab.processes.ending import how_ended


class StoreServer(ABC):
    """An embedded server. Creating the object starts the server."""

    location: str
    """For people: "embedded", or "embedded, in a container"."""
    settings: Mapping[str, str]
    """The settings that differ from the server's defaults, declared with the results."""

    @property
    @abstractmethod
    def url(self) -> str:
        """Its URL, with the password of its administrator. A restart may change it."""

    @property
    @abstractmethod
    def counted(self) -> Counted:
        """The subject of its counters. A restart may change it."""

    @property
    @abstractmethod
    def data_folder(self) -> Path | None:
        """The folder of its data on this machine; None if it is not accessible."""

    @property
    def log_file(self) -> Path | None:
        """Its log on this machine, if written without delay; otherwise None."""
        return None

    @abstractmethod
    def why_ended(self) -> Failure | None:
        """Return a message with the end of its log if it has ended; None while it runs."""

    @abstractmethod
    def restart(self) -> bool:
        """Restart it, whether it has ended or not; return whether its data still exist.

        Raises `StoreError`.
        """

    @abstractmethod
    def stop(self) -> None:
        """End it, and remove its data."""


@dataclass(frozen=True, slots=True)
class Started:
    """A server that accepts connections."""

    process: Launched
    url: str
    counted: Counted
    data_folder: Path | None = None


class DisposableServer(StoreServer):
    """A server whose data are lost with its process: a restart starts another, empty one."""

    def __init__(
        self,
        title: str,
        start: Callable[[], Started],
        *,
        settings: Mapping[str, str],
        location: str = "embedded",
    ) -> None:
        self.location = location
        self.settings = settings
        self._title = title
        self._start = start
        self._started = start()

    @property
    def url(self) -> str:
        """See `StoreServer.url`."""
        return self._started.url

    @property
    def counted(self) -> Counted:
        """See `StoreServer.counted`."""
        return self._started.counted

    @property
    def data_folder(self) -> Path | None:
        """See `StoreServer.data_folder`."""
        return self._started.data_folder

    def why_ended(self) -> Failure | None:
        """See `StoreServer.why_ended`."""
        process = self._started.process
        ended = describe_end(self._title, process.poll(), process)
        return ended or describe_suspension(self._title, process.root_pid)

    def restart(self) -> bool:
        """Start another server; see `StoreServer.restart`."""
        self._started.process.stop()
        self._started = self._start()
        return False

    def stop(self) -> None:
        """See `StoreServer.stop`."""
        self._started.process.stop()


def describe_end(title: str, code: int | None, process: Launched) -> Failure | None:
    """Return how a server has ended, with the end of its log; None if it runs."""
    if code is None:
        return None
    return how_ended(f"{title} ended unexpectedly", code, log_of(process))


def describe_suspension(title: str, pid: int | None) -> Failure | None:
    """Return the failure of a server that a signal has suspended, so that it does not answer."""
    try:
        stopped = pid is not None and psutil.Process(pid).status() == psutil.STATUS_STOPPED
    except psutil.NoSuchProcess:
        return None
    what = f"{title} is suspended: a signal such as SIGSTOP has stopped it"
    return Failure(what) if stopped else None
