"""Figures of a paper with a panel for each workload or load: series, heat maps, latencies."""

from collections.abc import Sequence
from typing import Any

import altair as alt

from wirelab.analysis.figures.chart_points import PaperChart
from wirelab.report.charts.scales import Picture, chart_of, colours, dashes, padded, ticks
from wirelab.report.palette import Palette

Rows = Sequence[dict[str, Any]]

ROW = 24
"""The height of a contender in a heat map and among boxes."""
COURSE_HEIGHT = 150
NAMES = 132
"""Width of the names of contenders beside a panel."""
FAINTEST, STRONGEST = 0.06, 0.6
"""The shades of a heat map; figures are readable on all of them."""


def courses(rows: Rows, drawn: PaperChart, palette: Palette, width: int) -> Picture:
    """Draw one line per contender over the time of its runs; bands are one standard deviation."""
    labels = palette.ordered(row["series"] for row in rows)
    hue = colours(palette, labels, "series")
    dash = dashes(palette, labels, "series")
    hue["legend"] = dash["legend"] = alt.Legend(
        title=None,
        columns=2,
        columnPadding=24,
        labelLimit=180,
        symbolType="stroke",
        symbolOpacity=1.0,
        symbolStrokeWidth=2,
        symbolSize=260,
    )

    def one(panel: Rows) -> Picture:
        x = alt.X(
            "x:Q",
            scale=alt.Scale(zero=False, nice=False),
            axis=alt.Axis(title=drawn.along, tickMinStep=1, format="d", grid=False),
        )
        y = alt.Y(
            "value:Q",
            scale=alt.Scale(zero=True),
            axis=alt.Axis(tickCount=4, format="~s", title=None),
        )
        base = chart_of(panel).encode(x=x, color=hue)
        bands = base.mark_area(opacity=0.12).encode(
            y=alt.Y("low:Q", title=None), y2=alt.Y2("high:Q")
        )
        lines = base.mark_line(strokeWidth=1.8).encode(
            y=y,
            strokeDash=dash,
            tooltip=[
                alt.Tooltip("series:N", title="contender"),
                alt.Tooltip("x:Q", title=drawn.along, format="~g"),
                alt.Tooltip("value:Q", title="mean", format=",.4~g"),
                alt.Tooltip("count:Q", title=drawn.counted),
            ],
        )
        return alt.layer(bands, lines).properties(width=width, height=COURSE_HEIGHT)

    return _panels(rows, one)


def heat(rows: Rows, drawn: PaperChart, palette: Palette, width: int) -> Picture:
    """Draw a shaded field for each contender and number of clients, with the figure on it."""
    labels = palette.ordered(row["series"] for row in rows)
    clients = [str(at) for at in sorted({int(row["x"]) for row in rows})]

    def one(panel: Rows) -> Picture:
        values = [row["value"] for row in panel if row["value"] > 0]
        shade = alt.Opacity(
            "value:Q",
            scale=alt.Scale(
                type="log",
                domain=list(padded(values, 1.0001)),
                range=[FAINTEST, STRONGEST],
                clamp=True,
            ),
            legend=None,
        )
        base = chart_of([{**row, "text": short(row["value"])} for row in panel]).encode(
            x=alt.X("at:N", sort=clients, axis=alt.Axis(title=drawn.along, labelAngle=0)),
            y=alt.Y(
                "series:N",
                sort=labels,
                title=None,
                axis=alt.Axis(grid=False, labelLimit=NAMES, minExtent=NAMES),
            ),
            tooltip=[
                alt.Tooltip("series:N", title="contender"),
                alt.Tooltip("at:N", title=drawn.along),
                alt.Tooltip("value:Q", title="mean", format=",.4~g"),
                alt.Tooltip("count:Q", title=drawn.counted),
            ],
        )
        shades = base.mark_rect(
            color="var(--rest)", stroke="var(--paper)", strokeWidth=1.5, cornerRadius=2
        ).encode(opacity=shade)
        figures = base.mark_text(fontSize=11, color="var(--ink)").encode(text=alt.Text("text:N"))
        count = len({row["series"] for row in panel})
        return alt.layer(shades, figures).properties(width=width - NAMES, height=ROW * count)

    return _panels(rows, one)


def latencies(rows: Rows, drawn: PaperChart, palette: Palette, width: int) -> Picture:
    """Draw one box of quartiles per contender; whiskers are the 5th and 95th percentile."""
    labels = palette.ordered(row["series"] for row in rows)

    def one(panel: Rows) -> Picture:
        domain = padded([row[edge] for row in panel for edge in ("least", "greatest")])
        x = alt.X(
            "least:Q",
            scale=alt.Scale(type="log", domain=list(domain), nice=False),
            axis=alt.Axis(values=ticks(*domain), format="~g", title=None),
        )
        y = alt.Y(
            "series:N",
            sort=labels,
            title=None,
            axis=alt.Axis(grid=False, labelLimit=NAMES, minExtent=NAMES),
        )
        edges = {
            "p5": "least",
            "p25": "lower",
            "p50": "median",
            "p75": "upper",
            "p95": "greatest",
        }
        base = chart_of(panel).encode(
            y=y,
            tooltip=[
                alt.Tooltip("series:N", title="contender"),
                *(alt.Tooltip(f"{at}:Q", title=name, format=",.4~g") for name, at in edges.items()),
                alt.Tooltip("count:Q", title=drawn.counted, format=","),
            ],
        )
        whiskers = base.mark_rule(color="var(--ink-soft)").encode(x=x, x2=alt.X2("greatest:Q"))
        boxes = base.mark_bar(size=13, fillOpacity=0.45, strokeWidth=1).encode(
            x=alt.X("lower:Q"), x2=alt.X2("upper:Q"), color=colours(palette, labels, "series")
        )
        medians = base.mark_tick(thickness=2, size=13, color="var(--ink)").encode(
            x=alt.X("median:Q")
        )
        count = len({row["series"] for row in panel})
        return alt.layer(whiskers, boxes, medians).properties(
            width=width - NAMES, height=ROW * count
        )

    return _panels(rows, one)


def _panels(rows: Rows, one: Any) -> Picture:
    """Stack panels, each with its own scale of values and its own title."""
    names = list(dict.fromkeys(row["panel"] for row in rows))
    pictures = [
        one([row for row in rows if row["panel"] == name]).properties(
            title=alt.TitleParams(name, fontSize=11, anchor="start") if name else ""
        )
        for name in names
    ]
    return alt.vconcat(*pictures, spacing=14)


def short(value: float) -> str:
    """Render a figure for a small field: three digits, and k or M for thousands and millions."""
    rounded = float(f"{value:.3g}")  # first, since 999.6 has the figures of 1000
    for size, suffix in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if rounded >= size:
            return f"{rounded / (1e3 if suffix == 'k' else size):.3g}{suffix}"
    return f"{value:.3g}" if rounded < 1000 else f"{value:.0f}"
