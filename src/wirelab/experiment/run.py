"""One run: a restored store, a fresh contender, warm-up, one measured window, and its counters."""

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from wirelab.bundle import RoleUsage, RunRecord
from wirelab.experiment.bench import Bench
from wirelab.experiment.jobs import engine_job
from wirelab.experiment.mixing import transactions
from wirelab.lab.environment import Counted
from wirelab.lab.errors import LabError
from wirelab.lab.running import RunningContender
from wirelab.measure import job
from wirelab.measure.counters import CounterRecorder, Counters
from wirelab.measure.engine import DEADLINE_S, run_engine
from wirelab.measure.errors import MeasureError
from wirelab.measure.qualification import Qualification
from wirelab.measure.result import EngineResult
from wirelab.schedule import Run
from wirelab.statistics import RunFigures, reasons_invalid
from wirelab.study import ClosedLoad, Design, Load, Study

WRONG_ANSWER = ("body_mismatch", "forbidden_content", "status", "grpc_status")
"""Classes of failure that mean the contender answered, and not as it had when it was verified."""


@dataclass(frozen=True, slots=True)
class _Measured:
    """What a run leaves when its window was measured to the end."""

    start_s: float
    launch_s: float
    result: EngineResult
    counters: Counters
    ceiling_share: float | None
    """Of what the engine can do at most on this machine; None where that is not known."""


def carry_out(
    bench: Bench,
    study: Study,
    design: Design,
    run: Run,
    *,
    attempt: int,
    folder: Path,
    qualification: Qualification | None = None,
) -> RunRecord:
    """Carry out one run and say how it went; every file of it lies in `folder`.

    `qualification`: the engine's ceilings on this machine, which a run must stay below. Whatever
    goes wrong with contender, store or engine makes the run invalid, with the reason: it never
    raises for that.
    """
    started = _now()
    load = study.loads[run.cell.load]
    try:
        measured = _measure(bench, study, design, run, folder=folder, qualification=qualification)
    except (LabError, MeasureError) as error:
        return RunRecord(
            run=run,
            status="invalid",
            reasons=(str(error),),
            attempt=attempt,
            started_utc=started,
            finished_utc=_now(),
        )
    reasons = (*_wrong_answers(measured.result), *reasons_invalid(_figures(measured, load)))
    return RunRecord(
        run=run,
        status="invalid" if reasons else "valid",
        reasons=reasons,
        attempt=attempt,
        started_utc=started,
        finished_utc=_now(),
        start_s=measured.start_s,
        launch_s=measured.launch_s,
        roles=_roles(measured),
        steal_share=measured.counters.steal_share,
        context={
            "store": bench.stores[run.cell.store].title,
            "other_share": measured.counters.other_share,
            "restore_s": bench.restore_s,
            "ceiling_share": measured.ceiling_share,
        },
    )


def target_of(bench: Bench, contender: str, server: RunningContender) -> job.Target:
    """Say where the engine finds a running contender."""
    codec = bench.codec(contender)
    return job.Target.model_validate(
        {"transport": codec.transport, "address": server.address, "path": codec.path}
    )


def _measure(
    bench: Bench,
    study: Study,
    design: Design,
    run: Run,
    *,
    folder: Path,
    qualification: Qualification | None,
) -> _Measured:
    cell = run.cell
    design = design.at(cell)
    state = study.workloads[cell.workload].state
    with bench.running(
        cell.contender,
        cell.store,
        cell.environment,
        state,
        log_path=folder / "contender.log",
        proxy=cell.proxy,
    ) as server:
        roles: dict[str, Counted] = dict(server.counted)
        store = bench.stores[cell.store].counted
        if store is not None:
            roles["store"] = store
        written = engine_job(
            transactions(study, bench.plans, cell, run.seed),
            target_of(bench, cell.contender, server),
            load=study.loads[cell.load],
            warm_up=design.warm_up,
            window=design.window,
            output=folder,
            cpus=bench.cpus,
            seed=run.seed,
            request_timeout_s=study.request_timeout_s,
        )
        with CounterRecorder(roles, bench.cpus) as recorder:
            result = run_engine(
                written,
                folder,
                observer=recorder,
                watch=server.why_ended,
                deadline_s=DEADLINE_S + design.warm_up.seconds + (design.window.seconds or 0.0),
            )
            recorder.engine_used(result.engine.cpu_user_us + result.engine.cpu_system_us)
            counters = recorder.counters
        ended = server.why_ended()
        if ended is not None:
            raise MeasureError(ended)
    (folder / "counters.json").write_text(counters.model_dump_json(indent=1) + "\n")
    reached = None if qualification is None else qualification.share_reached(written, result)
    return _Measured(server.start_s, server.launch_s, result, counters, reached)


def _wrong_answers(result: EngineResult) -> tuple[str, ...]:
    """Any wrong answer spoils a run: what is measured must be the work that was verified."""
    wrong = Counter({name: result.counts.errors.get(name, 0) for name in WRONG_ANSWER})
    total = wrong.total()
    if not total:
        return ()
    text = f"{total} of {result.counts.transactions} answers are wrong under load"
    if result.mismatches:
        first = result.mismatches[0]
        text += (
            f"; the first: {first.operation}, {first.reason}: expected {first.expected},"
            f" got {first.got}: {first.excerpt[:80]!r}"
        )
    return (text,)


def _figures(measured: _Measured, load: Load) -> RunFigures:
    result, counters = measured.result, measured.counters
    frequencies = [
        (first[cpu], last[cpu])
        for first, last in [(counters.samples[0].frequency_mhz, counters.samples[-1].frequency_mhz)]
        for cpu in first
        if cpu in last and first[cpu] > 0
    ]
    return RunFigures(
        transactions=result.counts.transactions,
        failed=result.counts.failed,
        little_closure=result.little_closure,
        lag_p99_us=None if isinstance(load, ClosedLoad) else result.latency_us.lag.p99,
        latency_p50_us=result.latency_us.service.p50,
        generator_busy_share=result.engine.busy_share,
        ceiling_share=measured.ceiling_share,
        steal_share=counters.steal_share,
        frequency_change_share=max((last / first - 1 for first, last in frequencies), default=None),
    )


def _roles(measured: _Measured) -> dict[str, RoleUsage]:
    transactions = measured.result.counts.transactions
    return {
        role: RoleUsage(
            cpu_us=counters.cpu_us,
            cpu_us_per_transaction=counters.cpu_us_per_transaction(
                transactions, measured.counters.window_s
            ),
            memory_median_bytes=counters.memory_median_bytes,
            memory_peak_bytes=counters.memory_peak_bytes,
            storage_bytes_per_transaction=(
                None
                if counters.storage_bytes is None or not transactions
                else counters.storage_bytes / transactions
            ),
        )
        for role, counters in measured.counters.roles.items()
    }


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
