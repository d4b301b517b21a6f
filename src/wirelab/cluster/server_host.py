"""A server on a machine of the cluster, and its resource use. `actor` calls its methods."""

import shlex
import socket
import time
from contextlib import suppress

from wirelab.cluster.messages import ServerUse
from wirelab.cluster.working_folder import WorkingFolder
from wirelab.errors import LabError
from wirelab.lab.errors import log_of
from wirelab.lab.network.ports import free_port
from wirelab.lab.processes.process import start_guarded
from wirelab.lab.processes.process_table import ProcessTable

READY_S = 60.0
POLL_S = 0.05
ROLE = "server"


class ServerHost(WorkingFolder):
    """Keeps one server. Call `start`, then `count`."""

    def start(self, command: str, host: str) -> str:
        """Start a command that contains {port}; return its address when it accepts connections.

        Raises `LabError`.
        """
        port = free_port(host)
        self._process = start_guarded(
            [word.replace("{port}", str(port)) for word in shlex.split(command)],
            role=ROLE,
            log_path=self._folder / "server.log",
        )
        deadline = time.monotonic() + READY_S
        while time.monotonic() < deadline:
            if self._process.poll() is not None:
                raise self._failed("ended before it accepted connections")
            with suppress(OSError):
                socket.create_connection((host, port), timeout=1.0).close()
                return f"{host}:{port}"
            time.sleep(POLL_S)
        raise self._failed(f"accepts no connections at {host}:{port} after {READY_S:.0f} s")

    def count(self, start_ns: int, end_ns: int) -> ServerUse:
        """Measure the resource use between two times of this machine's clock."""
        roots, table = {ROLE: self._process.pid}, ProcessTable()
        _sleep_until(start_ns)
        before = table.usage(roots)[ROLE]
        _sleep_until(end_ns)
        after = table.usage(roots)[ROLE]
        return ServerUse(after.cpu_us - before.cpu_us, after.memory_bytes)

    def _failed(self, what: str) -> LabError:
        return LabError(f"the server {what}", log=log_of(self._process))


def _sleep_until(monotonic_ns: int) -> None:
    time.sleep(max(0, monotonic_ns - time.monotonic_ns()) / 1e9)
