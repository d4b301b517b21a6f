"""From plans to jobs: what the engine is told to send, how, and until when."""

from collections.abc import Sequence
from pathlib import Path

from wirelab.lab.cpu import CpuPlan
from wirelab.measure import job
from wirelab.study import ClosedLoad, Load, RampLoad, StaircaseLoad, WarmUp, Window
from wirelab.verify import Plan, PlannedRequest


def engine_job(
    plans: Sequence[Plan],
    target: job.Target,
    *,
    load: Load,
    warm_up: WarmUp,
    window: Window,
    output: Path,
    cpus: CpuPlan,
    seed: int,
    request_timeout_s: float = 10.0,
) -> job.Job:
    """Write the job of one run.

    The transactions are the workload's plans in their order; the engine cycles through them. The
    load must have an absolute rate, where it has one.
    """
    requests: list[job.Request] = []
    transactions = []
    for plan in plans:
        rounds = []
        for together in plan.rounds:
            rounds.append(tuple(range(len(requests), len(requests) + len(together))))
            requests.extend(_request(planned) for planned in together)
        transactions.append(
            job.Transaction(
                operation=plan.operation, parameter_set=plan.parameter_set, rounds=tuple(rounds)
            )
        )
    count = load.clients if isinstance(load, ClosedLoad) else load.connections
    return job.Job(
        target=target,
        connections=job.Connections(
            count=count,
            reuse=load.reuse_connections,
            request_timeout_ms=round(1000 * request_timeout_s),
        ),
        pacer=_pacer(load, seed),
        wait="precise" if isinstance(load, ClosedLoad) else load.wait,
        warm_up=job.WarmUp(
            transactions=warm_up.transactions_of(len(plans)), seconds=warm_up.seconds
        ),
        stop=_stop(window, len(plans)),
        requests=tuple(requests),
        transactions=tuple(transactions),
        cpus=cpus.engine,
        real_time=cpus.apart,
        handshake=True,
        output=output,
        samples=True,
        seed=seed,
    )


def _stop(window: Window, parameter_sets: int) -> job.Stop:
    wanted = window.precision
    return job.Stop(
        transactions=window.transactions_of(parameter_sets),
        transactions_per_client=window.transactions_per_client,
        seconds=window.seconds,
        precision=job.Precision(of=wanted.of, half_width=wanted.half_width) if wanted else None,
    )


def _request(planned: PlannedRequest) -> job.Request:
    request, expectation = planned.request, planned.expectation
    return job.Request(
        method=request.method or "GET",  # a WebSocket message has none, and needs none
        path=request.path,
        headers=request.headers,
        body=request.body,
        binary=request.binary,
        expect=job.Expect(
            status=expectation.status,
            body_xxh3=expectation.body_xxh3,
            body_length=expectation.body_length,
            must_not_contain=expectation.must_not_contain,
        ),
    )


def _pacer(load: Load, seed: int) -> job.Pacer:
    match load:
        case ClosedLoad():
            return job.Closed(clients=load.clients, think_time_us=round(load.think_time_us))
        case RampLoad():
            return job.Ramp(
                from_rate_per_s=load.from_rate_per_s,
                to_rate_per_s=load.to_rate_per_s,
                seconds=load.seconds,
            )
        case StaircaseLoad():
            return job.Staircase(
                from_rate_per_s=load.from_rate_per_s,
                to_rate_per_s=load.to_rate_per_s,
                steps=load.steps,
                step_seconds=load.step_seconds,
            )
    if load.rate_per_s is None:
        raise ValueError("the load's rate is not known yet")
    if load.kind == "constant":
        return job.Constant(rate_per_s=load.rate_per_s)
    return job.Poisson(rate_per_s=load.rate_per_s, seed=seed)
