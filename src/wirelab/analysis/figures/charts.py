"""The figures of a paper with the values measured here: points with their spread and intervals."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
import pandas as pd

from wirelab.analysis.cells import latencies_at, measured
from wirelab.analysis.figures.chart_points import ChartPoint, PaperChart
from wirelab.analysis.figures.time_series import Courses
from wirelab.analysis.values import RunValues
from wirelab.bundle import Contents
from wirelab.study import METRICS, Cell, Chart, ClosedLoad, Study

QUERIES_SHOWN = 5
"""Number of queries drawn individually, as in the paper."""

QUERY = ["operation", "parameter_set"]
"""The columns that identify a query of a run."""

SHARES = (0.05, 0.25, 0.5, 0.75, 0.95)
"""The quantiles of a box of response times; its whiskers exclude the slowest and the fastest."""

OVER_CLIENTS = {"lines", "heat"}
"""The kinds of chart whose horizontal axis is the number of clients."""
ALONG = OVER_CLIENTS | {"courses"}
"""The kinds of chart whose horizontal axis is any number."""

QUARTILES = (0.0, 0.25, 0.5, 0.75, 1.0)


def paper_charts(
    courses: Courses, study: Study, cells: Sequence[Cell], labels: Mapping[str, str]
) -> tuple[PaperChart, ...]:
    """Create every chart of the study for which there are measurements."""
    reader = _Reader(courses.bundle, study, courses.values, labels, courses)
    charts = []
    for chart in study.charts:
        chosen = [cell for cell in cells if not cell.twin and cell.matches(chart.where)]
        points = tuple(reader.points(chart, chosen))
        several = len({point.x for point in points}) > 1
        if points and (several or chart.kind not in ALONG):  # a line needs more than one position
            shown = _published_as(chart, study, chosen) if _any_published(points) else ""
            along = reader.along(chart, chosen)
            charts.append(PaperChart(chart, *_words(chart), points, along, shown))
    return tuple(charts)


def _words(chart: Chart) -> tuple[str, str, str]:
    """Return the quantity that a chart shows, its unit, and what is counted."""
    title, unit, counted = _measured(chart)
    return f"{chart.quantity}, {title}" if chart.quantity else title, unit, counted


def _measured(chart: Chart) -> tuple[str, str, str]:
    if chart.kind in {"bars", "lines", "courses", "heat"}:
        metric = METRICS[chart.metric]
        return metric.title, metric.unit, "runs"
    if chart.kind == "boxes":
        return "mean times of the queries", "µs", "queries"
    if chart.kind == "latencies":
        return "response time", "µs", "requests"
    if chart.kind == "sizes":
        return "leaf nodes of the answer", "", "queries"
    if chart.metric == "first_byte_mean_us":
        return "mean time until the first byte", "µs", "repetitions"
    return "mean time until the end of the answer", "µs", "repetitions"


def _any_published(points: Iterable[ChartPoint]) -> bool:
    return any(point.published is not None for point in points)


def _published_as(chart: Chart, study: Study, cells: Sequence[Cell]) -> str:
    """Describe a chart's published values."""
    if chart.kind == "boxes":
        return "median"
    printed = any(study.published.figure(chart.metric, cell) for cell in cells)
    return "as printed" if printed else "computed from the median time of one client"


def _published(study: Study, metric: str, cell: Cell) -> float | None:
    """Return the published value for a cell.

    If the paper prints times but no rate, the rate of one client follows from its median time.
    """
    figure = study.published.figure(metric, cell)
    if figure is not None:
        return figure.values[metric]
    load = study.loads[cell.load]
    times = study.published.figure("latency_p50_us", cell)
    waits = isinstance(load, ClosedLoad) and load.clients == 1 and not load.think_time_us
    if metric != "throughput_per_s" or times is None or not waits:
        return None
    median_us = times.values["latency_p50_us"]
    return 1e6 / median_us if median_us > 0 else None


@dataclass(frozen=True, slots=True)
class _Reader:
    bundle: Contents
    study: Study
    values: RunValues
    labels: Mapping[str, str]
    courses: Courses

    def along(self, chart: Chart, cells: Sequence[Cell]) -> str:
        """Return the quantity on the horizontal axis of a chart."""
        match chart.kind:
            case "lines" | "heat":
                return "clients"
            case "sizes":
                return "queries, from the smallest answer"
            case "courses":
                turns = any(self.courses.in_turns(cell) for cell in cells)
                return "turns" if turns else "seconds"
        return ""

    def points(self, chart: Chart, cells: Sequence[Cell]) -> Iterator[ChartPoint]:
        if chart.kind == "sizes":
            for workload in dict.fromkeys(cell.workload for cell in cells):
                yield from self._sizes(workload)
            return
        for cell in cells:
            yield from self._of_cell(chart, cell, cells)

    def _of_cell(self, chart: Chart, cell: Cell, cells: Sequence[Cell]) -> Iterator[ChartPoint]:
        match chart.kind:
            case "boxes":
                return self._box(cell)
            case "queries":
                return self._queries(chart, cell, cells)
            case "courses":
                return self._course(chart, cell, self._panel(cell, cells))
            case "latencies":
                return self._latencies(cell, self._panel(cell, cells))
            case "heat":
                panel = self._panel(cell, cells, but="load")
                return (replace(each, panel=panel) for each in self._of_runs(chart, cell))
        return self._of_runs(chart, cell)

    def _of_runs(self, chart: Chart, cell: Cell) -> Iterator[ChartPoint]:
        found = list(self.values.values(chart.metric, cell).values())
        if not found:
            return
        mean = measured(found)
        load = self.study.loads[cell.load]
        workload = self.study.workloads[cell.workload].title
        lines = chart.kind in OVER_CLIENTS
        clients = load.clients if isinstance(load, ClosedLoad) else None
        yield ChartPoint(
            series=self.labels[cell.contender],
            at=f"{clients}" if lines else workload.partition(":")[0],
            value=mean.value,
            x=float(clients) if lines and clients is not None else None,
            sd=_sd(found),
            interval=mean.interval,
            count=len(found),
            # Lines over clients use other data than the rates of single clients.
            published=None if lines else _published(self.study, chart.metric, cell),
        )

    def _course(self, chart: Chart, cell: Cell, panel: str) -> Iterator[ChartPoint]:
        unit = "turn" if self.courses.in_turns(cell) else "second"
        for time, found in self.courses.of(chart.metric, cell).items():
            yield ChartPoint(
                series=self.labels[cell.contender],
                at=f"{unit} {time:g}",
                value=float(np.mean(found)),
                x=time,
                sd=_sd(found),
                count=len(found),
                panel=panel,
            )

    def _latencies(self, cell: Cell, panel: str) -> Iterator[ChartPoint]:
        if cell not in self.values.runs:
            return
        runs = self.values.runs[cell]
        box = latencies_at(SHARES, runs["histogram"])
        if box:
            yield ChartPoint(
                series=self.labels[cell.contender],
                at=panel or self.study.workloads[cell.workload].title,
                value=measured(self.values.values("latency_mean_us", cell).values()).value,
                sd=float(runs["latency_sd_us"].mean()),
                count=int(runs["transactions"].sum()),
                box=box,
                panel=panel,
            )

    def _panel(self, cell: Cell, cells: Sequence[Cell], but: str = "") -> str:
        """Name the panel that a cell belongs to by what distinguishes it within the chart."""
        titles = {"workload": self.study.workloads, "load": self.study.loads}
        parts = []
        for factor in ("workload", "load", "store", "environment", "proxy", "network"):
            level = getattr(cell, factor)
            if factor != but and len({getattr(each, factor) for each in cells}) > 1:
                parts.append(titles[factor][level].title if factor in titles else level)
        return " · ".join(parts)

    def _box(self, cell: Cell) -> Iterator[ChartPoint]:
        times = self._times(cell, "end_ns")
        if times.empty:
            return
        means = times.groupby(QUERY, observed=True)["time_us"].mean()
        in_runs = times.groupby(["run", *QUERY], observed=True)["time_us"].mean()
        mean = measured(in_runs.groupby("run").mean())
        yield ChartPoint(
            series=self.labels[cell.contender],
            at=self.study.workloads[cell.workload].title.partition(":")[0],
            value=mean.value,
            sd=_sd(means),
            interval=mean.interval,
            count=len(means),
            box=tuple(float(value) for value in means.quantile(list(QUARTILES))),
            published=_published(self.study, "latency_p50_us", cell),
        )

    def _queries(self, chart: Chart, cell: Cell, cells: Sequence[Cell]) -> Iterator[ChartPoint]:
        end = "first_byte_ns" if chart.metric == "first_byte_mean_us" else "end_ns"
        times = self._times(cell, end)
        several = len({each.workload for each in cells}) > 1
        workload = self.study.workloads[cell.workload].title.partition(":")[0]
        series = " · ".join((self.labels[cell.contender], *([workload] if several else [])))
        mixed = bool(self.study.workloads[cell.workload].mix)
        queries = list(times.groupby(QUERY, observed=True)) if not times.empty else []
        for query, group in queries[:QUERIES_SHOWN]:
            operation, number = cast("tuple[str, int]", query)
            mean = measured(group.groupby("run")["time_us"].mean())
            yield ChartPoint(
                series=series,
                at=f"{operation if mixed else 'query'} {number + 1}",
                value=mean.value,
                sd=_sd(group["time_us"]),
                interval=mean.interval,
                count=len(group),
            )

    def _sizes(self, workload: str) -> Iterator[ChartPoint]:
        sizes = sorted(each.leaves for each in self.bundle.answers if each.workload == workload)
        title = self.study.workloads[workload].title
        for place, size in enumerate(sizes, start=1):
            yield ChartPoint(title, f"{place}", float(size), x=float(place))

    def _times(self, cell: Cell, end: str) -> pd.DataFrame:
        """Return the times of a cell's transactions from their start, in µs, with run and query."""
        tables = []
        for run in self.values.runs[cell]["run_id"] if cell in self.values.runs else ():
            samples = self.bundle.samples(run)
            samples = samples[samples["error"] == ""]
            tables.append(
                samples[["operation", "parameter_set"]].assign(
                    run=run, time_us=(samples[end] - samples["start_ns"]) / 1000
                )
            )
        return pd.concat(tables) if tables else pd.DataFrame()


def _sd(values: Iterable[float]) -> float | None:
    array = np.asarray(list(values), dtype=float)
    return float(array.std(ddof=1)) if array.size > 1 else None
