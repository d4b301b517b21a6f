"""A server on a machine of the cluster: the process there, and how the head starts it."""

import shlex
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from wirelab.cluster.connection import Cluster, LostError, Node
from wirelab.cluster.messages import ServerUse
from wirelab.cluster.working_folder import WorkingFolder
from wirelab.errors import LabError
from wirelab.lab.errors import with_log
from wirelab.lab.network.ports import free_port
from wirelab.lab.processes.process import start_guarded
from wirelab.lab.processes.process_table import ProcessTable

READY_S = 60.0
POLL_S = 0.05
ROLE = "server"


@dataclass(frozen=True, slots=True)
class Server:
    """A server that was started, as the head sees it."""

    node: Node
    actor: Any
    address: str
    clock: str


@contextmanager
def served(cluster: Cluster, command: str, machine: str | None) -> Iterator[Server]:
    """Start a server on a machine, by default the first, which is used for nothing else.

    Raises `LabError`. The server is ended at the end.
    """
    node = _node(cluster.nodes(), machine)
    actor = cluster.start_server(node)
    try:
        address = _answer(cluster, node, actor, "start", command, node.address)
        yield Server(node, actor, address, _answer(cluster, node, actor, "clock"))
    finally:
        with suppress(Exception):  # it may have ended, for any reason
            cluster.end(actor)


def _node(nodes: list[Node], machine: str | None) -> Node:
    suitable = [node for node in nodes if machine in (None, node.name)]
    if not suitable:
        known = ", ".join(node.name for node in nodes) or "none"
        raise LabError(f"{machine} is not a machine of the cluster with CPUs", f"known: {known}")
    return suitable[0]


def _answer(cluster: Cluster, node: Node, actor: Any, method: str, *arguments: object) -> Any:
    try:
        return cluster.wait(cluster.call(actor, method, *arguments))
    except LostError as lost:
        raise LabError(f"{node.name}: {lost}") from lost


class ServerHost(WorkingFolder):
    """Keeps one server on its machine; `actor` calls its methods: `start`, then `count`."""

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
        process = self._process
        return LabError(with_log(f"the server {what}", process.log_path, process.log_tail()))


def _sleep_until(monotonic_ns: int) -> None:
    time.sleep(max(0, monotonic_ns - time.monotonic_ns()) / 1e9)
