"""Two hundred agents that replay a recorded result: what the head makes of them."""

import pickle
from collections.abc import Iterator
from dataclasses import replace

import pytest

from benches.scale.__main__ import RATE_PER_S, job_for, recorded, server
from benches.scale.replay import ReplayedCluster, Ticket, replayed
from wirelab.cluster.connection import LostError
from wirelab.cluster.messages import AgentReport, MachineDescription
from wirelab.engine.histograms import decode_histogram
from wirelab.errors import LabError

AGENTS = 200
Recorded = tuple[MachineDescription, AgentReport]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Start a server."""
    with server() as address:
        yield address


@pytest.fixture(scope="module")
def once(address: str) -> Recorded:
    """Have one agent measure for real."""
    return recorded(address)


def test_two_hundred_agents_begin_together_and_become_one_result(
    once: Recorded, address: str
) -> None:
    description, report = once
    cluster = ReplayedCluster(AGENTS // 2, description, report)
    agents = replayed(cluster, AGENTS)
    agents.check_machines()
    agents.connect(job_for(address, AGENTS))
    result, files = agents.run_load(job_for(address, AGENTS))

    begins = [agent.begins_ns for agent in cluster.agents]
    bound_ns = max(agent.clock_error_us for agent in result.agents) * 1e3
    assert max(begins) - min(begins) <= 2 * bound_ns  # by one clock, whatever each machine's says
    one, all_of_them = report.result.only, result.only
    assert all_of_them.counts.transactions == AGENTS * one.counts.transactions
    assert all_of_them.latency_us.response.p99 == pytest.approx(one.latency_us.response.p99)
    assert all_of_them.latency_us.response.mean == pytest.approx(one.latency_us.response.mean)
    merged, own = (decode_histogram(it.histograms.service) for it in (all_of_them, one))
    every = range(own.counts_len)
    counts = [AGENTS * own.get_count_at_index(at) for at in every]
    assert [merged.get_count_at_index(at) for at in every] == counts
    assert all_of_them.throughput_per_s == pytest.approx(AGENTS * one.throughput_per_s, rel=0.01)
    assert one.counts.transactions <= RATE_PER_S * one.window.duration_s + 1, "at both ends"
    assert len(files) == AGENTS
    assert not cluster.ended_agents


def test_one_lost_agent_of_two_hundred_is_named(once: Recorded, address: str) -> None:
    class Losing(ReplayedCluster):
        def result(self, ticket: Ticket) -> object:
            found = super().result(ticket)
            if isinstance(found, AgentReport) and found.files == {}:
                raise LostError("Ray has ended there")
            return found

        def call(self, agent: object, method: str, *arguments: object) -> Ticket:
            ticket = super().call(agent, method, *arguments)  # type: ignore[arg-type]
            if method == "run_load" and agent is self.agents[77]:
                return Ticket(pickle.dumps(replace(self._report, files={})))
            return ticket

    description, report = once
    cluster = Losing(AGENTS, description, report)
    agents = replayed(cluster, AGENTS)
    agents.check_machines()
    agents.connect(job_for(address, AGENTS))
    with pytest.raises(LabError, match="agent 77 on lab-077"):
        agents.run_load(job_for(address, AGENTS))
    agents.end()
    assert len(cluster.ended_agents) == AGENTS
