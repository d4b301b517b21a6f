"""The signature picture: every contender's time relative to the baseline, with what is too small.

Each row is a ratio with its 95 % interval on a logarithmic axis, so that twice and half lie
equally far from equality. The shaded zone holds differences that do not matter: an interval inside
it is practically the same, one that lies beyond it is clearly different.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from wirelab.analysis import Judged, Setting, words
from wirelab.report.charts.scales import Picture, chart_of, colours, padded, ticks
from wirelab.report.theme import verdict_colour
from wirelab.statistics import Outcome

ROW_HEIGHT = 27

WIDEST = 2.5
"""An interval that reaches this many times beyond the outermost ratio is cut off at the edge."""


@dataclass(frozen=True, slots=True)
class Panel:
    """Comparisons with one and the same other side; `relative_to` names it."""

    title: str
    relative_to: str
    rows: tuple[tuple[str, str, Judged], ...]
    """Label, protocol, comparison."""
    unjudged: str
    """What to say of a comparison without verdict."""


def panel_of(setting: Setting) -> Panel:
    """Compare the contenders of a setting with the baseline."""
    return Panel(
        setting.title,
        setting.baseline_label,
        tuple(
            (row.summary.label, row.summary.protocol, row.against_baseline)
            for row in setting.rows
            if row.against_baseline is not None
        ),
        "control, not judged" if setting.control else "not asked",
    )


def forest(
    panels: Sequence[Panel], margin_ratio: float, plot_width: int, *, wordy: bool
) -> Picture:
    """Draw panels on a common axis; `wordy` adds interval and verdict in words."""
    rows = [_rows(panel, wordy) for panel in panels]
    domain = _domain([row for group in rows for row in group], margin_ratio)
    drawn = [
        _panel(panel, group, margin_ratio, domain, plot_width, labelled=panel is panels[-1])
        for panel, group in zip(panels, rows, strict=True)
    ]
    return alt.vconcat(*drawn, spacing=16).resolve_scale(x="shared", color="independent")


def _domain(rows: Sequence[Mapping[str, Any]], margin_ratio: float) -> tuple[float, float]:
    """Take in all intervals, unless one is so wide that it would dwarf everything else."""
    ratios = [row["ratio"] for row in rows] or [1.0]
    least, most = min(ratios) / WIDEST, max(ratios) * WIDEST
    ends = [min(max(row[end], least), most) for row in rows for end in ("low", "high")]
    return padded([*ends, 1 / (1 + margin_ratio), 1 + margin_ratio], 1.05)


def _rows(panel: Panel, wordy: bool) -> list[dict[str, Any]]:
    rows = []
    for label, protocol, judged in panel.rows:
        ratio, interval = judged.comparison.ratio, judged.comparison.interval95
        verdict = judged.verdict.words if judged.verdict else panel.unjudged
        rows.append(
            {
                "label": label,
                "protocol": protocol,
                "ratio": ratio,
                "low": interval.low if interval else ratio,
                "high": interval.high if interval else ratio,
                "verdict": verdict,
                "shown": f"{words.times(ratio)} {words.between(interval) if wordy else ''}",
                "spoken": verdict if wordy else _short(judged),
                "hue": verdict_colour(judged.verdict),
            }
        )
    return rows


def _short(judged: Judged) -> str:
    """Say a verdict in a word, for windows without room for more."""
    if judged.verdict is None:
        return "not judged"
    short = {Outcome.SAME: "same", Outcome.CANNOT_TELL: "can’t tell"}
    return short.get(judged.verdict.outcome, str(judged.verdict.outcome))


def _panel(
    panel: Panel,
    rows: list[dict[str, Any]],
    margin_ratio: float,
    domain: tuple[float, float],
    plot_width: int,
    *,
    labelled: bool,
) -> Picture:
    protocols = {row["label"]: row["protocol"] for row in rows}
    scale = alt.Scale(type="log", domain=list(domain), nice=False)
    axis = alt.Axis(
        values=ticks(*domain),
        labels=labelled,
        labelExpr="format(datum.value, '~g') + '×'",
        title=f"time relative to {panel.relative_to} (logarithmic)" if labelled else None,
        titleAnchor="start",
    )
    y = alt.Y("label:N", sort=list(protocols), title=None, axis=alt.Axis(minExtent=76, grid=False))
    tooltip = [
        alt.Tooltip("label:N", title="contender"),
        alt.Tooltip("ratio:Q", title="ratio", format=".3f"),
        alt.Tooltip("low:Q", title="from", format=".3f"),
        alt.Tooltip("high:Q", title="to", format=".3f"),
        alt.Tooltip("verdict:N", title="verdict"),
    ]
    data = chart_of(rows)
    zone = (
        chart_of([{"from": 1 / (1 + margin_ratio), "to": 1 + margin_ratio}])
        .mark_rect(color="var(--zone)")
        .encode(x=alt.X("from:Q", scale=scale, axis=axis), x2="to:Q")
    )
    equal = (
        chart_of([{"one": 1}])
        .mark_rule(color="var(--ink-soft)", strokeDash=[3, 3])
        .encode(x=alt.X("one:Q", scale=scale, axis=axis))
    )
    x = alt.X("low:Q", scale=scale, axis=axis)
    interval = data.mark_rule(strokeWidth=11, strokeCap="butt", opacity=0.4, clip=True).encode(
        x=x, x2="high:Q", y=y, color=colours(protocols), tooltip=tooltip
    )
    point = data.mark_circle(size=50, opacity=1).encode(
        x=alt.X("ratio:Q", scale=scale, axis=axis), y=y, color=colours(protocols), tooltip=tooltip
    )
    beside = data.encode(x=alt.value(plot_width), y=y)
    figures = beside.mark_text(align="left", dx=14).encode(text="shown:N")
    room = 142 if any(row["shown"].endswith("]") for row in rows) else 56
    # `fill`, since `color` is taken by the protocols and layers share their scales.
    spoken = beside.mark_text(align="left", dx=room, fontWeight=600).encode(
        text="spoken:N", fill=alt.Fill("hue:N", scale=None)
    )
    return alt.layer(zone, equal, interval, point, figures, spoken).properties(
        width=plot_width, height=ROW_HEIGHT * max(1, len(rows)), title=panel.title
    )
