"""The interface to Ray: machines, actors, calls and their results."""

import logging
import os
import pickle
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from wirelab.cluster.actor import Kind, MachineActor
from wirelab.errors import LabError
from wirelab.lab.network.address import host_and_port

Ticket = Any
"""A pending call: Ray's reference to its result."""

Key = TypeVar("Key")

CLIENT = "ray://"
NO_ANSWER = (
    "it did not answer in time: its machine is too busy, or its CPUs are in use by other Ray work"
)
LISTENING_S = 5.0
CONNECT_S = 60.0
"""Time limits for a connection to the head, and for Ray to be ready."""
TICK_S = 1.0
"""How often a program that waits for machines checks for signals."""
_UNFIT_FOR_A_PATH = re.compile(r"[^A-Za-z0-9._-]+")


class LostError(Exception):
    """A machine, or a process there, was lost or failed; the text says why."""


@dataclass(frozen=True, slots=True)
class Node:
    """A machine with Ray and available CPUs."""

    name: str
    id: str
    cpus: float
    address: str


class Cluster:
    """A Ray cluster that this process is connected to, created by `connect`."""

    def __init__(self, ray: Any) -> None:
        self._ray = ray

    def nodes(self) -> list[Node]:
        """Return the running machines with available CPUs, with unique names."""
        return named_nodes(self._ray.nodes())

    def start_station(self, node: Node) -> Any:
        """Start a station on a machine; it takes all CPUs that Ray has there."""
        return self._start(node, "station", node.cpus)

    def start_agent(self, node: Node) -> Any:
        """Start an agent of a load on a machine, with one CPU."""
        return self._start(node, "agent", 1)

    def start_server(self, node: Node) -> Any:
        """Start the host of a server on a machine; it takes all CPUs there."""
        return self._start(node, "server", node.cpus)

    def _start(self, node: Node, kind: Kind, cpus: float) -> Any:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy  # noqa: PLC0415

        place = NodeAffinitySchedulingStrategy(node.id, soft=False)
        actor = self._ray.remote(MachineActor)
        return actor.options(num_cpus=cpus, scheduling_strategy=place, max_restarts=0).remote(kind)

    def call(self, actor: Any, method: str, *arguments: object) -> Ticket:
        """Call a method of a station or an agent.

        A result of `keep` arrives there as the value itself.
        """
        kept = self._ray.ObjectRef
        pickled = (each if isinstance(each, kept) else pickle.dumps(each) for each in arguments)
        return actor.call.remote(method, *pickled)

    def clock_of(self, actor: Any) -> Callable[[], int]:
        """Return a call that reads the monotonic clock of an actor's machine; see `result`."""
        return lambda: int(self._get(actor.monotonic_ns.remote()))

    def keep(self, value: object) -> Ticket:
        """Store a value in the cluster, so that it is sent to each machine only once."""
        return self._ray.put(pickle.dumps(value))

    def ended(self, tickets: Sequence[Ticket], timeout_s: float | None) -> list[Ticket]:
        """Wait until a call has ended, or until the timeout; return the calls that have ended."""
        done, _ = self._ray.wait(list(tickets), num_returns=1, timeout=timeout_s)
        return list(done)

    def result(self, ticket: Ticket) -> Any:
        """Return the result of a call. Raises `LostError` if the call or the machine failed."""
        answer = self._get(ticket)
        try:
            return pickle.loads(answer)  # noqa: S301 - from a machine of the cluster
        except Exception as unreadable:  # whatever another version's classes lack
            reason = f"{type(unreadable).__name__}: {unreadable}"
            raise LostError(
                f"its answer is unreadable, maybe of another version of wirelab: {reason}"
            ) from unreadable

    def _get(self, ticket: Ticket) -> Any:
        from ray.exceptions import ActorUnavailableError, RayError, RayTaskError  # noqa: PLC0415

        try:
            return self._ray.get(ticket)
        except RayTaskError as failed:
            cause = failed.cause
            reason = (
                str(cause) if isinstance(cause, LabError) else f"{type(cause).__name__}: {cause}"
            )
            raise LostError(reason) from failed
        except ActorUnavailableError as failed:
            raise LostError("it is no longer reachable") from failed
        except RayError as failed:
            raise LostError(_why_ended(str(failed))) from failed

    def wait(self, ticket: Ticket, tick: Callable[[], None] = lambda: None) -> Any:
        """Return the result of a call when it has ended; `tick` is called about once a second.

        Meanwhile, signals are handled. Raises `LostError`.
        """
        while not self.ended([ticket], TICK_S):
            tick()
        return self.result(ticket)

    def call_all(
        self,
        actors: Mapping[Key, Any],
        method: str,
        arguments: Callable[[Key], tuple[object, ...]] = lambda _: (),
        *,
        timeout_s: float | None = None,
        tick: Callable[[], None] = lambda: None,
    ) -> Iterator[tuple[Key, Any]]:
        """Call a method of several actors at the same time; yield each result as it arrives.

        `arguments` returns those of an actor. The result of an actor that fails, or does not answer
        in time, is a `LostError`. `tick` is called about once a second.
        """
        waiting = {self.call(actor, method, *arguments(key)): key for key, actor in actors.items()}
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        while waiting:
            if deadline is not None and time.monotonic() > deadline:
                yield from ((key, LostError(NO_ANSWER)) for key in waiting.values())
                return
            tick()
            for ticket in self.ended(list(waiting), TICK_S):
                result: Any
                try:
                    result = self.result(ticket)
                except LostError as lost:
                    result = lost
                yield waiting.pop(ticket), result

    def end(self, actor: Any) -> None:
        """End a station or an agent at once, with all processes that it has started."""
        self._ray.kill(actor)


@contextmanager
def connect(address: str) -> Iterator[Cluster]:
    """Connect to a Ray cluster: HOST:PORT of its head, or `auto` for that of this machine.

    Raises `LabError`.
    """
    try:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        import ray  # noqa: PLC0415
    except ImportError:
        raise LabError(
            "--cluster needs Ray, which is not installed", "pip install 'wirelab[cluster]'"
        ) from None
    if address.startswith(CLIENT):
        raise LabError(
            f"{address} is the address of a Ray client server",
            "run wirelab on a machine of the cluster, with HOST:PORT of its head, or auto",
        )
    try:
        _require_listening(address)
        _initialise(ray, address)
    except (OSError, RuntimeError, ValueError) as error:
        told = (isinstance(error, OSError) and error.strerror) or str(error).strip()
        reason = (told or type(error).__name__).splitlines()[0]
        raise LabError(
            f"cannot connect to a Ray cluster at {address}: {reason}",
            "start one with `ray start --head`, and run wirelab on one of its machines",
        ) from error
    try:
        yield Cluster(ray)
    finally:
        ray.shutdown()


def _require_listening(address: str) -> None:
    """Raise `OSError` or `ValueError` if nothing listens at HOST:PORT."""
    if ":" in address:
        socket.create_connection(host_and_port(address), timeout=LISTENING_S).close()


def _initialise(ray: Any, address: str) -> None:
    """Connect on a thread: Ray waits for minutes, and no signal interrupts its wait.

    Raises what Ray raises, and `TimeoutError`.
    """
    logging.getLogger("ray").setLevel(logging.ERROR)  # it warns about the thread
    initialised: Future[None] = Future()

    def initialise() -> None:
        try:
            ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
        except BaseException as error:
            initialised.set_exception(error)
        else:
            initialised.set_result(None)

    threading.Thread(target=initialise, daemon=True).start()
    try:
        initialised.result(CONNECT_S)
    except TimeoutError:
        raise TimeoutError(f"no answer within {CONNECT_S:g} s") from None


def named_nodes(known: Sequence[Mapping[str, Any]]) -> list[Node]:
    """Name the machines of Ray: by the name given to Ray, or by their host name."""
    nodes: list[Node] = []
    taken: set[str] = set()
    up = [node for node in known if node["Alive"] and node.get("Resources", {}).get("CPU", 0) >= 1]
    for node in sorted(up, key=lambda node: (_name(node), node["NodeID"])):
        name, number = _name(node), 2
        while name in taken:
            name, number = f"{_name(node)}-{number}", number + 1
        taken.add(name)
        nodes.append(
            Node(name, node["NodeID"], node["Resources"]["CPU"], node["NodeManagerAddress"])
        )
    return nodes


def _name(node: Mapping[str, Any]) -> str:
    given = node.get("NodeName") or ""
    own = node.get("NodeManagerHostname") or node["NodeManagerAddress"]
    name = own if given in ("", node["NodeManagerAddress"]) else given
    return _UNFIT_FOR_A_PATH.sub("-", name).strip("-.") or node["NodeID"][:12]


def _why_ended(text: str) -> str:
    """Return Ray's long message in one line."""
    if "its node has died" in text:
        return "Ray has ended there"
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if re.match(r"\w+(\.\w+)*Error: ", line)]
    return (errors or lines or ["it no longer answers"])[-1]
