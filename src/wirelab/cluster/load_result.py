"""What a load from many machines came to: one result, what each agent did, and does it count."""

from collections.abc import Sequence
from dataclasses import dataclass

from wirelab.cluster.clocks import Offset, why_astray
from wirelab.cluster.messages import ServerUse
from wirelab.experiment.figures import why_invalid
from wirelab.measure.events import ResultModel
from wirelab.measure.job import Closed, Job
from wirelab.measure.merging import merge_results
from wirelab.measure.result import EngineResult, Window

LARGEST_GAP = 0.05
"""The share of the window in which an engine with work to do may not have run."""


@dataclass(frozen=True, slots=True)
class Share:
    """What an agent has measured, and its machine's clock before and after."""

    machine: str
    result: EngineResult
    before: Offset
    after: Offset


class AgentResult(ResultModel):
    """One of the agents. Its latencies are by its own machine's clock alone."""

    number: int
    machine: str
    clock_offset_us: float
    """How far the monotonic clock of its machine was ahead of the head's when it was told to start.
    """
    clock_error_us: float
    """How wrong that can be: it started within so much of the appointed time."""
    transactions: int
    failed: int
    never_sent: int
    response_p50_us: float
    response_p99_us: float
    lag_p50_us: float
    lag_max_us: float
    busy_share: float
    gap_share: float
    """Of the window, in which its engine had work and did not get to run."""
    invalid: tuple[str, ...]
    """Why its part does not count; then nothing of the run does."""


class ServerResult(ResultModel):
    """What the server used in the window that counts, read on its own machine."""

    machine: str
    cpu_us: float
    cpu_us_per_transaction: float | None
    """Over all transactions that count; None without any."""
    memory_bytes: int
    """At the end of the window, of all its processes."""


class LoadResult(EngineResult):
    """The result of a load from many machines: as of one engine, and its agents."""

    agents: tuple[AgentResult, ...]
    server: ServerResult | None = None
    """None where it was not started on a machine of the cluster."""
    invalid: tuple[str, ...]
    """Why the run must not be used: whatever makes the part of one agent invalid."""


def put_together(
    job: Job,
    shares: Sequence[Share],
    started_unix_ns: int,
    used: tuple[str, ServerUse] | None = None,
) -> LoadResult:
    """Merge what agents have measured in the window that began at a time of the head's.

    `used`: the machine of the server, and what that has used.
    """
    targets = [share.result.only for share in shares]
    duration_s = max(target.window.duration_s for target in targets)
    window = Window(
        started_unix_ns=started_unix_ns,
        ended_unix_ns=started_unix_ns + round(duration_s * 1e9),
        duration_s=duration_s,
    )
    merged = merge_results([share.result for share in shares], window)
    has_schedule = not isinstance(job.targets[0].pacer, Closed)
    agents = [_agent(number, share, has_schedule) for number, share in enumerate(shares)]
    return LoadResult(
        **dict(merged),
        agents=tuple(agents),
        server=None if used is None else _server(*used, merged.only.counts.transactions),
        invalid=tuple(
            f"agent {agent.number} on {agent.machine}: {reason}"
            for agent in agents
            for reason in agent.invalid
        ),
    )


def _server(machine: str, use: ServerUse, transactions: int) -> ServerResult:
    return ServerResult(
        machine=machine,
        cpu_us=use.cpu_us,
        cpu_us_per_transaction=use.cpu_us / transactions if transactions else None,
        memory_bytes=use.memory_bytes,
    )


def _agent(number: int, share: Share, has_schedule: bool) -> AgentResult:
    target = share.result.only
    gap_us = sum(row.clock_gap_us for row in share.result.slices)
    gap_share = gap_us / 1e6 / target.window.duration_s
    reasons = list(why_invalid(target, has_schedule=has_schedule, ceiling_share=None))
    if gap_share > LARGEST_GAP:
        reasons.append(
            f"its engine did not get to run in {gap_share:.0%} of the time (limit"
            f" {LARGEST_GAP:.0%}), and fell behind its schedule"
        )
    if astray := why_astray(share.before, share.after):
        reasons.append(astray)
    times = target.latency_us
    return AgentResult(
        number=number,
        machine=share.machine,
        clock_offset_us=share.before.ns / 1e3,
        clock_error_us=share.before.bound_ns / 1e3,
        transactions=target.counts.transactions,
        failed=target.counts.failed,
        never_sent=target.counts.never_sent,
        response_p50_us=times.response.p50,
        response_p99_us=times.response.p99,
        lag_p50_us=times.lag.p50,
        lag_max_us=times.lag.max,
        busy_share=target.engine.busy_share,
        gap_share=gap_share,
        invalid=tuple(reasons),
    )
