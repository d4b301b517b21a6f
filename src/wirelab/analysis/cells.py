"""Summaries of single cells: times over blocks with intervals, percentiles, cost by role."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from wirelab.analysis.model import (
    ROLES,
    CellSummary,
    ItemsSummary,
    Measured,
    Percentile,
    ServiceCost,
    Sustained,
)
from wirelab.analysis.values import RunValues
from wirelab.engine.histograms import add_up, quantiles_ns
from wirelab.statistics import geometric_mean, mean_estimate, reporting
from wirelab.study import CAPACITY, METRICS, OF_ITEMS, Cell, Factor, Study

PERCENTILES = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99, "p999": 0.999}

TYPICAL, MEAN = "latency_typical_us", "latency_mean_us"
THROUGHPUT = "throughput_per_s"

_SERVICE_CPU = re.compile("contender-(.+)_cpu_us_per_transaction")

_SPECTRUM_SHARES = (
    *np.linspace(0.0, 0.98, 50),
    *(0.985, 0.99, 0.9925, 0.995, 0.9975, 0.999, 0.9995, 1.0),
)


def time_metric(study: Study) -> str:
    """Return the time metric of a study: the one that its questions are answered by or based on."""
    if study.metric in OF_ITEMS:
        return study.metric
    return TYPICAL if study.metric in {TYPICAL, CAPACITY} else MEAN


def other_metric(study: Study) -> str | None:
    """Return the other time metric, if the questions are answered by a time."""
    return {TYPICAL: MEAN, MEAN: TYPICAL}.get(study.metric)


def summarise(
    study: Study,
    cell: Cell,
    values: RunValues,
    *,
    planned: int,
    label: str,
    protocol: str,
    sustained: Sustained | None = None,
) -> CellSummary:
    """Summarise one cell from its valid runs, of which there must be at least one."""
    runs = values.runs[cell]
    transactions = runs["transactions"]
    typical, mean = (measured(values.values(m, cell).values()) for m in (TYPICAL, MEAN))
    headline = time_metric(study)
    if not values.values(headline, cell):  # an answer that is no stream
        headline = TYPICAL
    return CellSummary(
        cell=cell,
        label=label,
        protocol=protocol,
        runs=len(runs),
        planned=planned,
        requests=int(transactions.min()),
        latency_us=measured(values.values(headline, cell).values()),
        typical_us=typical,
        mean_us=mean,
        sd_us=float(runs["latency_sd_us"].mean()),
        min_us=float(runs["latency_min_us"].min()),
        max_us=float(runs["latency_max_us"].max()),
        run_times_us=values.values(headline, cell),
        percentiles=tuple(
            Percentile(
                name,
                quantile,
                float(geometric_mean(runs[f"latency_{name}_us"]).value),
                reporting(quantile, int(transactions.min())),
            )
            for name, quantile in PERCENTILES.items()
        ),
        throughput_per_s=measured(values.values(THROUGHPUT, cell).values()).value,
        cpu_us=_by_role(runs, "cpu_us_per_transaction"),
        memory_peak_bytes={
            role: usage.value for role, usage in _by_role(runs, "memory_peak_bytes").items()
        },
        spectrum=_spectrum(runs["histogram"]),
        services=tuple(_services(runs)),
        items=_items(runs, cell, values),
        sustained=sustained,
    )


def _items(runs: pd.DataFrame, cell: Cell, values: RunValues) -> ItemsSummary | None:
    """Summarise the items of streams; None if the answers are none."""
    if "stalls" not in runs or runs["stalls"].isna().all():
        return None
    per_transaction = float(runs["items_per_transaction"].mean())
    first, median, p99 = (measured(values.values(each, cell).values()).value for each in OF_ITEMS)
    return ItemsSummary(
        first_median_us=first,
        gap_median_us=median,
        gap_p99_us=p99,
        stalls=int(runs["stalls"].sum()),
        per_s=measured(values.values(THROUGHPUT, cell).values()).value * per_transaction,
        per_transaction=per_transaction,
    )


def measured(values: Iterable[float]) -> Measured:
    """Average one value per block, with a 95 % interval of the same estimand.

    Uses the geometric mean for positive values, and the arithmetic mean for others, such as
    differences.
    """
    array = np.asarray(list(values), dtype=float)
    if not (array > 0).all():
        estimate = mean_estimate(array)
        return Measured(estimate.value, estimate.interval())
    amount = geometric_mean(array)
    return Measured(amount.value, amount.interval)


def title_of(metric: str) -> str:
    """Return the name of a metric in table headers, such as "typical time"."""
    return METRICS[metric].title.replace("response time", "time")


def _by_role(runs: pd.DataFrame, column: str) -> Mapping[str, Measured]:
    return {
        role: measured(runs[f"{role}_{column}"].dropna())
        for role in ROLES
        if f"{role}_{column}" in runs and runs[f"{role}_{column}"].notna().any()
    }


def _services(runs: pd.DataFrame) -> Iterator[ServiceCost]:
    """Summarise the roles that are services of the contender."""
    for column in runs:
        service = _SERVICE_CPU.fullmatch(str(column))
        if service is None or runs[column].isna().all():
            continue
        peaks = runs[f"contender-{service[1]}_memory_peak_bytes"].dropna()
        yield ServiceCost(
            service[1],
            measured(runs[column].dropna()),
            None if peaks.empty else measured(peaks).value,
        )


def _spectrum(encoded: Iterable[str]) -> tuple[tuple[float, float], ...]:
    return tuple(
        (float(share), value)
        for share, value in zip(
            _SPECTRUM_SHARES, latencies_at(_SPECTRUM_SHARES, encoded), strict=False
        )
    )


def latencies_at(shares: Sequence[float], encoded: Iterable[str]) -> tuple[float, ...]:
    """Merge the runs' histograms and return the latency (µs) at each share of the requests.

    Returns an empty tuple if there were no requests.
    """
    merged = add_up(encoded)
    return () if merged is None else tuple(ns / 1e3 for ns in quantiles_ns(merged, shares))


ORDER: tuple[Factor, ...] = (
    *("workload", "store", "environment", "load", "proxy", "network", "contender"),
)
"""The factors by which cells are sorted."""


def in_study_order(cells: Iterable[Cell], study: Study) -> list[Cell]:
    """Sort cells as the study file lists their levels, since runs are in random order."""
    positions = {
        factor: {level: position for position, level in enumerate(levels)}
        for factor, levels in study.levels.items()
    }
    return sorted(
        cells,
        key=lambda cell: (*(positions[f][cell.level(f)] for f in ORDER), cell.twin),
    )
