"""Summaries of single cells: means over runs with intervals, percentiles, cost by role."""

import math
from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd
from hdrh.histogram import HdrHistogram

from wirelab.analysis.model import ROLES, CellSummary, Measured, Percentile
from wirelab.bundle import Bundle
from wirelab.measure.result import decode_histogram
from wirelab.statistics import Interval, mean_estimate, reporting
from wirelab.study import Cell

PERCENTILES = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99, "p999": 0.999}

_SPECTRUM_SHARES = (
    *np.linspace(0.0, 0.98, 50),
    *(0.985, 0.99, 0.9925, 0.995, 0.9975, 0.999, 0.9995, 1.0),
)


def summarise(
    bundle: Bundle, cell: Cell, runs: pd.DataFrame, *, planned: int, label: str, protocol: str
) -> CellSummary:
    """Summarise one cell from its valid runs, which must be at least one (index: block)."""
    transactions = runs["transactions"]
    return CellSummary(
        cell=cell,
        label=label,
        protocol=protocol,
        runs=len(runs),
        planned=planned,
        requests=int(transactions.min()),
        latency_us=measured(runs["latency_mean_us"]),
        sd_us=float(runs["latency_sd_us"].mean()),
        min_us=float(runs["latency_min_us"].min()),
        max_us=float(runs["latency_max_us"].max()),
        run_means_us={int(str(b)): float(v) for b, v in runs["latency_mean_us"].items()},
        percentiles=tuple(
            Percentile(
                name,
                quantile,
                float(runs[f"latency_{name}_us"].mean()),
                reporting(quantile, int(transactions.min())),
            )
            for name, quantile in PERCENTILES.items()
        ),
        # All transactions over all time: rates are averaged harmonically, never arithmetically.
        throughput_per_s=float(transactions.sum() / runs["duration_s"].sum()),
        cpu_us=_by_role(runs, "cpu_us_per_transaction"),
        memory_peak_bytes={
            role: usage.value for role, usage in _by_role(runs, "memory_peak_bytes").items()
        },
        spectrum=_spectrum(bundle, runs["run_id"]),
    )


def measured(values: Iterable[float]) -> Measured:
    """Average one scalar a run, with a 95 % interval.

    The interval of positive values is computed on the log scale, as that of every ratio is: it
    cannot reach below zero.
    """
    array = np.asarray(list(values), dtype=float)
    if not (array > 0).all():
        estimate = mean_estimate(array)
        return Measured(estimate.value, estimate.interval())
    interval = mean_estimate(np.log(array)).interval()
    mean = float(array.mean())
    return Measured(mean, interval and Interval(math.exp(interval.low), math.exp(interval.high)))


def _by_role(runs: pd.DataFrame, column: str) -> Mapping[str, Measured]:
    return {
        role: measured(runs[f"{role}_{column}"].dropna())
        for role in ROLES
        if f"{role}_{column}" in runs and runs[f"{role}_{column}"].notna().any()
    }


def _spectrum(bundle: Bundle, run_ids: Iterable[str]) -> tuple[tuple[float, float], ...]:
    """Merge the runs' histograms and read off the latency (µs) at each share of the requests."""
    merged: HdrHistogram | None = None
    for run_id in run_ids:
        encoded = bundle.result(run_id).histograms.response
        if merged is None:
            merged = decode_histogram(encoded)
        else:
            merged.decode_and_add(encoded)
    if merged is None or merged.get_total_count() == 0:
        return ()
    return tuple(
        (float(share), merged.get_value_at_percentile(100 * share) / 1000)
        for share in _SPECTRUM_SHARES
    )
