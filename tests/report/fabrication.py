"""One run of a synthetic bundle: its samples, its result and its record, from a seeded model."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from hdrh.histogram import HdrHistogram
from numpy.typing import NDArray

from wirelab.bundle import Bundle, RoleUsage, RunRecord
from wirelab.bundle.files import write_json
from wirelab.schedule import Run
from wirelab.study import ClosedLoad, Load, OpenLoad

from .models import SIZES, Model


def fabricate_run(
    bundle: Bundle,
    run: Run,
    *,
    random: np.random.Generator,
    models: Mapping[str, Model],
    requests: int,
    invalid: bool = False,
    load: Load | None = None,
) -> None:
    """Write one run's files: latencies from the model, with block, drift and run effects."""
    model = models[run.cell.contender]
    workload = SIZES[run.cell.workload]
    clients = load.clients if isinstance(load, ClosedLoad) else 1
    offered = 100.0 if isinstance(load, OpenLoad) else None
    effect = (
        np.random.default_rng([run.block, 11]).normal(0, 0.02)  # a block's luck, common to all
        + 0.004 * run.block  # the machine grows warm
        + random.normal(0, 0.012)
        + (0.28 if run.cell.environment == "container" else 0.0)
    )
    scale = model.latency_us[workload] * math.exp(effect) * (0.4 + 0.6 * clients)
    latency_us = scale * random.lognormal(-0.02, 0.13, requests)
    tail = random.random(requests) < 0.012
    latency_us[tail] *= random.uniform(1.8, 5.5, int(tail.sum()))
    busy = 0.91 if invalid else 0.24 + 0.05 * random.random()

    partial = bundle.partial_run(run.id)
    _write_samples(partial / "samples.parquet", run, model, workload, latency_us)
    result = _result(model, workload, latency_us, busy, clients) | {"offered_rate_per_s": offered}
    write_json(partial / "result.json", result)
    (partial / "contender.log").write_text("[synthetic] booting worker\n")
    duration_us = float(latency_us.sum())
    engine_us = 14.0 + model.payload[workload] / 9000
    bundle.record_run(
        RunRecord(
            run=run,
            status="invalid" if invalid else "valid",
            reasons=("the load generator was busy 91 % of its core (limit 85 %)",)
            if invalid
            else (),
            started_utc=f"2026-11-20T09:{(run.block * 7) % 60:02d}:{run.position:02d}Z",
            finished_utc=f"2026-11-20T09:{(run.block * 7) % 60:02d}:{run.position:02d}Z",
            start_s=0.4 + 0.1 * random.random(),
            launch_s=0.02,
            roles={
                "contender": _usage(0.62 * duration_us, requests, random, 62e6),
                "store": _usage(
                    (0.0 if workload == 0 else 0.11) * duration_us, requests, random, 41e6
                ),
                "engine": _usage(engine_us * requests, requests, random, 9e6),
            },
            steal_share=float(min(0.009, abs(random.normal(0, 0.001)))),
            context={"store": "PostgreSQL 18 (synthetic)", "other_share": 0.004},
        )
    )


def _write_samples(
    path: Path, run: Run, model: Model, workload: int, latency_us: NDArray[np.float64]
) -> None:
    ends = np.cumsum(latency_us * 1000).astype(np.int64)
    starts = np.concatenate(([0], ends[:-1]))
    payload = model.payload[workload]
    frame = pd.DataFrame(
        {
            "operation": pd.Categorical([run.cell.workload] * len(ends)),
            "parameter_set": np.zeros(len(ends), np.uint32),
            "client": np.zeros(len(ends), np.uint32),
            "intended_ns": starts,
            "start_ns": starts,
            "first_byte_ns": starts + ((ends - starts) * 0.93).astype(np.int64),
            "end_ns": ends,
            "bytes_sent": np.full(len(ends), 180, np.uint32),
            "bytes_received": np.full(len(ends), payload + model.overhead, np.uint32),
            "payload_bytes": np.full(len(ends), payload, np.uint32),
            "status": np.full(len(ends), 200, np.uint16),
            "error": pd.Categorical([""] * len(ends)),
        }
    )
    frame.to_parquet(path, index=False)


def _result(
    model: Model, workload: int, latency_us: NDArray[np.float64], busy: float, clients: int
) -> dict[str, Any]:
    requests = len(latency_us)
    duration_s = float(latency_us.sum()) / 1e6 / clients
    histogram = HdrHistogram(1000, 60_000_000_000, 3)
    for value in latency_us:
        histogram.record_value(int(value * 1000))
    encoded = histogram.encode().decode()
    service = _summary(latency_us)
    sent, received = 180, model.payload[workload] + model.overhead
    seconds = np.floor(np.cumsum(latency_us) / 1e6 / clients).astype(int)
    return {
        "format": "wirelab-result/1",
        "interrupted": False,
        "engine": {
            "version": "0.1.0",
            "cpus": [1],
            "cpu_user_us": busy * duration_s * 4e5,
            "cpu_system_us": busy * duration_s * 6e5,
            "busy_share": busy,
            "cpu_us_per_transaction": busy * duration_s * 1e6 / requests,
            "memory_peak_bytes": 9_000_000,
            "clock": "tsc",
        },
        "window": {
            "started_unix_ns": 1_790_000_000_000_000_000,
            "ended_unix_ns": 1_790_000_000_000_000_000 + int(duration_s * 1e9),
            "duration_s": duration_s,
        },
        "counts": {
            "transactions": requests,
            "succeeded": requests,
            "failed": 0,
            "errors": {},
            "late": 0,
            "dropped": 0,
            "never_sent": 0,
        },
        "throughput_per_s": requests / duration_s,
        "offered_rate_per_s": None,
        "little_closure": 0.998,
        "latency_us": {
            "response": service,
            "service": service,
            "first_byte": _summary(latency_us * 0.93),
            "connect": _summary(np.array([130.0])),
            "lag": _summary(np.zeros(requests)),
        },
        "histograms": {"response": encoded, "service": encoded},
        "series": [
            {
                "second": second,
                "transactions": int(np.sum(seconds == second)),
                "errors": 0,
                "service_p50_us": float(np.median(latency_us[seconds == second])),
                "service_p99_us": float(np.quantile(latency_us[seconds == second], 0.99)),
                "response_p99_us": float(np.quantile(latency_us[seconds == second], 0.99)),
            }
            for second in sorted(set(seconds.tolist()))
        ],
        "bytes": {
            "window": {
                "sent": sent * requests,
                "received": received * requests,
                "payload_sent": 90 * requests,
                "payload_received": (model.payload[workload] - 90) * requests,
            },
            "lifetime": {
                "connections": 1,
                "sent": sent * requests + 300,
                "received": received * requests + 340,
                "segments_out": requests * 2,
                "segments_in": requests * 2,
                "retransmitted": 0,
            },
        },
        "mismatches": [],
    }


def _summary(values_us: NDArray[np.float64]) -> dict[str, float]:
    p50, p90, p95, p99, p999 = np.quantile(
        values_us, [0.5, 0.9, 0.95, 0.99, 0.999], method="inverted_cdf"
    )
    return {
        "count": len(values_us),
        "mean": float(values_us.mean()),
        "sd": float(values_us.std(ddof=1)) if len(values_us) > 1 else 0.0,
        "min": float(values_us.min()),
        "p50": float(p50),
        "p90": float(p90),
        "p95": float(p95),
        "p99": float(p99),
        "p999": float(p999),
        "max": float(values_us.max()),
    }


def _usage(cpu_us: float, requests: int, random: np.random.Generator, memory: float) -> RoleUsage:
    cpu_us *= float(random.normal(1.0, 0.02))
    return RoleUsage(
        cpu_us=cpu_us,
        cpu_us_per_transaction=cpu_us / requests,
        memory_median_bytes=memory,
        memory_peak_bytes=memory * 1.08,
    )
