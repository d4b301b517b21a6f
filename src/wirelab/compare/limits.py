"""`--fail-if`: a limit that a measured figure must not exceed."""

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from wirelab.inputs.times import read_us
from wirelab.terminal import words

if TYPE_CHECKING:
    from wirelab.analysis import Analysis
    from wirelab.analysis.model import CellSummary

_FORM = re.compile(
    r"(?:(?P<contender>[A-Za-z0-9][A-Za-z0-9._-]*)\.)?(?P<metric>[a-z0-9_]+)\s*(?P<sign>[<>]=?)\s*"
    r"(?P<value>\d+(?:\.\d+)?)\s*(?P<unit>[A-Za-zµ%/]+)?"
)
TIMES = ("typical", "mean", "max", "p50", "p90", "p95", "p99", "p999")


@dataclass(frozen=True, slots=True)
class Limit:
    """A condition under which the comparison fails. Times in µs."""

    written: str
    contender: str
    metric: str
    sign: str
    value: float

    @classmethod
    def parse(cls, written: str) -> "Limit":
        """Read METRIC>VALUE, optionally with a contender; `ValueError` says what is expected."""
        # The dot also separates a contender from a metric.
        match = _FORM.fullmatch(written.strip().replace("p99.9", "p999"))
        known = (*TIMES, "rate", "ratio")
        if not match or match["metric"] not in known:
            raise ValueError(
                f"METRIC>VALUE or METRIC<VALUE, such as p99>20ms; metrics: {', '.join(known)}"
            )
        value, unit = float(match["value"]), match["unit"]
        if match["metric"] in TIMES:
            value = read_us(f"{match['value']}{unit or ''}", needs_unit=True)
        elif match["metric"] == "rate":
            if unit not in (None, "/s"):
                raise ValueError("a rate without a unit, or with /s")
        elif unit not in (None, "%"):
            raise ValueError("a ratio without a unit, or with %")
        elif unit == "%":
            value /= 100
        return cls(written, match["contender"] or "", match["metric"], match["sign"], value)

    def breaches(self, analysis: "Analysis") -> list["Breach"]:
        """Return where the limit is exceeded, or cannot be judged."""
        breaches, judged_any = [], False
        for setting in analysis.settings:
            for row in setting.rows:
                name = row.summary.cell.contender
                if self.contender and name != self.contender:
                    continue
                if self.metric == "ratio":
                    judged = row.against_baseline
                    value = judged.comparison.ratio if judged else None
                    if value is None:
                        continue
                else:
                    value = self._value(row.summary)
                judged_any = True
                where = f"{name}, {setting.title}"
                if value is None or math.isnan(value):
                    text = f"{where}: too few requests to judge {self.written}"
                    breaches.append(Breach("unknown", text))
                elif self._is_beyond(value):
                    text = f"{where}: {self.metric} is {self._shown(value)} (limit: {self.written})"
                    breaches.append(Breach("beyond", text))
        if not judged_any:
            breaches.append(Breach("unknown", f"{self.written}: the comparison has no such figure"))
        return breaches

    def _value(self, summary: "CellSummary") -> float | None:
        from wirelab.statistics import Reporting  # noqa: PLC0415  (checks of options need none)

        plain = {
            "typical": summary.typical_us.value,
            "mean": summary.mean_us.value,
            "max": summary.max_us,
            "rate": summary.throughput_per_s,
        }
        if self.metric in plain:
            return plain[self.metric]
        percentile = next(each for each in summary.percentiles if each.name == self.metric)
        return None if percentile.reporting is Reporting.OMITTED else percentile.value_us

    def _is_beyond(self, value: float) -> bool:
        compared = {
            ">": value > self.value,
            ">=": value >= self.value,
            "<": value < self.value,
            "<=": value <= self.value,
        }
        return compared[self.sign]

    def _shown(self, value: float) -> str:
        if self.metric in TIMES:
            return words.duration(value)
        return words.times(value) if self.metric == "ratio" else f"{words.significant(value)}/s"


@dataclass(frozen=True, slots=True)
class Breach:
    """A figure beyond its limit, or an unknown one."""

    kind: Literal["beyond", "unknown"]
    text: str
