"""What of a job can be shared among agents, and the job of each of them."""

from wirelab.measure.job import Agent, Closed, Job, Ramp, Replay, Stages, Staircase, WarmUp
from wirelab.problems import Problems

LEAST_GUARD_US = 20_000
"""Load that runs before what counts, so that every agent's does, whatever clocks are apart."""
WHERE = "the load"
SHAPED = (Ramp, Replay, Stages, Staircase)


def refuse_unshareable(job: Job, agents: int) -> None:
    """Raise `ProblemsError` for what agents cannot do together."""
    problems = Problems()
    _check_job(job, problems)
    if len(job.targets) == 1:
        _check_target(job, agents, problems)
    problems.raise_if_any()


def job_of(job: Job, number: int, agents: int) -> Job:
    """Return the job of one agent, which waits for commands."""
    return job.model_copy(
        update={
            "agent": Agent(number=number, of=agents),
            "control": True,
            "stop": None,
            "warm_up": WarmUp(),
        }
    )


def guard_us(job: Job) -> int:
    """Return how long load runs before what counts; a load with a shape begins with itself."""
    if isinstance(job.targets[0].pacer, SHAPED):
        return 0
    return max(LEAST_GUARD_US, round(job.warm_up.seconds * 1e6))


def window_s(job: Job) -> float:
    """Return how long that is which counts, but for the last answers."""
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
    """Return how long the load takes at most, until the last answer."""
    connections = job.targets[0].connections
    timeouts_ms = connections.request_timeout_ms + connections.connect_timeout_ms
    return guard_us(job) / 1e6 + window_s(job) + timeouts_ms / 1e3


def _check_job(job: Job, problems: Problems) -> None:
    stop = job.stop
    if len(job.targets) > 1:
        problems.add(WHERE, "targets", len(job.targets), "one, which all agents put load on")
    if stop is None:
        problems.add(WHERE, "stop", None, "the one window that all agents share")
    elif stop.transactions or stop.transactions_per_client or stop.precision:
        shown = stop.model_dump(exclude_none=True)
        problems.add(WHERE, "stop", shown, "a time (-d) alone: agents stop together")
    if job.warm_up.transactions:
        transactions = job.warm_up.transactions
        problems.add(WHERE, "warm_up.transactions", transactions, "a time: agents begin together")
    if job.cpus:
        problems.add(WHERE, "cpus", list(job.cpus), "none: an agent has one CPU of its machine's")
    if job.agent is not None:
        problems.add(WHERE, "agent", job.agent.number, "none: --agents says how many there are")


def _check_target(job: Job, agents: int, problems: Problems) -> None:
    target = job.targets[0]
    enough = f"at least one for each of {agents} agents"
    if target.connections.count < agents:
        problems.add(WHERE, "connections", target.connections.count, enough, f"-c {agents}")
    elif isinstance(target.pacer, Closed) and target.pacer.clients < agents:
        problems.add(WHERE, "clients", target.pacer.clients, enough)
    if isinstance(target.pacer, SHAPED) and job.warm_up != WarmUp():
        seconds = job.warm_up.seconds
        problems.add(WHERE, "warm_up", seconds, "none: such a load begins with its own first stage")
    if job.roles or target.roles:
        names = sorted({**job.roles, **target.roles})
        problems.add(WHERE, "roles", names, "none: they are no processes of the agents' machines")
