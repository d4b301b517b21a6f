"""The result of a load from many machines: merged figures, each agent's part, validity."""

from collections.abc import Sequence
from dataclasses import dataclass

from wirelab.cluster.clocks import Offset, why_astray
from wirelab.cluster.messages import ServerUse
from wirelab.engine.events import ResultModel
from wirelab.engine.job import Closed, Job
from wirelab.engine.result import EngineResult, MeasuredWindow
from wirelab.experiment.blocks.figures import why_invalid
from wirelab.measure.merging import merge_results

LARGEST_GAP = 0.05
"""Maximum share of the window in which an engine with work to do did not run."""


@dataclass(frozen=True, slots=True)
class Share:
    """An agent's measurement, and its machine's clock before and after."""

    machine: str
    result: EngineResult
    before: Offset
    after: Offset


class AgentResult(ResultModel):
    """One agent. Its latencies are measured by its own machine's clock alone."""

    number: int
    machine: str
    clock_offset_us: float
    """How far the monotonic clock of its machine was ahead of the head's at the start command.
    """
    clock_error_us: float
    """The maximum error of that, and so of its start time."""
    transactions: int
    failed: int
    never_sent: int
    response_p50_us: float
    response_p99_us: float
    lag_p50_us: float
    lag_max_us: float
    busy_share: float
    gap_share: float
    """The share of the window in which its engine had work, but did not run."""
    invalid: tuple[str, ...]
    """Why its part does not count; then the whole run does not."""


class ServerResult(ResultModel):
    """The server's resource use in the recorded window, measured on its machine."""

    machine: str
    cpu_us: float
    cpu_us_per_transaction: float | None
    """Averaged over all recorded transactions; None without any."""
    memory_bytes: int
    """Memory of all its processes at the end of the window."""


class LoadResult(EngineResult):
    """`wirelab load --json`: the merged result of a load from many machines, and of each agent."""

    agents: tuple[AgentResult, ...]
    server: ServerResult | None = None
    """None if it was not started on a machine of the cluster."""
    invalid: tuple[str, ...]
    """Why the run must not be used: the reasons of all agents."""


def put_together(
    job: Job,
    shares: Sequence[Share],
    started_unix_ns: int,
    used: tuple[str, ServerUse] | None = None,
) -> LoadResult:
    """Merge the agents' measurements in the window that began at a time of the head's clock.

    `used`: the machine of the server, and its resource use.
    """
    targets = [share.result.only for share in shares]
    duration_s = max(target.window.duration_s for target in targets)
    window = MeasuredWindow(
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
    invalid = why_invalid(target, has_schedule=has_schedule, ceiling_share=None)
    reasons = list(map(str, invalid))
    if gap_share > LARGEST_GAP:
        reasons.append(
            f"its engine could not run in {gap_share:.0%} of the time (limit"
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
