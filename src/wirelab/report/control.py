"""What the page's script chooses from: metrics, values, and the comparisons of each band."""

import itertools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from wirelab.analysis import Analysis, ComparedPair
from wirelab.analysis.answers.deciding_command import deciding_command
from wirelab.analysis.cells import other_metric
from wirelab.analysis.comparing import CPU
from wirelab.analysis.matrix import Matrix, MatrixRow
from wirelab.analysis.model import CellSummary, ContenderRow
from wirelab.analysis.wording import say
from wirelab.report.theme import VERDICT_STYLE
from wirelab.statistics import Comparison, Interval, Reporting
from wirelab.study import CAPACITY, METRICS, Metric, Study
from wirelab.terminal import words

OFFERED: Mapping[str, str] = {
    "latency_typical_us": "typical time",
    "latency_mean_us": "mean time",
    "latency_p99_us": "p99 of the time",
    CAPACITY: "capacity",
    "throughput_per_s": "throughput",
    "first_item_median_us": "first item",
    "gap_median_us": "gap between items",
    "gap_p99_us": "p99 of the gaps",
    "contender_cpu_us_per_transaction": "server CPU",
    "wire_marginal_bytes": "bytes on the wire",
    "message_bytes": "message size",
}
"""The metrics in the order of the control."""

_Read = Callable[[ContenderRow], float | None]
_Show = Callable[[float], str]


@dataclass(frozen=True, slots=True)
class Control:
    """The metrics with values in some cell, the one that verdicts judge, and the page's data."""

    metrics: Mapping[str, str]
    judged: str
    scope: str
    """The metric that verdicts judge, in a sentence."""
    data: Mapping[str, object]
    """What the script chooses from: see `_settings`."""


def control_of(matrix: Matrix, analysis: Analysis) -> Control:
    """Prepare all texts, from which the page chooses."""
    study = analysis.study
    rows = {row.setting.key: row for row in (*matrix.judged, *matrix.others)}
    settings = {key: _setting(row, matrix, analysis) for key, row in rows.items()}
    known = {
        metric
        for setting in settings.values()
        for values in setting["values"].values()
        for metric, (_, number) in values.items()
        if number is not None
    }
    titles = {**OFFERED, study.metric: _title(study)}
    return Control(
        {metric: title for metric, title in titles.items() if metric in known},
        study.metric,
        scope_of(study),
        {
            "judged": study.metric,
            "margin": analysis.noise.margin_ratio,
            "bands": [band.baseline.contender for band in matrix.bands],
            "labels": {each.contender: each.label for each in matrix.contenders},
            "settings": settings,
        },
    )


def scope_of(study: Study) -> str:
    """Return a sentence with the metric that verdicts judge."""
    return f"Verdicts judge the {_title(study)} only."


def _title(study: Study) -> str:
    return OFFERED.get(study.metric, study.primary.title)


def _setting(row: MatrixRow, matrix: Matrix, analysis: Analysis) -> dict[str, Any]:
    """Return the title, the values by contender and metric, and the comparisons of each band.

    A value is its text with its number; None if it is not known, with the reason as text. A
    comparison, by both contenders, has the texts and the style of `Said`, and by other metrics than
    the judged one, ratio and interval.
    """
    setting, study = row.setting, analysis.study
    shown = {study.metric: _LATENCY, **_VALUES}
    pairs = {}
    for band in matrix.bands:
        names = [column.contender for column in band.columns]
        for a, b in itertools.permutations(names, 2):
            if (pair := setting.comparison(a, b)) is not None:
                pairs[f"{a} {b}"] = _pair(pair, analysis)
    return {
        "title": setting.title,
        "values": {
            line.summary.cell.contender: {
                metric: _value(line, value_of, show) for metric, (value_of, show) in shown.items()
            }
            for line in setting.rows
        },
        "pairs": pairs,
    }


def _value(row: ContenderRow, value_of: _Read, show: _Show) -> tuple[str, float | None]:
    value = value_of(row)
    if value is not None:
        return show(value), float(f"{value:.5g}")
    if value_of is _p99:
        return f"{words.plural(row.summary.requests, 'request')}: too few for p99", None
    return "not measured", None


def _pair(pair: ComparedPair, analysis: Analysis) -> dict[str, Any]:
    """Return what is said of a comparison, and what it rests on."""
    said, comparison, verdict = say(pair.comparison, pair.verdict), pair.comparison, pair.verdict
    ends = (comparison.ratio, *(comparison.interval95 or ()))
    also = {other_metric(analysis.study): pair.other, CPU: pair.cpu}
    return {
        "said": (said.ratio, said.interval, said.sign, said.words),
        "style": "open" if said.outcome is None else VERDICT_STYLE[said.outcome],
        "why": verdict.reason if verdict else "no question of the study makes this comparison",
        "command": deciding_command(analysis, pair),
        "ends": [float(f"{end:.5g}") for end in ends if math.isfinite(end)],
        "blocks": [float(f"{math.exp(each):.4g}") for each in comparison.log_ratios],
        "also": {
            metric: (words.times(ratio, interval), words.between(interval))
            for metric, found in also.items()
            if metric and found and found.blocks
            for ratio, interval in (_of_values(found, METRICS[metric]),)
        },
    }


def _of_values(comparison: Comparison, metric: Metric) -> tuple[float, Interval | None]:
    """Return the ratio of the values shown beside it, and its interval."""
    ratio, interval = comparison.ratio, comparison.interval95
    if not metric.is_reported_inverted:
        return ratio, interval
    return 1 / ratio, interval and Interval(1 / interval.high, 1 / interval.low)


def _p99(row: ContenderRow) -> float | None:
    for each in row.summary.percentiles:
        if each.name == "p99" and each.reporting is not Reporting.OMITTED:
            return each.value_us
    return None


def _capacity(summary: CellSummary) -> float | None:
    return None if summary.sustained is None else summary.sustained.rate_per_s.value


def _of_items(name: str) -> _Read:
    return lambda row: None if row.summary.items is None else getattr(row.summary.items, name)


def _cpu(summary: CellSummary) -> float | None:
    used = summary.cpu_us.get("contender")
    return None if used is None else used.value


_LATENCY: tuple[_Read, _Show] = (lambda row: row.summary.latency_us.value, words.duration)
"""The title of the matrix's figures if the study's metric is none of these."""
_VALUES: Mapping[str, tuple[_Read, _Show]] = {
    "latency_typical_us": (lambda row: row.summary.typical_us.value, words.duration),
    "latency_mean_us": (lambda row: row.summary.mean_us.value, words.duration),
    "latency_p99_us": (_p99, words.duration),
    CAPACITY: (
        lambda row: _capacity(row.summary),
        lambda value: f"{words.significant(value)}/s",
    ),
    "throughput_per_s": (
        lambda row: row.summary.throughput_per_s,
        lambda value: f"{words.significant(value)}/s",
    ),
    "first_item_median_us": (_of_items("first_median_us"), words.duration),
    "gap_median_us": (_of_items("gap_median_us"), words.duration),
    "gap_p99_us": (_of_items("gap_p99_us"), words.duration),
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
