"""The servers of a session: fresh ones, each on its own database, all running at the same time."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from wirelab.bundle.run_reasons import Failed, RunReason
from wirelab.errors import LabError
from wirelab.experiment.laboratory import Laboratory
from wirelab.experiment.place import ServerKey
from wirelab.lab.contenders.running import POLL_S, RunningContender, Start
from wirelab.lab.environments.environment import LOOPBACK, Counted
from wirelab.lab.errors import ContenderError
from wirelab.lab.network.link import Link
from wirelab.lab.stores.store import Database, Restored
from wirelab.lab.stores.store_manager import StoreState
from wirelab.planning.schedule import Run
from wirelab.study import Cell, Study


@dataclass
class SessionServers:
    """The running servers, the time to create their databases, and why others are not running."""

    running: dict[ServerKey, RunningContender] = field(default_factory=dict)
    restore_s: dict[ServerKey, float] = field(default_factory=dict)
    failed: dict[ServerKey, RunReason] = field(default_factory=dict)

    def server(self, cell: Cell) -> RunningContender:
        """Return the server of a cell. Raises `KeyError` if it is not running."""
        return self.running[ServerKey.from_cell(cell)]

    def why_not(self, cell: Cell) -> RunReason | None:
        """Return why a cell no longer has a server; None if it has one."""
        key = ServerKey.from_cell(cell)
        if key in self.failed:
            return self.failed[key]
        ended = self.running[key].why_ended()
        return None if ended is None else Failed(error=ContenderError.__name__, failure=ended)

    def roles(self) -> dict[tuple[str, str], Counted]:
        """Return the processes to read counters of, by name of the server and role."""
        return {
            (key.name, role): counted
            for key, server in self.running.items()
            for role, counted in server.counted.items()
        }


@contextmanager
def running_servers(
    laboratory: Laboratory,
    study: Study,
    runs: Sequence[Run],
    folder: Path,
    link: Link | None = None,
) -> Iterator[SessionServers]:
    """Start a fresh server for every cell of these runs, in their order; end them afterwards.

    If there is a `link`, the servers listen at its end, and it is a role of each. At most as many
    servers start at the same time as the system under test has CPUs. The reason why a server cannot
    be started is recorded. Raises `StoreError` if a database cannot be created.
    """
    with ExitStack() as ends:
        start = _Start(laboratory, study, folder, link, ends)
        start.all({ServerKey.from_cell(run.cell): run.cell for run in runs})
        yield start.servers


@dataclass
class _Start:
    """Starts several servers; `ends` collects what stops them."""

    laboratory: Laboratory
    study: Study
    folder: Path
    link: Link | None
    ends: ExitStack
    servers: SessionServers = field(default_factory=SessionServers)
    starting: dict[ServerKey, Start] = field(default_factory=dict)
    shared: dict[StoreState, Restored] = field(default_factory=dict)

    def all(self, cells: Mapping[ServerKey, Cell]) -> None:
        """Start a server for each of these cells, and wait until all have answered or failed."""
        restored = {key: self._restore(key, cell) for key, cell in cells.items()}
        waiting = list(cells)
        while waiting or self.starting:
            while waiting and len(self.starting) < max(1, len(self.laboratory.cpus.system)):
                key = waiting.pop(0)
                self._launch(key, restored[key].database)
            for key in list(self.starting):
                self._look_at(key)
            time.sleep(POLL_S)

    def _restore(self, key: ServerKey, cell: Cell) -> Restored:
        """Create a server's database, or find the one that read-only servers share."""
        stores = self.laboratory.stores
        place = StoreState(cell.store, self.study.workloads[cell.workload].state)
        if self.laboratory.writes(self.study, cell.workload):
            restored = stores.restore(place, [key.name])[key.name]
        else:
            if place not in self.shared:
                self.shared[place] = stores.restore_shared(place)
            restored = self.shared[place]
        self.servers.restore_s[key] = restored.seconds
        return restored

    def _launch(self, key: ServerKey, database: Database) -> None:
        """Launch a server on its database."""
        try:
            launched = self.laboratory.launcher.launch(
                key.place, database, log_path=self._log_path(key), host=self._host
            )
        except LabError as error:
            self.servers.failed[key] = Failed.from_error(error)
        else:
            self.starting[key] = launched
            self.ends.callback(launched.stop)

    def _look_at(self, key: ServerKey) -> None:
        """Remove a server from those that are starting, once it is ready or has failed."""
        try:
            running = self.starting[key].poll()
            if running is None:
                return
            behind_proxy = self.laboratory.launcher.behind_proxy
            running = behind_proxy(key.place, running, log_path=self._log_path(key))
            self.ends.callback(running.stop)
            if self.link is not None:
                running = replace(running, counted={**running.counted, "link": self.link.pid})
            self.servers.running[key] = running
        except LabError as error:
            self.servers.failed[key] = Failed.from_error(error)
        del self.starting[key]

    @property
    def _host(self) -> str:
        return LOOPBACK if self.link is None else self.link.ready.server

    def _log_path(self, key: ServerKey) -> Path:
        return self.folder / f"{key.name}.log"
