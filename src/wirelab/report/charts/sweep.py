"""Figures over the number of clients: one line per contender, with interval and name."""

import math
from collections.abc import Sequence
from typing import Any

import altair as alt

from wirelab.analysis.figures.sweep import SweepLine, SweepPanel
from wirelab.report.charts.scales import (
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

TAG_HEIGHT = 14
BAR_HEIGHT = 18


def over_clients(panel: SweepPanel, palette: Palette, width: int, height: int = 190) -> Picture:
    """Draw values over clients. Times have a logarithmic axis; rates start at zero."""
    unit, divisor = _unit(panel)
    lines = [line for line in panel.lines if line.points]
    points = [_point(line, each.clients, divisor) for line in lines for each in line.points]
    if not points:
        return None
    labels = palette.ordered(line.label for line in lines)
    clients = sorted({int(point["clients"]) for point in points})
    ends = [
        float(point[side])
        for point in points
        for side in ("low", "high", "published")
        if point[side] is not None
    ]
    logarithmic = unit != "1/s"
    domain = padded(ends, 1.25) if logarithmic else (0.0, max(ends) * 1.06)
    x = alt.X(
        "clients:Q",
        scale=alt.Scale(
            type="log", domain=[clients[0] * 0.88, clients[-1] * 1.04], nice=False, padding=0
        ),
        axis=alt.Axis(
            values=clients, format="d", title="clients", titleAnchor="start", grid=False, offset=2
        ),
    )
    y = alt.Y(
        "value:Q",
        scale=alt.Scale(type="log" if logarithmic else "linear", domain=list(domain), nice=False),
        axis=alt.Axis(
            values=ticks(*domain) if logarithmic else alt.Undefined,
            tickCount=alt.Undefined if logarithmic else 5,
            format=",~g" if logarithmic else ",~f",
            labelOverlap=False,
            title=None,
        ),
    )
    base = chart_of(points).encode(color=colours(palette, labels))
    tooltip = [
        alt.Tooltip("label:N", title="contender"),
        alt.Tooltip("clients:Q"),
        alt.Tooltip("value:Q", title=unit, format=",.4~g"),
        alt.Tooltip("interval:N", title="95 % interval"),
    ]
    path = base.mark_line(strokeWidth=2).encode(x=x, y=y, strokeDash=dashes(palette, labels))
    span = base.mark_rule(strokeWidth=5, opacity=0.28).encode(
        x=x, y=alt.Y("low:Q"), y2=alt.Y2("high:Q")
    )
    discs = base.mark_point(size=46, opacity=1, filled=True).encode(
        x=x, y=y, shape=shapes(palette, labels), tooltip=tooltip
    )
    rings = (
        base.transform_filter("isValid(datum.published)")
        .mark_point(size=95, filled=False, strokeWidth=2)
        .encode(x=x, y=alt.Y("published:Q"), tooltip=[*tooltip[:2], alt.Tooltip("published:Q")])
    )
    tags = (
        chart_of(_tags(lines, divisor, domain, height, logarithmic=logarithmic))
        .mark_text(align="left", dx=9, fontWeight=600, fontSize=11.5)
        .encode(x=x, y=alt.Y("pixel:Q", scale=None, axis=None), text=alt.Text("label:N"))
        .encode(color=colours(palette, labels))
    )
    drawn = alt.layer(path, span, discs, rings)
    shown = {"1/s": ""}.get(unit, f", {unit}")
    return (
        alt.layer(drawn, tags)
        .resolve_scale(y="independent")
        .properties(width=width, height=height, title=f"{panel.title}{shown}")
    )


def with_most_clients(
    panel: SweepPanel, palette: Palette, width: int, height: int = 150
) -> Picture:
    """Draw one bar per contender, for the largest number of clients."""
    rows: list[dict[str, Any]] = [
        {"label": line.label, "value": line.points[-1].value.value}
        for line in panel.lines
        if line.points
    ]
    if not rows:
        return None
    labels = palette.ordered(line.label for line in panel.lines)
    limit = max(row["value"] for row in rows) * 1.22
    for row in rows:
        row["text"] = words.significant(row["value"])
    y = alt.Y("label:N", sort=labels, title=None, axis=alt.Axis(grid=False, minExtent=62))
    x = alt.X("value:Q", scale=alt.Scale(domain=[0, limit]), axis=None)
    base = chart_of(rows).encode(y=y)
    bars = base.mark_bar(size=BAR_HEIGHT, cornerRadiusEnd=2).encode(
        x=x, color=colours(palette, labels)
    )
    figures = base.mark_text(align="left", dx=6).encode(x=x, text=alt.Text("text:N"))
    return alt.layer(bars, figures).properties(
        width=width, height=height, title=f"{panel.title}, {panel.unit}"
    )


def _unit(panel: SweepPanel) -> tuple[str, float]:
    if panel.unit != "µs":
        return panel.unit, 1.0
    largest = max((p.value.value for line in panel.lines for p in line.points), default=0.0)
    return ("ms", 1000.0) if largest >= 1000 else ("µs", 1.0)


def _point(line: SweepLine, clients: int, divisor: float) -> dict[str, Any]:
    point = next(each for each in line.points if each.clients == clients)
    interval = point.value.interval
    low, high = interval or (point.value.value, point.value.value)
    return {
        "label": line.label,
        "clients": clients,
        "value": point.value.value / divisor,
        "low": low / divisor,
        "high": high / divisor,
        "interval": f"{low / divisor:.4g} to {high / divisor:.4g}" if interval else "none",
        "published": None if point.published is None else point.published / divisor,
    }


def _tags(
    lines: Sequence[SweepLine],
    divisor: float,
    domain: tuple[float, float],
    height: int,
    *,
    logarithmic: bool,
) -> list[dict[str, Any]]:
    """Place all names in one column at the right, without overlap."""

    def position(value: float) -> float:
        low, high, at = (math.log(v) if logarithmic else v for v in (*domain, value))
        return height * (1 - (at - low) / (high - low))

    ideal = [position(line.points[-1].value.value / divisor) for line in lines]
    placed = spread_positions(ideal, TAG_HEIGHT, float(height))
    last = max(line.points[-1].clients for line in lines)
    return [
        {"label": line.label, "clients": last, "pixel": pixel}
        for line, pixel in zip(lines, placed, strict=True)
    ]
