"""Distributions of response times: over the requests, and over the runs."""

import math
from typing import Any

import altair as alt

from wirelab.analysis import CellSummary, Setting
from wirelab.report.charts.scales import (
    NEAR,
    Picture,
    chart_of,
    colours,
    dashes,
    padded,
    shapes,
    spread_positions,
    ticks,
)
from wirelab.report.palette import Palette
from wirelab.terminal import words

_SHARES = (0.5, 0.9, 0.99, 0.999, 0.9999)
TAG_HEIGHT = 14
"""Width of a name at the end of a line, in pixels."""

ONE_IN = "one request in"
"""The reciprocal of the share of the requests that take longer."""

_BEYOND = 10
"""A percentile is drawn only if at least this many requests are beyond it."""


def spectrum(setting: Setting, palette: Palette, width: int, height: int = 230) -> Picture | None:
    """Draw response time over percentile; the axis gives every further nine the same width.

    None if there are too few requests for a median.
    """
    summaries = [row.summary for row in setting.rows]
    labels = palette.ordered(summary.label for summary in summaries)
    unit, divisor = _unit(summaries)
    points: list[dict[str, Any]] = [
        {
            "label": summary.label,
            "beyond": 1.0 / (1.0 - share),
            "time": value / divisor,
        }
        for summary in summaries
        for share, value in summary.spectrum
        if share < 1.0 and summary.requests * summary.runs * (1.0 - share) >= _BEYOND
    ]
    last = max((point["beyond"] for point in points), default=1.0)
    if last < 2.0:
        return None
    domain = padded([point["time"] for point in points])

    def along(field: str) -> alt.X:
        return alt.X(
            f"{field}:Q",
            scale=alt.Scale(type="log", domain=[1, last], nice=False),
            axis=alt.Axis(
                values=[1 / (1 - share) for share in _SHARES if 1 / (1 - share) <= last * 1.001],
                labelExpr="'p' + format(100 * (1 - 1 / datum.value), '.4~g')",
                title="percentile of requests",
                titleAnchor="start",
            ),
        )

    x = along("beyond")
    y = alt.Y(
        "time:Q",
        scale=alt.Scale(type="log", domain=list(domain), nice=False),
        axis=alt.Axis(values=ticks(*domain), format="~g", title=None),
    )
    lines = (
        chart_of(points)
        .mark_line(strokeWidth=2, clip=True)
        .encode(x=x, y=y, color=colours(palette, labels), strokeDash=dashes(palette, labels))
    )
    names = (
        chart_of(_name_tags(points, (1.0, last), domain, (width, height)))
        .mark_text(align="left", dx=6, fontWeight=600, fontSize=11.5)
        .encode(x=x, y=alt.Y("pixel:Q"), text=alt.Text("label:N"), color=colours(palette, labels))
        .encode(y=alt.Y("pixel:Q", scale=None, axis=None))
    )
    return (
        alt.layer(lines, _crosshair(points, along(ONE_IN), unit), names)
        .resolve_scale(y="independent")
        .properties(width=width, height=height, title=f"{setting.title}, {unit}")
    )


def _crosshair(points: list[dict[str, Any]], x: alt.X, unit: str) -> Picture:
    """Mark the percentile that is pointed at, and list the times of all contenders there.

    Names are keys of the data that the tooltip shows: in titles, Vega would evaluate them.
    """
    at: dict[float, dict[str, Any]] = {}
    for point in points:
        there = at.setdefault(
            point["beyond"],
            {"percentile": f"p{100 - 100 / point['beyond']:.4g}", ONE_IN: point["beyond"]},
        )
        there[point["label"]] = f"{words.significant(point['time'], 4)} {unit}"
    pointed_at = alt.selection_point(
        fields=[ONE_IN], nearest=True, on="pointerover", clear="pointerout", empty=False
    )
    return (
        chart_of([at[beyond] for beyond in sorted(at)])
        .mark_rule(strokeWidth=1, stroke="var(--ink-soft)", tooltip={"content": "data"})
        .encode(x=x, opacity=alt.condition(pointed_at, alt.value(1.0), alt.value(0.0)))
        .add_params(pointed_at)
    )


def run_means(setting: Setting, palette: Palette, width: int) -> Picture:
    """Draw the time of every run, and the box of quartiles around them, by contender."""
    summaries = [row.summary for row in setting.rows]
    labels = palette.ordered(summary.label for summary in summaries)
    unit, divisor = _unit(summaries)
    points: list[dict[str, Any]] = [
        {"label": summary.label, "block": block, "mean": value / divisor}
        for summary in summaries
        for block, value in summary.run_times_us.items()
    ]
    domain = padded([point["mean"] for point in points])
    x = alt.X(
        "mean:Q",
        scale=alt.Scale(type="log", domain=list(domain), nice=False),
        axis=alt.Axis(values=ticks(*domain), format="~g", title=None),
    )
    y = alt.Y("label:N", sort=labels, title=None, axis=alt.Axis(minExtent=76, grid=False))
    base = chart_of(points)
    boxes = base.mark_boxplot(
        size=13,
        extent="min-max",
        box={"fillOpacity": 0.25},
        median={"color": "var(--ink)", "strokeWidth": 1.5},
        rule={"color": "var(--ink-soft)"},
    ).encode(x=x, y=y, color=colours(palette, labels))
    points_of = base.encode(
        x=x,
        y=y,
        tooltip=[
            alt.Tooltip("label:N", title="contender"),
            alt.Tooltip("block:Q"),
            alt.Tooltip("mean:Q", title=unit, format=".4~g"),
        ],
    )
    dots = points_of.mark_point(size=26, opacity=0.8, filled=True).encode(
        color=colours(palette, labels), shape=shapes(palette, labels)
    )
    near = points_of.mark_point(size=NEAR, opacity=0, filled=True)
    return alt.layer(boxes, dots, near).properties(
        width=width, height=24 * max(1, len(summaries)), title=f"{setting.title}, {unit}"
    )


def _unit(summaries: list[CellSummary]) -> tuple[str, float]:
    largest = max(summary.latency_us.value for summary in summaries)
    return ("ms", 1000.0) if largest >= 1000 else ("µs", 1.0)


def _name_tags(
    points: list[dict[str, Any]],
    shares: tuple[float, float],
    times: tuple[float, float],
    size: tuple[int, int],
) -> list[dict[str, Any]]:
    """Place all names in one column beyond the last point, without overlap."""
    ends = {point["label"]: point for point in points}
    ideal = [size[1] * (1 - _position(point["time"], times)) for point in ends.values()]
    placed = spread_positions(ideal, TAG_HEIGHT, float(size[1]))
    return [
        {"label": label, "beyond": shares[1], "pixel": pixel}
        for label, pixel in zip(ends, placed, strict=True)
    ]


def _position(value: float, domain: tuple[float, float]) -> float:
    """Return the position of a value on a logarithmic axis, from 0 to 1."""
    low, high = (math.log(end) for end in domain)
    return (math.log(value) - low) / (high - low)
