"""The bundle as data frames: what a notebook and the analysis start from."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
from pydantic import TypeAdapter

from wirelab.bundle.records import RunRecord, read_record
from wirelab.measure.result import EngineResult
from wirelab.problems import ProblemsError

_RESULT = TypeAdapter(EngineResult)


def runs(records: Iterable[RunRecord]) -> pd.DataFrame:
    """One row per recorded attempt."""
    return pd.DataFrame([_identity(record) | _circumstances(record) for record in records])


def metrics(bundle: Path, records: Iterable[RunRecord]) -> pd.DataFrame:
    """One row per attempt that left a result: scalars per run, the unit of all statistics.

    `latency_*` counts from the intended start of a transaction, `service_*` from the actual one;
    with closed load they are the same.
    """
    return pd.DataFrame(
        [
            _identity(record) | _circumstances(record) | _scalars(result) | _roles(record)
            for record, result in _results(bundle, records)
        ]
    )


def series(bundle: Path, records: Iterable[RunRecord]) -> pd.DataFrame:
    """One row per run and second of its measured window."""
    return pd.DataFrame(
        [
            _identity(record) | second.model_dump()
            for record, result in _results(bundle, records)
            for second in result.series
        ]
    )


def samples(path: Path) -> pd.DataFrame:
    """One row per transaction, with response and service time in microseconds added."""
    frame = pd.read_parquet(path)
    frame["response_us"] = (frame["end_ns"] - frame["intended_ns"]) / 1000
    frame["service_us"] = (frame["end_ns"] - frame["start_ns"]) / 1000
    return frame


def service_times(path: Path) -> pd.DataFrame:
    """One row per transaction: when it ended (ns) and its service time (µs), and no more."""
    frame = pd.read_parquet(path, columns=["start_ns", "end_ns"])
    frame["service_us"] = (frame["end_ns"] - frame.pop("start_ns")) / 1000
    return frame


def _results(
    bundle: Path, records: Iterable[RunRecord]
) -> Iterator[tuple[RunRecord, EngineResult]]:
    """Pair each attempt with its result; what an invalid one left may be missing or torn."""
    for record in records:
        path = bundle / "runs" / record.folder_name / "result.json"
        if record.status == "valid" or path.is_file():
            try:
                yield record, read_record(path, _RESULT)
            except ProblemsError:
                if record.status == "valid":
                    raise


def _identity(record: RunRecord) -> dict[str, Any]:
    cell = record.run.cell
    return {
        "run_id": record.folder_name,
        "block": record.run.block,
        "position": record.run.position,
        "contender": cell.contender,
        "workload": cell.workload,
        "store": cell.store,
        "environment": cell.environment,
        "load": cell.load,
        "proxy": cell.proxy,
        "twin": cell.twin,
    }


def _circumstances(record: RunRecord) -> dict[str, Any]:
    return {
        "status": record.status,
        "reasons": "; ".join(record.reasons),
        "attempt": record.attempt,
        "started_utc": record.started_utc,
        "finished_utc": record.finished_utc,
        "start_s": record.start_s,
        "launch_s": record.launch_s,
        "steal_share": record.steal_share,
        **{f"context_{key}": value for key, value in record.context.items()},
    }


def _scalars(result: EngineResult) -> dict[str, Any]:
    counts, latencies = result.counts, result.latency_us
    row: dict[str, Any] = {
        "duration_s": result.window.duration_s,
        "throughput_per_s": result.throughput_per_s,
        "offered_rate_per_s": result.offered_rate_per_s,
        "little_closure": result.little_closure,
        "engine_busy_share": result.engine.busy_share,
        "mismatches": len(result.mismatches),
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
    row["lag_p99_us"] = latencies.lag.p99
    row["connect_mean_us"] = latencies.connect.mean if latencies.connect else None
    for name, total in result.bytes.window.model_dump(exclude_none=True).items():
        row[f"{name}_bytes_per_transaction"] = total / max(1, counts.transactions)
    return row


def _roles(record: RunRecord) -> dict[str, Any]:
    return {
        f"{role}_{name}": value
        for role, usage in record.roles.items()
        for name, value in usage.model_dump().items()
    }
