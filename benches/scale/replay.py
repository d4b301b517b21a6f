"""A cluster of any size that replays what an agent has measured once: all else is the head's own.

Each machine has a clock of its own. What comes back goes through pickle, as it does from Ray.
"""

import pickle
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from wirelab.cluster.agents import Agents
from wirelab.cluster.connection import Cluster, Node
from wirelab.cluster.messages import AgentReport, MachineDescription
from wirelab.engine.job import Job, Slice


@dataclass(eq=False)
class ReplayedAgent:
    """An agent whose machine's clock is ahead of ours."""

    number: int
    ahead_ns: int
    begins_ns: int = 0
    """When it received the order to begin, by our clock."""


@dataclass(eq=False)
class Ticket:
    """A call that has ended."""

    result: bytes


class ReplayedCluster(Cluster):
    """As many machines as wanted, which answer in random order."""

    def __init__(
        self, machines: int, description: MachineDescription, report: AgentReport, seed: int = 1
    ) -> None:
        self._random = np.random.default_rng(seed)
        self._machines, self._description, self._report = machines, description, report
        self.agents: list[ReplayedAgent] = []
        self.ended_agents: list[ReplayedAgent] = []

    def nodes(self) -> list[Node]:
        """Return the machines; each has CPUs for two agents."""
        return [Node(f"lab-{number:03}", str(number), 2.0, "") for number in range(self._machines)]

    def start_agent(self, node: Node) -> ReplayedAgent:
        """Start an agent; machines were booted at different times."""
        del node
        ahead_ns = int(self._random.integers(10**15))
        self.agents.append(ReplayedAgent(len(self.agents), ahead_ns))
        return self.agents[-1]

    def clock_of(self, agent: ReplayedAgent) -> Callable[[], int]:
        """Return what reads the clock of an agent's machine."""
        return lambda: time.monotonic_ns() + agent.ahead_ns

    def call(self, agent: ReplayedAgent, method: str, *arguments: Any) -> Ticket:
        """Answer a call from what was recorded."""
        result: object = None
        if method == "describe":
            result = self._description
        elif method == "clock":
            result = f"machine {agent.number}"
        elif method == "connect":
            (job,) = arguments
            assert isinstance(job, Job)
            assert job.agent is not None
            assert job.agent.number == agent.number
        elif method == "run_load":
            (window,) = arguments
            assert isinstance(window, Slice)
            assert window.begin_monotonic_ns is not None
            agent.begins_ns = window.begin_monotonic_ns - agent.ahead_ns
            result = self._report
        return Ticket(pickle.dumps(result))

    def ended(self, tickets: Sequence[Ticket], timeout_s: float | None) -> list[Ticket]:
        """End one of several calls."""
        assert timeout_s
        return [tickets[int(self._random.integers(len(tickets)))]]

    def result(self, ticket: Ticket) -> Any:
        """Return what a call returned."""
        return pickle.loads(ticket.result)  # noqa: S301 - it is our own

    def end(self, agent: ReplayedAgent) -> None:
        """End an agent."""
        self.ended_agents.append(agent)


def without_files(report: AgentReport) -> AgentReport:
    """Return what an agent sends of itself where no samples are kept."""
    files = {name: file for name, file in report.files.items() if name != "samples.parquet"}
    return replace(report, files=files)


def replayed(cluster: ReplayedCluster, count: int) -> Agents:
    """Return the head's side of a load with so many agents."""
    return Agents(cluster, count)
