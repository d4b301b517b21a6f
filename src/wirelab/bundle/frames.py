"""The bundle as data frames, for notebooks and the analysis."""

import itertools
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray
from pydantic import TypeAdapter

from wirelab.bundle.records import BlockRecord, RunRecord, read_record
from wirelab.bundle.run_reasons import in_words
from wirelab.bundle.tables import read_table
from wirelab.engine.result import RESULT, EngineResult, TargetResult
from wirelab.inputs.problems import Problem, ProblemsError
from wirelab.study import CAPACITY

SAMPLES = "samples.parquet"
SLICES = "slices.parquet"
SAMPLE_TYPES = {"target": pa.large_string()} | dict.fromkeys(
    ("intended_ns", "start_ns", "end_ns"), pa.int64()
)
SLICE_TYPES = {
    "run_id": pa.large_string(),
    "recorded": pa.bool_(),
    **dict.fromkeys(("permutation", "position", "transactions", "failed"), pa.int64()),
    **dict.fromkeys(("started_ns", "ended_ns", "guard_ns", "drain_ns"), pa.int64()),
    **dict.fromkeys(("mean_us", "median_us", "p99_us"), pa.float64()),
    "steal_us": pa.list_(pa.float64()),
}
"""The columns of a file that are read in any case, with their types."""

TIMES_US = (1e-3, 1e15)
"""The smallest and the largest time, in µs, that a slice can have."""

_RESULT = TypeAdapter(EngineResult)


def runs(records: Iterable[BlockRecord]) -> pd.DataFrame:
    """Return one row per run and attempt."""
    return pd.DataFrame(
        [
            _identity(block, run) | _circumstances(block, run)
            for block in records
            for run in block.runs
        ]
    )


def metrics(bundle: Path, records: Iterable[BlockRecord]) -> pd.DataFrame:
    """Return one row per run with a result: scalars over everything recorded.

    `latency_*` counts from the intended start of a transaction, `service_*` from the actual one;
    with closed load they are the same. Reports combine slices instead (`latency_typical_us` and
    `latency_mean_us` of report.csv), which noise hardly affects.
    """
    return pd.DataFrame(
        [
            _identity(block, run)
            | _circumstances(block, run)
            | _scalars(result)
            | _roles(run)
            | _capacity(run)
            for block, run, result in _results(bundle, records)
        ]
    )


def slices(bundle: Path, records: Iterable[BlockRecord]) -> pd.DataFrame:
    """Return one row per slice, rehearsals included (`recorded` is False)."""
    known: list[dict[str, Any]] = []
    tables: list[pd.DataFrame] = []
    for block in records:
        for session, members in itertools.groupby(block.runs, key=lambda run: run.session):
            together = list(members)
            path = bundle / block.run_folder(together[0]) / SLICES
            if path.exists() or _has_slices(block, together):
                members_of = [_identity(block, run) | {"file": len(tables)} for run in together]
                table = _read_slices(path, members_of[0].keys())
                known += members_of
                tables.append(table.assign(session=session, file=len(tables)))
    if not tables:
        return pd.DataFrame()
    frame = pd.DataFrame(known).merge(pd.concat(tables, ignore_index=True), on=["run_id", "file"])
    return frame.drop(columns="file")


def _has_slices(block: BlockRecord, together: Collection[RunRecord]) -> bool:
    """Return whether the runs of a session have slices, some of which count."""
    numbers = {run.session for run in together if run.status == "valid"}
    return any(
        block.sessions[number - 1].permutations
        for number in numbers
        if number <= len(block.sessions)
    )


def _read_slices(path: Path, of_runs: Collection[str]) -> pd.DataFrame:
    """Return a session's slices; `of_runs` are the columns that the schedule has the values of."""
    table = read_table(path, SLICE_TYPES)
    unknown = [str(name) for name in table if name != "run_id" and name in of_runs]
    problems = [Problem(str(path), name, "wirelab writes no such column", "") for name in unknown]
    for name in ("mean_us", "median_us", "p99_us"):
        times_us = table[name].to_numpy()
        wrong = (times_us < TIMES_US[0]) | (times_us > TIMES_US[1])
        problems += _outside(path, table[name], wrong, "a time of 1 ns to 30 years")
    is_negative = (table["ended_ns"] < table["started_ns"]).to_numpy()
    problems += _outside(path, table["ended_ns"], is_negative, "a time after started_ns")
    turns = table.loc[table["recorded"], ["run_id", "permutation"]]
    is_again = turns.duplicated().to_numpy()
    problems += _outside(path, turns["permutation"], is_again, "one recorded slice of each run")
    if problems:
        raise ProblemsError(problems)
    return table


def _outside(
    path: Path, column: pd.Series, wrong: NDArray[np.bool_], expected: str
) -> list[Problem]:
    """Return the problem of the first wrong value of a column; none if no value is wrong."""
    if not wrong.any():
        return []
    return [Problem(str(path), str(column.name), column[wrong].tolist()[0], expected)]


def series(bundle: Path, records: Iterable[BlockRecord]) -> pd.DataFrame:
    """Return one row per run and second of its measured window."""
    return pd.DataFrame(
        [
            _identity(block, run) | second.model_dump()
            for block, run, result in _results(bundle, records)
            for second in result.series
        ]
    )


def samples(folder: Path, run_id: str) -> pd.DataFrame:
    """Return one row per transaction of a run, with response and service time in µs added."""
    only = [("target", "==", run_id)]
    frame = read_table(folder / SAMPLES, SAMPLE_TYPES, filters=only)
    frame["response_us"] = (frame["end_ns"] - frame["intended_ns"]) / 1000
    frame["service_us"] = (frame["end_ns"] - frame["start_ns"]) / 1000
    return frame


def _results(
    bundle: Path, records: Iterable[BlockRecord]
) -> Iterator[tuple[BlockRecord, RunRecord, TargetResult]]:
    """Pair each run with its result; that of an invalid run may be missing or incomplete."""
    for block in records:
        read: dict[int, EngineResult] = {}
        for run in block.runs:
            path = bundle / block.run_folder(run) / RESULT
            if run.status != "valid" and not path.is_file():
                continue
            try:
                if run.session not in read:
                    read[run.session] = read_record(path, _RESULT, longest_text=None)
                yield block, run, target_of(read[run.session], run, path)
            except ProblemsError:
                if run.status == "valid":
                    raise


def target_of(result: EngineResult, run: RunRecord, path: Path) -> TargetResult:
    """Return a run's part of the engine's result. Raises `ProblemsError` if it has none."""
    try:
        return result.target(run.run.id)
    except KeyError:
        expected = f"a target named {run.run.id}"
        raise ProblemsError([Problem(str(path), "targets", None, expected)]) from None


def _identity(block: BlockRecord, run: RunRecord) -> dict[str, Any]:
    cell = run.run.cell
    return {
        "run_id": run.run.id,
        "block_id": block.block.id,
        "group": block.block.group,
        "block": block.block.number,
        "attempt": block.attempt,
        "contender": cell.contender,
        "workload": cell.workload,
        "store": cell.store,
        "environment": cell.environment,
        "load": cell.load,
        "proxy": cell.proxy,
        "network": cell.network,
        "twin": cell.twin,
    }


def _circumstances(block: BlockRecord, run: RunRecord) -> dict[str, Any]:
    shared: dict[str, Any] = {}
    if run.session <= len(block.sessions):
        shared = block.sessions[run.session - 1].model_dump(exclude={"link"})
    return {
        "status": run.status,
        "reasons": in_words(run.reasons),
        "session": run.session,
        "machine": block.machine,
        "started_utc": block.started_utc,
        "finished_utc": block.finished_utc,
        "start_s": run.start_s,
        "launch_s": run.launch_s,
        "restore_s": run.restore_s,
        "idle_cpu_share": run.idle_cpu_share,
        **shared,
        **{f"context_{key}": value for key, value in run.context.items()},
    }


def _scalars(result: TargetResult) -> dict[str, Any]:
    counts, latencies = result.counts, result.latency_us
    row: dict[str, Any] = {
        "duration_s": result.window.duration_s,
        "throughput_per_s": result.throughput_per_s,
        "offered_rate_per_s": result.offered_rate_per_s,
        "little_closure": result.little_closure,
        "engine_busy_share": result.engine.busy_share,
        "mismatches": len(result.mismatches),
        "reopened_sessions": result.reopened_sessions or 0,
        **counts.model_dump(exclude={"errors"}),
    }
    for prefix, summary in (
        ("latency", latencies.response),
        ("service", latencies.service),
        ("first_byte", latencies.first_byte),
    ):
        for statistic, value in summary.model_dump(exclude={"count"}).items():
            row[f"{prefix}_{statistic}_us"] = value
    if latencies.service.mean > 0:
        row["first_byte_share"] = latencies.first_byte.mean / latencies.service.mean
    if result.items is not None:
        row["items_per_s"] = result.items.received_per_s
        row["first_item_mean_us"] = result.items.first_us.mean
        row["first_item_median_us"] = result.items.first_us.p50
        row["gap_median_us"] = result.items.gap_us.p50
        row["gap_p99_us"] = result.items.gap_us.p99
        row["stalls"] = result.items.stalls
        row["items_per_transaction"] = result.items.received / max(1, counts.transactions)
    row["histogram"] = result.histograms.response
    row["lag_p99_us"] = latencies.lag.p99
    row["connections"] = result.bytes.lifetime.connections
    row["tls_handshakes"] = result.tls.handshakes if result.tls else 0
    row["tls_resumed"] = result.tls.resumed if result.tls else 0
    row["connect_mean_us"] = latencies.connect.mean if latencies.connect else None
    for name, total in result.bytes.window.model_dump(exclude_none=True).items():
        row[f"{name}_bytes_per_transaction"] = total / max(1, counts.transactions)
    return row


def _capacity(run: RunRecord) -> dict[str, Any]:
    return {} if run.capacity is None else {CAPACITY: run.capacity.rate_per_s}


def _roles(run: RunRecord) -> dict[str, Any]:
    return {
        f"{role}_{name}": value
        for role, usage in run.roles.items()
        for name, value in usage.model_dump().items()
    }
