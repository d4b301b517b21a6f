"""Check that agents can share a job, and make the job of each agent."""

from wirelab.engine.job import AgentShare, Closed, Job, JobWarmUp, Replay, Stages
from wirelab.inputs.problems import add_problem, collected_problems

LEAST_GUARD_US = 20_000
"""Unrecorded load before the window, so that all agents run in it despite different clocks."""
WHERE = "the load"
SHAPED = (Replay, Stages)


def refuse_unshareable(job: Job, agents: int) -> None:
    """Raise `ProblemsError` for parts of a job that agents cannot share."""
    with collected_problems():
        _check_job(job)
        if len(job.targets) == 1:
            _check_target(job, agents)


def job_of(job: Job, number: int, agents: int) -> Job:
    """Return the job of one agent, which waits for commands."""
    return job.model_copy(
        update={
            "agent": AgentShare(number=number, of=agents),
            "control": True,
            "stop": None,
            "warm_up": JobWarmUp(),
        }
    )


def guard_us(job: Job) -> int:
    """Return the duration of the unrecorded load; 0 for a load with stages or a replay."""
    if isinstance(job.targets[0].pacer, SHAPED):
        return 0
    return max(LEAST_GUARD_US, round(job.warm_up.seconds * 1e6))


def window_s(job: Job) -> float:
    """Return the duration of the recorded window, without the last answers."""
    pacer = job.targets[0].pacer
    seconds = job.stop.seconds if job.stop and job.stop.seconds else None
    if isinstance(pacer, Stages):
        shape_s = sum(stage.seconds for stage in pacer.stages)
    elif isinstance(pacer, Replay):
        shape_s = pacer.times_us[-1] / 1e6
    else:
        return seconds or 0.0
    return shape_s if seconds is None else min(shape_s, seconds)


def longest_s(job: Job) -> float:
    """Return the maximum duration of the load until the last answer."""
    connections = job.targets[0].connections
    timeouts_ms = connections.request_timeout_ms + connections.connect_timeout_ms
    return guard_us(job) / 1e6 + window_s(job) + timeouts_ms / 1e3


def _check_job(job: Job) -> None:
    stop = job.stop
    if len(job.targets) > 1:
        add_problem(WHERE, "targets", len(job.targets), "one target for all agents")
    if stop is None:
        add_problem(WHERE, "stop", None, "one window for all agents")
    elif stop.transactions or stop.transactions_per_client or stop.precision:
        shown = stop.model_dump(exclude_none=True)
        add_problem(WHERE, "stop", shown, "only a duration (-d), since agents stop together")
    if job.warm_up.transactions:
        expected = "a duration, since agents begin together"
        add_problem(WHERE, "warm_up.transactions", job.warm_up.transactions, expected)
    if job.cpus:
        add_problem(WHERE, "cpus", list(job.cpus), "none: an agent has one CPU of its machine")
    if job.agent is not None:
        add_problem(WHERE, "agent", job.agent.number, "none: --agents sets the number of agents")


def _check_target(job: Job, agents: int) -> None:
    target = job.targets[0]
    enough = f"at least one for each of {agents} agents"
    if target.connections.count < agents:
        add_problem(WHERE, "connections", target.connections.count, enough, f"-c {agents}")
    elif isinstance(target.pacer, Closed) and target.pacer.clients < agents:
        add_problem(WHERE, "clients", target.pacer.clients, enough)
    if isinstance(target.pacer, SHAPED) and job.warm_up != JobWarmUp():
        seconds = job.warm_up.seconds
        add_problem(WHERE, "warm_up", seconds, "none: such a load begins with its first stage")
    if job.roles or target.roles:
        names = sorted({**job.roles, **target.roles})
        add_problem(WHERE, "roles", names, "none: they do not run on the agents' machines")
