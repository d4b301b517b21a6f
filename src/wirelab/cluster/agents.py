"""The agents of a load: placed on machines, connected, started together, and always ended."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from wirelab.cluster.clocks import Offset, measure_offset
from wirelab.cluster.clocks import why_unfit as why_clock_unfit
from wirelab.cluster.connection import Cluster, LostError, Node, Ticket, connect
from wirelab.cluster.fitness import refuse_other_versions, why_unfit
from wirelab.cluster.load_result import LoadResult, Share, put_together
from wirelab.cluster.messages import AgentReport, Introduction
from wirelab.cluster.parcel import Parcel
from wirelab.cluster.sharing import guard_us, job_of, longest_s
from wirelab.errors import LabError
from wirelab.lab.host import read_host
from wirelab.measure.job import Job, Slice, Stop

INTRODUCTION_S = 120.0
"""How long an agent may take to say what its machine is."""
LEAD_S = 1.0
LEAD_EACH_S = 0.005
MOST_LEAD_S = 8.0
"""Between the decision to start and the start: time for every agent to hear of it, and less than an
engine may be silent."""
PATIENCE_S = 60.0
"""How long results may take to come when the load has ended."""
TICK_S = 1.0


@dataclass(eq=False)
class Agent:
    """An agent as the head sees it."""

    number: int
    machine: str
    actor: Any
    introduction: Introduction | None = None
    clock: str = ""

    @property
    def name(self) -> str:
        """How people are told of it."""
        return f"agent {self.number} on {self.machine}"


class Agents:
    """The agents of one load. Made by `agents_at`. All methods raise `LabError`."""

    def __init__(self, cluster: Cluster, count: int | None) -> None:
        self._cluster = cluster
        self.all = [
            Agent(number, node.name, cluster.start_agent(node))
            for number, node in enumerate(places(cluster.nodes(), count))
        ]

    def introduce(self) -> None:
        """Ask every agent what its machine is, and refuse those that cannot take part."""
        found = self._ask("introduce", timeout_s=INTRODUCTION_S)
        clocks = self._ask("clock")
        for agent, introduction, clock in zip(self.all, found, clocks, strict=True):
            agent.introduction, agent.clock = introduction, clock
        refuse_other_versions(read_host(), self.all)
        for agent, introduction in zip(self.all, found, strict=True):
            if reason := why_unfit(introduction):
                raise LabError(f"{agent.name}: {reason}")

    def connect(self, job: Job) -> None:
        """Have every agent open its connections."""
        count = len(self.all)
        self._ask("connect", each=lambda agent: (job_of(job, agent.number, count),))

    def carry_out(self, job: Job) -> tuple[LoadResult, list[Parcel]]:
        """Put the load on together; also return the files of every agent. All are connected."""
        before = self._offsets()
        for agent, offset in zip(self.all, before, strict=True):
            if reason := why_clock_unfit(offset):
                raise LabError(f"{agent.name}: {reason}")
        offsets = dict(zip(self.all, before, strict=True))
        lead_s = min(LEAD_S + LEAD_EACH_S * len(self.all), MOST_LEAD_S)
        begin_ns = time.monotonic_ns() + round(lead_s * 1e9)
        start_ns = begin_ns + guard_us(job) * 1000
        started_unix_ns = time.time_ns() + start_ns - time.monotonic_ns()
        reports: list[AgentReport] = self._ask(
            "carry_out",
            each=lambda agent: (_window(job, begin_ns + offsets[agent].ns),),
            timeout_s=lead_s + longest_s(job) + PATIENCE_S,
        )
        after = self._offsets()
        shares = [
            Share(agent.machine, report.result, *clocks)
            for agent, report, *clocks in zip(self.all, reports, before, after, strict=True)
        ]
        return put_together(job, shares, started_unix_ns), [report.files for report in reports]

    def end(self) -> None:
        """End whatever still runs on any machine."""
        for agent in self.all:
            with suppress(Exception):  # it may be gone, in any way
                self._cluster.end(agent.actor)

    def _offsets(self) -> list[Offset]:
        """Compare clocks; agents that have the same one start by the same figure."""
        found: dict[str, Offset] = {}
        for agent in self.all:
            if agent.clock not in found:
                try:
                    found[agent.clock] = measure_offset(self._cluster.clock_of(agent.actor))
                except LostError as lost:
                    raise _lost(agent, lost) from lost
        return [found[agent.clock] for agent in self.all]

    def _ask(
        self,
        method: str,
        *,
        each: Callable[[Agent], tuple[object, ...]] = lambda _: (),
        timeout_s: float | None = None,
    ) -> list[Any]:
        """Call a method of every agent at once; the first that fails is named."""
        waiting: dict[Ticket, Agent] = {
            self._cluster.call(agent.actor, method, *each(agent)): agent for agent in self.all
        }
        found: dict[Agent, Any] = {}
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        while waiting:
            if deadline is not None and time.monotonic() > deadline:
                agent = next(iter(waiting.values()))
                raise LabError(
                    f"{agent.name} did not answer in time",
                    "its machine is too busy, or its CPUs are in use by other Ray work",
                )
            for ticket in self._cluster.ended(list(waiting), TICK_S):
                agent = waiting.pop(ticket)
                try:
                    found[agent] = self._cluster.result(ticket)
                except LostError as lost:
                    raise _lost(agent, lost) from lost
        return [found[agent] for agent in self.all]


def places(nodes: Sequence[Node], count: int | None) -> list[Node]:
    """Return where agents are to run: one on each machine, then a second one, and so on.

    Each takes one CPU of Ray's. `count`: default one for each machine. Raises `LabError`.
    """
    most = max((int(node.cpus) for node in nodes), default=0)
    slots = [node for lap in range(most) for node in nodes if lap < int(node.cpus)]
    wanted = len(nodes) if count is None else count
    if not slots or wanted > len(slots):
        raise LabError(
            f"{wanted} agents need a CPU each, and Ray has {len(slots)} on {len(nodes)} machines",
            "start Ray on more machines, or ask for fewer --agents",
        )
    return slots[:wanted]


@contextmanager
def agents_at(address: str, count: int | None) -> Iterator[Agents]:
    """Connect to a cluster, and place agents on its machines. Raises `LabError`.

    At the end, nothing that was started runs on any of them.
    """
    with connect(address) as cluster:
        agents = Agents(cluster, count)
        try:
            agents.introduce()
            yield agents
        finally:
            agents.end()


def _window(job: Job, begin_ns: int) -> Slice:
    stop = job.stop or Stop()
    return Slice(target=0, begin_monotonic_ns=begin_ns, guard_us=guard_us(job), stop=stop)


def _lost(agent: Agent, lost: LostError) -> LabError:
    return LabError(
        f"{agent.name}: {lost}",
        "nothing was measured; a load counts only with all of its agents",
    )
