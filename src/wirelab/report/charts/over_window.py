"""Time and rate over the window, or the turns, of a block: one line for each contender."""

import math
from collections.abc import Sequence
from typing import Any

import altair as alt

from wirelab.analysis.figures.over_window import OverWindow
from wirelab.report.charts.scales import (
    NEAR,
    Picture,
    chart_of,
    colours,
    dashes,
    padded,
    spread_positions,
    ticks,
)
from wirelab.report.palette import Palette

LEAST_HEIGHT = 90
AXIS = 34
"""Width of the labels of a vertical axis, in pixels, so that the panels are aligned."""
TAG_HEIGHT = 14
"""Height of a name at the end of a line, in pixels."""
LEAST_RANGE = 1.5
"""Least ratio between the ends of an axis, so that noise does not look like a change."""

Rows = Sequence[dict[str, Any]]


def over_window(drawn: OverWindow, palette: Palette, width: int) -> Picture:
    """Draw the median time above the rate, on the same horizontal axis."""
    labels = palette.ordered(line.label for line in drawn.lines)
    lines = {line.label: line for line in drawn.lines}
    largest = max(value for line in drawn.lines for value in line.times_us.values())
    unit, divisor = ("ms", 1000.0) if largest >= 1000 else ("µs", 1.0)
    along = f"{drawn.unit} of the {'block' if drawn.unit == 'turn' else 'window'}"
    times: Rows = [
        {"label": label, "at": at, "value": value / divisor}
        for label in labels
        for at, value in lines[label].times_us.items()
    ]
    rates: Rows = [
        {"label": label, "at": at, "value": value}
        for label in labels
        for at, value in lines[label].rates_per_s.items()
        if value > 0
    ]
    height = max(LEAST_HEIGHT, TAG_HEIGHT * len(labels))
    scale = alt.Scale(domain=_ends([row["at"] for row in (*times, *rates)]), nice=False)
    axis = alt.Axis(title=along, titleAnchor="start", format="d", tickMinStep=1, grid=False)
    x = alt.X("at:Q", scale=scale, axis=axis)
    above = _panel(times, f"median {drawn.time_title}, {unit}", drawn.unit, x.axis(None), palette)
    below = _panel(rates, "transactions per second", drawn.unit, x, palette)
    names = (
        chart_of(_tags(times, height))
        .mark_text(align="left", dx=6, fontWeight=600, fontSize=11.5)
        .encode(x=x.axis(None), y=alt.Y("pixel:Q", scale=None, axis=None), text=alt.Text("label:N"))
        .encode(color=colours(palette, labels))
    )
    return alt.vconcat(
        alt.layer(above, names)
        .resolve_scale(y="independent")
        .properties(width=width, height=height),
        below.properties(width=width, height=LEAST_HEIGHT),
        spacing=8,
    ).properties(title=drawn.title)


def _panel(rows: Rows, title: str, unit: str, x: alt.X, palette: Palette) -> Picture:
    """Draw one quantity on a logarithmic axis. Invisible points give interactive tooltips."""
    labels = palette.ordered(row["label"] for row in rows)
    domain = _domain(rows)
    y = alt.Y(
        "value:Q",
        scale=alt.Scale(type="log", domain=list(domain), nice=False),
        axis=alt.Axis(values=ticks(*domain, most=5), format=",~g", title=None, minExtent=AXIS),
    )
    base = (
        chart_of(rows)
        .transform_calculate(label_text="'contender: ' + datum.label")
        .encode(x=x, y=y, color=colours(palette, labels))
    )
    lines = base.mark_line(strokeWidth=1.8, clip=True).encode(
        strokeDash=dashes(palette, labels), description=alt.Description("label_text:N")
    )
    points = base.mark_point(opacity=0, filled=True, size=NEAR).encode(
        tooltip=[
            alt.Tooltip("label:N", title="contender"),
            alt.Tooltip("at:Q", title=unit, format="~g"),
            alt.Tooltip("value:Q", title=title, format=",.4~g"),
        ]
    )
    heading = alt.TitleParams(title, fontSize=11, fontWeight="normal", color="var(--ink-soft)")
    return alt.layer(lines, points).properties(title=heading)


def _domain(rows: Rows) -> tuple[float, float]:
    low, high = padded([row["value"] for row in rows])
    growth = max(1.0, math.sqrt(LEAST_RANGE / (high / low)))
    return low / growth, high * growth


def _ends(values: Sequence[float]) -> list[float]:
    return [min(values), max(values)]


def _tags(rows: Rows, height: int) -> list[dict[str, Any]]:
    """Place all names in one column beyond the last point, without overlap."""
    low, high = (math.log(end) for end in _domain(rows))
    ends = {row["label"]: row["value"] for row in rows}
    ideal = [height * (high - math.log(value)) / (high - low) for value in ends.values()]
    last = max(row["at"] for row in rows)
    placed = spread_positions(ideal, TAG_HEIGHT, float(height))
    return [
        {"label": label, "at": last, "pixel": pixel}
        for label, pixel in zip(ends, placed, strict=True)
    ]
