"""The agents of a load, and its server: placed on machines, started together, ended in any case."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from wirelab.cluster.clocks import Offset, measure_offset
from wirelab.cluster.clocks import why_unfit as why_clock_unfit
from wirelab.cluster.connection import Cluster, LostError, Node, Ticket
from wirelab.cluster.fitness import refuse_other_versions, why_unfit
from wirelab.cluster.load_result import LoadResult, Share, put_together
from wirelab.cluster.messages import AgentReport, MachineDescription, ServerUse
from wirelab.cluster.packed_files import PackedFiles
from wirelab.cluster.sharing import guard_us, job_of, longest_s, window_s
from wirelab.engine.job import Job, Slice, Stop
from wirelab.errors import LabError
from wirelab.lab.host import read_host
from wirelab.terminal.words import plural

DESCRIPTION_S = 120.0
"""Time limit for an agent to describe its machine."""
LEAD_S = 1.0
LEAD_EACH_S = 0.005
MOST_LEAD_S = 8.0
"""Time between the decision to start and the start: enough to inform every agent, and less than the
timeout of an engine."""
PATIENCE_S = 60.0
"""Time limit for results after the end of the load."""


@dataclass(frozen=True, slots=True)
class Server:
    """A server that was started, as the head sees it."""

    node: Node
    actor: Any
    address: str
    clock: str


@dataclass(eq=False)
class RemoteAgent:
    """An agent as the head sees it."""

    number: int
    machine: str
    actor: Any
    description: MachineDescription | None = None
    clock: str = ""

    @property
    def name(self) -> str:
        """Its name in messages."""
        return f"agent {self.number} on {self.machine}"


class Agents:
    """The agents of one load, created by `agents_of`. All methods raise `LabError`.

    `server`: the server under load, if it was started on a machine of the cluster, where no agent
    is placed. `tick` is called about once a second while waiting for agents.
    """

    def __init__(
        self,
        cluster: Cluster,
        count: int | None,
        server: Server | None = None,
        tick: Callable[[], None] = lambda: None,
    ) -> None:
        self._cluster = cluster
        self._server = server
        self._tick = tick
        nodes = [node for node in cluster.nodes() if server is None or node != server.node]
        self.all = [
            RemoteAgent(number, node.name, cluster.start_agent(node))
            for number, node in enumerate(placements(nodes, count))
        ]

    def check_machines(self) -> None:
        """Request the description of every agent's machine; reject those that cannot take part."""
        descriptions = self._call_all("describe", timeout_s=DESCRIPTION_S)
        clocks = self._call_all("clock")
        for agent, description, clock in zip(self.all, descriptions, clocks, strict=True):
            agent.description, agent.clock = description, clock
        refuse_other_versions(read_host(), self.all)
        for agent, description in zip(self.all, descriptions, strict=True):
            if reason := why_unfit(description):
                raise LabError(f"{agent.name}: {reason}")

    def connect(self, job: Job) -> None:
        """Let every agent open its connections."""
        count = len(self.all)
        self._call_all("connect", each=lambda agent: (job_of(job, agent.number, count),))

    def expected_s(self, job: Job) -> float:
        """Return the duration of `run_load`, without waiting for the last answers."""
        return self._lead_s() + guard_us(job) / 1e6 + window_s(job)

    def run_load(self, job: Job) -> tuple[LoadResult, list[PackedFiles]]:
        """Run the load on all connected agents; return the result, and the files of every agent."""
        before = self._offsets()
        offsets = [before[agent.clock] for agent in self.all]
        for agent, offset in zip(self.all, offsets, strict=True):
            if reason := why_clock_unfit(offset):
                raise LabError(f"{agent.name}: {reason}")
        lead_s = self._lead_s()
        begin_ns = time.monotonic_ns() + round(lead_s * 1e9)
        start_ns = begin_ns + guard_us(job) * 1000
        started_unix_ns = time.time_ns() + start_ns - time.monotonic_ns()
        use = self._count_server(before, start_ns, job)
        reports: list[AgentReport] = self._call_all(
            "run_load",
            each=lambda agent: (_window(job, begin_ns + before[agent.clock].ns),),
            timeout_s=lead_s + longest_s(job) + PATIENCE_S,
        )
        after = self._offsets()
        shares = [
            Share(agent.machine, report.result, before[agent.clock], after[agent.clock])
            for agent, report in zip(self.all, reports, strict=True)
        ]
        server = self._server
        used = None if server is None or use is None else (server.node.name, self._used(use))
        result = put_together(job, shares, started_unix_ns, used)
        return result, [report.files for report in reports]

    def end(self) -> None:
        """End all processes that still run on any machine."""
        for agent in self.all:
            with suppress(Exception):  # it may have ended, for any reason
                self._cluster.end(agent.actor)

    def _lead_s(self) -> float:
        return min(LEAD_S + LEAD_EACH_S * len(self.all), MOST_LEAD_S)

    def _count_server(
        self, offsets: Mapping[str, Offset], start_ns: int, job: Job
    ) -> Ticket | None:
        """Let the server's machine measure the server's resource use in the recorded window."""
        if self._server is None:
            return None
        local_ns = start_ns + offsets[self._server.clock].ns
        end_ns = local_ns + round(window_s(job) * 1e9)
        return self._cluster.call(self._server.actor, "count", local_ns, end_ns)

    def _used(self, use: Ticket) -> ServerUse:
        try:
            used: ServerUse = self._cluster.wait(use, self._tick)
        except LostError as lost:
            raise LabError(f"the machine of the server: {lost}") from lost
        return used

    def _offsets(self) -> dict[str, Offset]:
        """Compare all clocks with the head's, each once; agents of one machine share a clock."""
        actors = {agent.clock: (agent.name, agent.actor) for agent in reversed(self.all)}
        if self._server is not None:
            actors.setdefault(self._server.clock, ("the server", self._server.actor))
        offsets: dict[str, Offset] = {}
        for clock, (name, actor) in actors.items():
            try:
                offsets[clock] = measure_offset(self._cluster.clock_of(actor))
            except LostError as lost:
                raise _lost(name, lost) from lost
        return offsets

    def _call_all(
        self,
        method: str,
        *,
        each: Callable[[RemoteAgent], tuple[object, ...]] = lambda _: (),
        timeout_s: float | None = None,
    ) -> list[Any]:
        """Call a method of all agents at the same time; an error names the first that failed."""
        actors = {agent: agent.actor for agent in self.all}
        results: dict[RemoteAgent, Any] = {}
        for agent, result in self._cluster.call_all(
            actors, method, each, timeout_s=timeout_s, tick=self._tick
        ):
            if isinstance(result, LostError):
                raise _lost(agent.name, result) from result
            results[agent] = result
        return [results[agent] for agent in self.all]


def placements(nodes: Sequence[Node], count: int | None) -> list[Node]:
    """Return the machines for agents: one agent on each machine, then a second one, and so on.

    Each takes one CPU of Ray. `count`: by default one per machine. Raises `LabError`.
    """
    most = max((int(node.cpus) for node in nodes), default=0)
    slots = [node for lap in range(most) for node in nodes if lap < int(node.cpus)]
    requested = len(nodes) if count is None else count
    if not slots or requested > len(slots):
        raise LabError(
            f"{plural(requested, 'agent needs', 'agents need')} one CPU each, but Ray has"
            f" {len(slots)} on {plural(len(nodes), 'machine')}",
            "start Ray on more machines, or reduce --agents",
        )
    return slots[:requested]


@contextmanager
def served(cluster: Cluster, command: str, machine: str | None) -> Iterator[Server]:
    """Start a server on a machine, by default the first, which is used for nothing else.

    Raises `LabError`. The server is ended at the end.
    """
    node = _server_node(cluster.nodes(), machine)
    actor = cluster.start_server(node)
    try:
        address = _answer(cluster, node, actor, "start", command, node.address)
        yield Server(node, actor, address, _answer(cluster, node, actor, "clock"))
    finally:
        with suppress(Exception):  # it may have ended, for any reason
            cluster.end(actor)


@contextmanager
def agents_of(
    cluster: Cluster,
    count: int | None,
    server: Server | None = None,
    tick: Callable[[], None] = lambda: None,
) -> Iterator[Agents]:
    """Place agents on the machines of a cluster, see `Agents`. Raises `LabError`.

    At the end, all processes that were started have ended.
    """
    agents = Agents(cluster, count, server, tick)
    try:
        yield agents
    finally:
        agents.end()


def _window(job: Job, begin_ns: int) -> Slice:
    stop = job.stop or Stop()
    return Slice(target=0, begin_monotonic_ns=begin_ns, guard_us=guard_us(job), stop=stop)


def _lost(name: str, lost: LostError) -> LabError:
    return LabError(
        f"{name}: {lost}",
        "nothing was measured: a load needs all of its agents",
    )


def _server_node(nodes: list[Node], machine: str | None) -> Node:
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
