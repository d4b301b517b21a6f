"""The bundle as data frames: what a notebook and the analysis start from."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from wirelab.bundle import files
from wirelab.bundle.records import RunRecord

_SUMMARY = ("mean", "sd", "min", "p50", "p90", "p95", "p99", "p999", "max")
_LATENCIES = {"response": "latency", "service": "service", "first_byte": "first_byte"}
"""Engine's name → column prefix. `latency` counts from the intended start, `service` from the
actual one; with closed load they are the same."""

_COUNTS = ("transactions", "succeeded", "failed", "late", "dropped", "never_sent")


def runs(records: Iterable[RunRecord]) -> pd.DataFrame:
    """One row per recorded attempt."""
    return pd.DataFrame([_identity(record) | _circumstances(record) for record in records])


def metrics(bundle: Path, records: Iterable[RunRecord]) -> pd.DataFrame:
    """One row per attempt that left a result: scalars per run, the unit of all statistics."""
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
            _identity(record) | second
            for record, result in _results(bundle, records)
            for second in result.get("series", [])
        ]
    )


def samples(path: Path) -> pd.DataFrame:
    """One row per transaction, with response and service time in microseconds added."""
    frame = pd.read_parquet(path)
    frame["response_us"] = (frame["end_ns"] - frame["intended_ns"]) / 1000
    frame["service_us"] = (frame["end_ns"] - frame["start_ns"]) / 1000
    return frame


def _results(
    bundle: Path, records: Iterable[RunRecord]
) -> Iterator[tuple[RunRecord, dict[str, Any]]]:
    for record in records:
        path = bundle / "runs" / record.folder_name / "result.json"
        if path.is_file():
            yield record, files.read_json(path)


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
        "steal_share": record.steal_share,
        **{f"context_{key}": value for key, value in record.context.items()},
    }


def _scalars(result: dict[str, Any]) -> dict[str, Any]:
    row: dict[str, Any] = {
        "duration_s": result["window"]["duration_s"],
        "throughput_per_s": result["throughput_per_s"],
        "offered_rate_per_s": result["offered_rate_per_s"],
        "little_closure": result["little_closure"],
        "engine_busy_share": result["engine"]["busy_share"],
        "mismatches": len(result["mismatches"]),
    }
    row |= {name: result["counts"][name] for name in _COUNTS}
    for name, prefix in _LATENCIES.items():
        summary = result["latency_us"][name]
        row |= {f"{prefix}_{statistic}_us": summary[statistic] for statistic in _SUMMARY}
    row["lag_p99_us"] = result["latency_us"]["lag"]["p99"]
    connect = result["latency_us"]["connect"]
    row["connect_mean_us"] = connect["mean"] if connect else None
    for name, count in result["bytes"]["window"].items():
        row[f"{name}_bytes_per_transaction"] = count / max(1, result["counts"]["transactions"])
    return row


def _roles(record: RunRecord) -> dict[str, Any]:
    return {
        f"{role}_{name}": value
        for role, usage in record.roles.items()
        for name, value in usage.model_dump().items()
    }
