"""The figures of a session: from the results of engine and meter to the bundle's records."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from statistics import median
from typing import TypeVar

from wirelab.bundle import RoleUsage, SessionRecord
from wirelab.bundle.run_reasons import RuleBroken, RunReason, TransactionsFailed, WrongAnswers
from wirelab.engine.events import SliceRow
from wirelab.engine.result import TargetResult
from wirelab.experiment.blocks.slice_table import Turn
from wirelab.experiment.blocks.slicing import SliceShape
from wirelab.measure.meter import MachineActivity, MemoryUse
from wirelab.statistics import RunFigures, broken_rules, is_too_stolen
from wirelab.verify.servers.obstacles import obstacle

Number = TypeVar("Number", int, float)

REFUSED = ("status", "grpc_status")
WRONG_ANSWER = ("body_mismatch", "forbidden_content", *REFUSED)
"""Classes of failure in which the contender answered, but differently than when verified."""

ENGINE = "engine"
CONTENDER = "contender"
SERVICE = f"{CONTENDER}-"
"""Prefix of the roles of a contender's services, which together are the contender's role."""


def why_invalid(
    result: TargetResult,
    *,
    has_schedule: bool,
    ceiling_share: float | None,
    may_refuse: bool = False,
) -> tuple[RunReason, ...]:
    """Return why a run is invalid; empty if it is valid.

    `has_schedule`: requests were due at scheduled times. `ceiling_share`: throughput as a share of
    the engine's ceiling, None if that is unknown. `may_refuse`: an objective limits how many
    transactions may fail, so some failures do not make the run invalid.
    """
    failed, transactions = result.counts.failed, result.counts.transactions
    figures = RunFigures(
        transactions=transactions,
        failed=0 if may_refuse and failed < transactions else failed,
        little_closure=result.little_closure,
        lag_p50_us=result.latency_us.lag.p50 if has_schedule else None,
        latency_p50_us=result.latency_us.service.p50,
        generator_busy_share=result.engine.busy_share,
        ceiling_share=ceiling_share,
        violations=sorted(result.connections.violations),
    )
    broken = (RuleBroken(broken=each) for each in broken_rules(figures))
    return (*wrong_answers(result, may_refuse=may_refuse), *broken)


def session_record(
    turns: Sequence[Turn],
    machine: MachineActivity,
    *,
    cpus: Collection[int],
    shape: SliceShape | None,
    unsettled: Sequence[str],
) -> SessionRecord:
    """Return the record of a session; without values if no slice was recorded.

    `cpus` are those of engine and system under test.
    """
    permutations: dict[int, list[SliceRow]] = {}
    for turn in turns:
        if turn.row.recorded:
            permutations.setdefault(turn.permutation, []).append(turn.row)
    if not permutations:
        return SessionRecord()
    rehearsals = [turn.permutation for turn in turns if not turn.row.recorded]
    stolen = [stolen_share(rows, cpus) for rows in permutations.values()]
    measured_us = sum(_cpu_us(turn.row) for turn in turns)
    spent = machine.time
    return SessionRecord(
        slice_seconds=None if shape is None else shape.seconds,
        slice_transactions=None if shape is None else shape.transactions,
        permutations=0 if shape is None else len(permutations),
        rehearsals=max(rehearsals, default=0),
        unsettled=tuple(unsettled),
        steal_share=spent.steal_share,
        median_stolen_share=median(stolen or [0.0]),
        too_stolen=is_too_stolen(stolen),
        other_share=max(0.0, spent.busy_us - measured_us) / max(spent.total_us, 1.0),
        frequency_change_share=machine.frequency_change_share,
    )


def stolen_share(rows: Iterable[SliceRow], cpus: Iterable[int]) -> float:
    """Return the stolen share of the time of some slices."""
    chosen = list(cpus)
    stolen_us = total_us = 0.0
    for row in rows:
        stolen_us += sum(row.steal_us[cpu] for cpu in chosen if cpu < len(row.steal_us))
        total_us += 1e6 * row.whole_s * len(chosen)
    return stolen_us / total_us if total_us else 0.0


def wrong_answers(
    result: TargetResult, *, may_refuse: bool = False, known: RunReason | None = None
) -> Iterator[WrongAnswers]:
    """Yield why wrong answers make a run invalid: it did other work than verified.

    `known` is another reason, which may already name the obstacle.
    """
    classes = [name for name in WRONG_ANSWER if not may_refuse or name not in REFUSED]
    wrong = Counter({name: result.counts.errors.get(name, 0) for name in classes})
    total = wrong.total()
    if not total:
        return
    first = result.mismatches[0] if result.mismatches else None
    is_explained = isinstance(known, TransactionsFailed) and known.obstacle is not None
    yield WrongAnswers(
        wrong=total,
        transactions=result.counts.transactions,
        first=first,
        obstacle=None if first is None or is_explained else obstacle(first.status),
    )


def role_usage(rows: Sequence[SliceRow], memory: Mapping[str, MemoryUse]) -> dict[str, RoleUsage]:
    """Add up each role's use of resources for recorded transactions.

    The use of a contender with several services is the sum over its services. Its peak memory is
    the sum of their peaks, which need not have occurred at the same time.
    """
    transactions = sum(row.transactions for row in rows)
    cpu_us: dict[str, float] = defaultdict(float)
    for row in rows:
        cpu_us[ENGINE] += row.engine_cpu_us * row.share_recorded
        for role, used in row.cpu_us.items():
            cpu_us[role] += (used or 0.0) * row.share_recorded
    usage = {}
    for role, used_us in cpu_us.items():
        had = memory.get(role)
        storage = had.storage_bytes if had else None
        everything = sum(row.transactions / row.share_recorded for row in rows if row.transactions)
        usage[role] = RoleUsage(
            cpu_us=used_us,
            cpu_us_per_transaction=used_us / transactions if transactions else None,
            memory_median_bytes=had.median_bytes if had else None,
            memory_peak_bytes=had.peak_bytes if had else None,
            storage_bytes_per_transaction=(
                None if storage is None or not everything else storage / everything
            ),
        )
    services = [each for role, each in usage.items() if role.startswith(SERVICE)]
    return {CONTENDER: _together(services), **usage} if services else usage


def idle_share_of_contender(shares: Mapping[str, float | None]) -> float | None:
    """Return the share of a CPU that a contender, with all its services, used outside its turns."""
    own = [share for role, share in shares.items() if f"{role}-".startswith(SERVICE)]
    return _sum(own)


def _together(services: Sequence[RoleUsage]) -> RoleUsage:
    return RoleUsage(
        cpu_us=sum(each.cpu_us for each in services),
        cpu_us_per_transaction=_sum([each.cpu_us_per_transaction for each in services]),
        memory_median_bytes=_sum([each.memory_median_bytes for each in services]),
        memory_peak_bytes=_sum([each.memory_peak_bytes for each in services]),
        storage_bytes_per_transaction=_sum(
            [each.storage_bytes_per_transaction for each in services]
        ),
    )


def _sum(values: Sequence[Number | None]) -> Number | None:
    """Add up values; None if one is unknown, or if there are none."""
    known = [value for value in values if value is not None]
    return sum(known[1:], start=known[0]) if known and len(known) == len(values) else None


def _cpu_us(row: SliceRow) -> float:
    return row.engine_cpu_us + sum(used or 0.0 for used in row.cpu_us.values())
