"""The choices of the page's control: metrics, and the text of each cell of the matrix for each."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from wirelab.analysis.cells import other_metric
from wirelab.analysis.comparing import CPU
from wirelab.analysis.matrix import Matrix, MatrixCell, MatrixRow
from wirelab.analysis.model import CellSummary, ContenderRow
from wirelab.statistics import Comparison, Interval, Reporting
from wirelab.study import CAPACITY, METRICS, Metric, Study
from wirelab.terminal import words

OFFERED: Mapping[str, str] = {
    "latency_typical_us": "typical time",
    "latency_mean_us": "mean time",
    "latency_p99_us": "p99 of the time",
    CAPACITY: "capacity",
    "throughput_per_s": "throughput",
    "contender_cpu_us_per_transaction": "server CPU",
    "wire_marginal_bytes": "bytes on the wire",
    "message_bytes": "message size",
}
"""The metrics in the order of the control."""

Texts = tuple[str, str, str]
"""The value, its ratio to the compared contender, and the 95 % interval of the ratio."""


@dataclass(frozen=True, slots=True)
class Control:
    """The metrics with values in some cell, the one that verdicts judge, and texts by cell."""

    metrics: Mapping[str, str]
    judged: str
    scope: str
    """The metric that verdicts judge, in a sentence."""
    texts: Mapping[int, Mapping[str, Texts]]

    def of(self, cell: MatrixCell) -> Mapping[str, Texts]:
        """Return the texts of a cell, by metric."""
        return self.texts.get(id(cell), {})


def control_of(matrix: Matrix, study: Study) -> Control:
    """Prepare all texts, from which the page chooses."""
    texts = {
        id(cell): _texts(row, cell, study)
        for row in (*matrix.judged, *matrix.others)
        for cell in row.cells
        if cell.summary is not None
    }
    known = {metric for each in texts.values() for metric in each}
    titles = {**OFFERED, study.metric: _title(study)}
    return Control(
        {metric: title for metric, title in titles.items() if metric in known},
        study.metric,
        scope_of(study),
        texts,
    )


def scope_of(study: Study) -> str:
    """Return a sentence with the metric that verdicts judge."""
    return f"Verdicts judge the {_title(study)} only."


def _title(study: Study) -> str:
    return OFFERED.get(study.metric, study.primary.title)


def _texts(row: MatrixRow, cell: MatrixCell, study: Study) -> dict[str, Texts]:
    lines = {line.summary.cell.contender: line for line in row.setting.rows}
    own = lines[cell.column.contender]
    against = cell.judged.b.contender if cell.judged else study.baseline
    other_line = lines.get(against)
    compared = _compared(cell, study)
    texts = {}
    for metric, (value_of, show) in {study.metric: _LATENCY, **_VALUES}.items():
        value = value_of(own)
        if value is None:
            continue
        comparison = compared.get(metric)
        other = None if other_line is None else value_of(other_line)
        ratio, interval = value / other if other else math.nan, None
        if comparison is not None:
            ratio, interval = _of_values(comparison, METRICS[metric])
        texts[metric] = (show(value), words.times(ratio, interval), words.between(interval))
    return texts


def _of_values(comparison: Comparison, metric: Metric) -> tuple[float, Interval | None]:
    """Return the ratio of the values shown beside it, and its interval."""
    ratio, interval = comparison.ratio, comparison.interval95
    if not metric.is_reported_inverted:
        return ratio, interval
    return 1 / ratio, interval and Interval(1 / interval.high, 1 / interval.low)


def _compared(cell: MatrixCell, study: Study) -> dict[str | None, Comparison | None]:
    """Return the cell's comparisons over blocks, by metric."""
    if cell.judged is None:
        return {}
    return {
        study.metric: cell.judged.comparison,
        other_metric(study): cell.judged.other,
        CPU: cell.judged.cpu,
    }


def _p99(summary: CellSummary) -> float | None:
    for each in summary.percentiles:
        if each.name == "p99" and each.reporting is not Reporting.OMITTED:
            return each.value_us
    return None


def _capacity(summary: CellSummary) -> float | None:
    return None if summary.sustained is None else summary.sustained.rate_per_s.value


def _cpu(summary: CellSummary) -> float | None:
    used = summary.cpu_us.get("contender")
    return None if used is None else used.value


_Value = tuple[Callable[[ContenderRow], float | None], Callable[[float], str]]
_LATENCY: _Value = (lambda row: row.summary.latency_us.value, words.duration)
"""The title of the matrix's figures if the study's metric is none of these."""
_VALUES: Mapping[str, _Value] = {
    "latency_typical_us": (lambda row: row.summary.typical_us.value, words.duration),
    "latency_mean_us": (lambda row: row.summary.mean_us.value, words.duration),
    "latency_p99_us": (lambda row: _p99(row.summary), words.duration),
    CAPACITY: (
        lambda row: _capacity(row.summary),
        lambda value: f"{words.significant(value)}/s",
    ),
    "throughput_per_s": (
        lambda row: row.summary.throughput_per_s,
        lambda value: f"{words.significant(value)}/s",
    ),
    "contender_cpu_us_per_transaction": (lambda row: _cpu(row.summary), words.duration),
    "wire_marginal_bytes": (
        lambda row: row.wire.fit.marginal if row.wire else None,
        words.byte_count,
    ),
    "message_bytes": (
        lambda row: row.wire.message_bytes if row.wire else None,
        words.byte_count,
    ),
}
