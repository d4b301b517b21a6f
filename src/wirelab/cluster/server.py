"""A server that the head starts on a machine of the cluster, for the load of agents."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from wirelab.cluster.connection import Cluster, LostError, Node
from wirelab.errors import LabError

TICK_S = 1.0


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
    ticket = cluster.call(actor, method, *arguments)
    while not cluster.ended([ticket], TICK_S):
        pass  # to check for signals in between
    try:
        return cluster.result(ticket)
    except LostError as lost:
        raise LabError(f"{node.name}: {lost}") from lost
