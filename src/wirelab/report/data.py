"""The findings for other programs: a flat CSV, and everything as JSON."""

import csv
import io
import math
from dataclasses import dataclass, field, fields
from typing import Any

from pydantic_core import to_json as to_json_bytes

from wirelab.analysis import Analysis, lint
from wirelab.analysis.answers.headline import headline, opening
from wirelab.analysis.model import ComparedPair, ContenderRow, Measured, Setting
from wirelab.statistics import Reporting
from wirelab.study import Cell

COLUMNS = (
    *("workload", "store", "environment", "load", "proxy", "network"),
    *("contender", "label", "protocol"),
    "tie_group",
    *("runs", "requests_per_run"),
    *("latency_typical_us", "latency_typical_low_us", "latency_typical_high_us"),
    *("latency_mean_us", "latency_mean_low_us", "latency_mean_high_us"),
    *("latency_sd_us", "latency_min_us", "latency_max_us"),
    *("latency_p50_us", "latency_p90_us", "latency_p95_us", "latency_p99_us", "latency_p999_us"),
    *("capacity_per_s", "capacity_low_per_s", "capacity_high_per_s"),
    *("first_item_median_us", "gap_median_us", "gap_p99_us", "stalls", "items_per_s"),
    *("throughput_per_s", "baseline", "ratio", "ratio_low", "ratio_high", "p_holm", "verdict"),
    *("contender_cpu_us_per_transaction", "proxy_cpu_us_per_transaction"),
    *("forwarder_cpu_us_per_transaction", "store_cpu_us_per_transaction"),
    *("link_cpu_us_per_transaction",),
    *("engine_cpu_us_per_transaction", "contender_memory_peak_bytes", "wire_setup_bytes"),
    *("wire_marginal_bytes", "wire_single_bytes", "message_bytes", "message_gzip_bytes"),
    *("store_statements",),
)


def to_csv(analysis: Analysis) -> str:
    """Return one line for each contender in each setting; unknown values are empty."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for setting in analysis.settings:
        for row in setting.rows:
            values = _values(setting, row, analysis)
            writer.writerow({name: _harmless(values.get(name)) for name in COLUMNS})
    return text.getvalue()


def to_json(analysis: Analysis) -> str:
    """Return every finding; unknown numbers are null.

    `comparisons` contains each comparison once; settings, their rows and answers refer to it by
    its index there. The course of runs is in the bundle's slices and results only.
    """
    comparisons = _Comparisons()
    findings = {
        **{name: value for name, value in _whole(analysis).items() if name != "over_windows"},
        "cautions": [caution.record() for caution in analysis.cautions],
        "extension": {each.name: each.content for each in analysis.extension.sections},
        "study": analysis.study.model_dump(exclude={"folder", "claims", "published"}),
        "settings": [
            {
                **{name: value for name, value in _shallow(setting).items() if name != "compared"},
                "rows": [
                    {
                        **_shallow(row),
                        "against_baseline": comparisons.index(row.against_baseline),
                        "judged": comparisons.index(row.judged),
                    }
                    for row in setting.rows
                ],
                "pairs": [comparisons.index(pair) for pair in setting.pairs],
            }
            for setting in analysis.settings
        ],
        "answers": [
            {**_shallow(answer), "pairs": [comparisons.index(pair) for pair in answer.pairs]}
            for answer in analysis.answers
        ],
    }
    value = {
        "format": "wirelab-report/3",
        "headline": headline(analysis),
        "reasons": opening(analysis).reasons,
        **findings,
        "comparisons": comparisons.found,
        "lint": lint(analysis),
    }
    return to_json_bytes(value, inf_nan_mode="null").decode()


def _whole(analysis: Analysis) -> dict[str, Any]:
    """Return the analysis with the members of its groups beside the others."""
    whole = _shallow(analysis)
    for group in ("figures", "paper", "procedure"):
        whole |= _shallow(whole.pop(group))
    return whole | {"procedure": whole.pop("sentences")}


def _shallow(value: Any) -> dict[str, Any]:
    return {field.name: getattr(value, field.name) for field in fields(value)}


@dataclass(frozen=True, slots=True)
class _Comparisons:
    """All comparisons in the order of their first use, each pair of cells once."""

    found: list[ComparedPair] = field(default_factory=list)
    indices: dict[tuple[Cell, Cell], int] = field(default_factory=dict)

    def index(self, judged: ComparedPair | None) -> int | None:
        """Return the index of a comparison; None for none."""
        if judged is None:
            return None
        cells = (judged.a, judged.b)
        if cells not in self.indices:
            self.indices[cells] = len(self.found)
            self.found.append(judged)
        return self.indices[cells]


def _values(setting: Setting, row: ContenderRow, analysis: Analysis) -> dict[str, Any]:
    summary, judged, wire = row.summary, row.judged, row.wire
    values: dict[str, Any] = {
        "workload": setting.workload,
        "store": setting.store,
        "environment": setting.environment,
        "load": summary.cell.load,
        "proxy": setting.proxy,
        "network": setting.network,
        "contender": summary.cell.contender,
        "label": summary.label,
        "protocol": summary.protocol,
        "tie_group": row.group,
        "runs": summary.runs,
        "requests_per_run": summary.requests,
        **_quantity("latency_typical", "us", summary.typical_us),
        **_quantity("latency_mean", "us", summary.mean_us),
        "latency_sd_us": summary.sd_us,
        "latency_min_us": summary.min_us,
        "latency_max_us": summary.max_us,
        "throughput_per_s": summary.throughput_per_s,
        "baseline": analysis.study.baseline if judged is None else judged.b.contender,
        "contender_memory_peak_bytes": summary.memory_peak_bytes.get("contender"),
    }
    if summary.sustained is not None:
        values |= _quantity("capacity", "per_s", summary.sustained.rate_per_s)
    if summary.items is not None:
        values |= {
            "first_item_median_us": summary.items.first_median_us,
            "gap_median_us": summary.items.gap_median_us,
            "gap_p99_us": summary.items.gap_p99_us,
            "stalls": summary.items.stalls,
            "items_per_s": summary.items.per_s,
        }
    for each in summary.percentiles:
        if each.reporting is not Reporting.OMITTED:
            values[f"latency_{each.name}_us"] = each.value_us
    for role, cpu in summary.cpu_us.items():
        values[f"{role}_cpu_us_per_transaction"] = cpu.value
    if judged is not None:
        interval = judged.comparison.interval95
        values |= {"ratio": judged.comparison.ratio, "p_holm": judged.p_holm}
        values["verdict"] = judged.verdict.words if judged.verdict else None
        if interval:
            values |= {"ratio_low": interval.low, "ratio_high": interval.high}
    if wire is not None:
        values["wire_setup_bytes"] = wire.fit.setup
        values["wire_marginal_bytes"] = wire.fit.marginal
        values["wire_single_bytes"] = wire.single_bytes
        values["message_bytes"] = wire.message_bytes
        values["message_gzip_bytes"] = wire.gzip_bytes
        values["store_statements"] = wire.statements
    return values


def _quantity(name: str, unit: str, found: Measured) -> dict[str, float]:
    """Name a quantity and the ends of its interval."""
    low, high = found.interval or (math.nan, math.nan)
    return {f"{name}_{unit}": found.value, f"{name}_low_{unit}": low, f"{name}_high_{unit}": high}


def _harmless(value: Any) -> Any:
    """Escape untrusted text that a spreadsheet would treat as a formula; drop NaN and infinity."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, str) and value.lstrip().startswith(("=", "+", "-", "@")):
        return f"'{value}"
    return value
