"""From plans to jobs: what the engine sends, how, and whose CPU time it counts."""

from collections.abc import Mapping, Sequence
from math import ceil
from pathlib import Path

from wirelab.engine import job
from wirelab.lab.environments.environment import Counted, InContainer
from wirelab.lab.processes.cgroup import Cgroup
from wirelab.lab.processes.cpu import CpuPlan
from wirelab.protocol import Expectation
from wirelab.study import CapacityLoad, ClosedLoad, Load, RampLoad, StaircaseLoad, Window
from wirelab.verify import Plan, PlannedRequest

FOR_EVER_S = 31_536_000.0
"""The length of the last stage of a load that stays at its last rate: a year."""


def engine_target(
    name: str,
    plans: Sequence[Plan],
    endpoint: job.Endpoint,
    *,
    load: Load,
    seed: int,
    request_timeout_s: float = 10.0,
    roles: Mapping[str, Counted] | None = None,
    samples_answers: bool = True,
) -> job.Target:
    """Describe one target of a job.

    The transactions are the workload's plans in their order; the engine cycles through them. If the
    load has a rate, it must be absolute. `samples_answers`: keep a sample of answers whose bytes
    vary. Raises `MeasureError` if a role's container has no control group.
    """
    requests: list[job.Request] = []
    transactions = []
    for plan in plans:
        rounds = []
        for together in plan.rounds:
            rounds.append(tuple(range(len(requests), len(requests) + len(together))))
            requests.extend(_request(planned, samples_answers) for planned in together)
        transactions.append(
            job.TransactionRounds(
                operation=plan.operation, parameter_set=plan.parameter_set, rounds=tuple(rounds)
            )
        )
    connections, streams = _connections(load, endpoint.transport)
    return job.Target(
        **dict(endpoint),
        name=name,
        connections=job.Connections(
            count=connections,
            streams_per_connection=streams,
            reuse=load.reuse_connections,
            request_timeout_ms=round(1000 * request_timeout_s),
        ),
        pacer=_pacer(load, seed),
        wait="precise" if isinstance(load, ClosedLoad) else load.wait,
        session=_session(plans),
        requests=tuple(requests),
        transactions=tuple(transactions),
        roles={role: _role(counted) for role, counted in (roles or {}).items()},
    )


def _connections(load: Load, transport: job.Transport) -> tuple[int, int]:
    """Return the number of connections, and the maximum number of requests on each."""
    if not isinstance(load, ClosedLoad):
        return load.connections, 1
    connections = load.connections or load.clients
    return connections, 1 if transport == "http1" else ceil(load.clients / connections)


def engine_job(
    targets: Sequence[job.Target], output: Path, cpus: CpuPlan, *, seed: int = 1
) -> job.Job:
    """Return a job that is driven by commands; the seed selects the sampled answers."""
    return job.Job(
        targets=tuple(targets),
        control=True,
        cpus=cpus.engine,
        real_time=cpus.is_disjoint,
        output=output,
        seed=seed,
    )


def stop_of(window: Window, parameter_sets: int) -> job.Stop:
    """Return what ends a window."""
    precision = window.precision
    return job.Stop(
        transactions=window.transactions_of(parameter_sets),
        transactions_per_client=window.transactions_per_client,
        seconds=window.seconds,
        precision=job.Precision(of=precision.of, half_width=precision.half_width)
        if precision
        else None,
    )


def _role(counted: Counted) -> job.Role:
    if isinstance(counted, InContainer):
        return job.Role(cgroup=Cgroup(counted.pid).cpu_file)
    return job.Role(pid=counted)


def _session(plans: Sequence[Plan]) -> job.SessionStart | None:
    """Return the session that the requests belong to; they all belong to the same, or to none."""
    session = plans[0].rounds[0][0].request.session if plans else None
    if session is None:
        return None
    opening, closing = (
        [_request(PlannedRequest(each, Expectation())) for each in requests if each is not None]
        for requests in (session.opening, [session.closing])
    )
    return job.SessionStart(
        requests=tuple(opening), header=session.header, closing=next(iter(closing), None)
    )


def _request(planned: PlannedRequest, samples_answers: bool = False) -> job.Request:
    request, expectation = planned.request, planned.expectation
    return job.Request(
        method=request.method or "GET",  # a WebSocket message has no method
        path=request.path,
        headers=request.headers,
        body=request.body,
        binary=request.binary,
        stream=(
            job.Stream(
                send=request.send,
                in_turn=request.in_turn,
                until_texts=request.until,
                pointer=request.item_pointer,
            )
            if request.stream or request.send != 1
            else None
        ),
        expect=job.Expect(
            status=expectation.status,
            body_xxh3=expectation.body_xxh3,
            body_length=expectation.body_length,
            must_not_contain=expectation.must_not_contain,
            sample=samples_answers and planned.known is not None,
        ),
    )


def _pacer(load: Load, seed: int) -> job.Pacer:
    match load:
        case CapacityLoad():  # every slice has its own rate or clients
            return job.Constant(rate_per_s=1.0)
        case ClosedLoad():
            return job.Closed(clients=load.clients, think_time_us=round(load.think_time_us))
        case RampLoad():
            first, last = load.from_rate_per_s, load.to_rate_per_s
            return _stages([(first, last, load.seconds), (last, last, FOR_EVER_S)])
        case StaircaseLoad():
            height = (load.to_rate_per_s - load.from_rate_per_s) / (load.steps - 1)
            rates = [load.from_rate_per_s + height * step for step in range(load.steps)]
            lengths = [*[load.step_seconds] * (load.steps - 1), FOR_EVER_S]
            return _stages(list(zip(rates, rates, lengths, strict=True)))
    if load.rate_per_s is None:
        raise ValueError("the load's rate is not known yet")
    if load.kind == "constant":
        return job.Constant(rate_per_s=load.rate_per_s)
    return job.Poisson(rate_per_s=load.rate_per_s, seed=seed)


def _stages(stages: Sequence[tuple[float, float, float]]) -> job.Stages:
    """Return stages, each from one rate to another within a number of seconds."""
    return job.Stages(
        stages=tuple(
            job.Stage(from_rate_per_s=first, to_rate_per_s=last, seconds=seconds)
            for first, last, seconds in stages
        )
    )
