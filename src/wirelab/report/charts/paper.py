"""The figures of a paper, drawn from the values measured here: bars, lines, boxes, sizes.

Published values are rings over a separate axis, which also begins at zero: they come from another
machine and often from other data, so that shapes can be compared, but not sizes.
"""

from typing import Any, Literal

import altair as alt

from wirelab.analysis.figures.chart_points import ChartPoint, PaperChart
from wirelab.report.charts.paper_panels import courses, heat, latencies
from wirelab.report.charts.scales import Picture, chart_of
from wirelab.report.palette import Palette
from wirelab.report.theme import PROTOCOL_COLOURS, colour

COLOURS = [
    colour(name) for name in ("soap", "websocket", "rest", "grpc", "graphql", "mcp", "other")
]
"""Colours of series that are not contenders, such as pools or sizes."""

IN_A_ROW = {"bars": 4, "queries": 5}
SMALL = {"bars": 96, "queries": 74}
"""Panels in a row, and the width of each of several; less and more if there are many bars."""

PER_BAR, LEAST_PER_BAR, BAR = 70, 12, 16
"""The width for a bar in a single panel, the minimum in one of several, and the widest bar."""

assert set(PROTOCOL_COLOURS) <= {name.removeprefix("var(--").removesuffix(")") for name in COLOURS}


def paper_picture(drawn: PaperChart, palette: Palette, width: int) -> Picture:
    """Draw one figure according to its kind."""
    divisor, unit = _unit(drawn)
    rows = [_row(point, divisor) for point in drawn.points]
    draw = {
        "bars": _bars,
        "lines": _lines,
        "boxes": _boxes,
        "queries": _bars,
        "sizes": _lines,
        "courses": courses,
        "heat": heat,
        "latencies": latencies,
    }[drawn.chart.kind]
    title = ", ".join(filter(None, (f"{drawn.chart.source}: {drawn.chart.title}", unit)))
    rings = f"rings: published, {drawn.published_as}" if drawn.published_as else ""
    heading = alt.TitleParams(title, subtitle=rings) if rings else title
    return draw(rows, drawn, palette, width).properties(title=heading)


def _unit(drawn: PaperChart) -> tuple[float, str]:
    if drawn.unit != "µs":
        return 1.0, drawn.unit
    return 1000.0, "ms"


def _row(point: ChartPoint, divisor: float) -> dict[str, Any]:
    value = point.value / divisor
    sd = (point.sd or 0.0) / divisor
    row: dict[str, Any] = {
        "series": point.series,
        "at": point.at,
        "x": point.x,
        "value": value,
        "low": max(0.0, value - sd),
        "high": value + sd,
        "count": point.count,
        "panel": point.panel,
    }
    if point.published is not None:
        row["published"] = point.published / divisor
    if point.box:
        names = ("least", "lower", "median", "upper", "greatest")
        row |= {name: edge / divisor for name, edge in zip(names, point.box, strict=True)}
    return row


def _names(rows: list[dict[str, Any]], key: str) -> list[str]:
    return list(dict.fromkeys(str(row[key]) for row in rows))


def _hue(rows: list[dict[str, Any]], palette: Palette) -> alt.Color:
    names = _names(rows, "series")
    colours = [
        palette[name].hue if name in palette.styles else COLOURS[index % len(COLOURS)]
        for index, name in enumerate(names)
    ]
    return alt.Color(
        "series:N",
        scale=alt.Scale(domain=names, range=colours),
        legend=alt.Legend(
            title=None, columns=2, columnPadding=24, labelLimit=320, symbolType="square"
        ),
    )


def _tooltip(drawn: PaperChart) -> list[alt.Tooltip]:
    return [
        alt.Tooltip("series:N", title="contender"),
        alt.Tooltip("at:N", title="at"),
        alt.Tooltip("value:Q", title="mean", format=",.4~g"),
        alt.Tooltip("high:Q", title="and a standard deviation", format=",.4~g"),
        alt.Tooltip("count:Q", title=drawn.counted),
    ]


def _bars(rows: list[dict[str, Any]], drawn: PaperChart, palette: Palette, width: int) -> Picture:
    """Draw bars from zero, with a panel and a scale for each group; whiskers are one sd."""
    series, places = _names(rows, "series"), _names(rows, "at")
    x = alt.X("series:N", sort=series, axis=None)
    y = alt.Y("value:Q", axis=alt.Axis(tickCount=4, format="~s", title=None))
    base = chart_of(rows).encode(x=x, tooltip=_tooltip(drawn))
    narrow = max(SMALL[drawn.chart.kind], LEAST_PER_BAR * len(series))
    wide = min(width, PER_BAR * len(series))
    each = (wide if len(places) == 1 else narrow) / len(series)
    bars = base.mark_bar(size=min(BAR, 0.85 * each)).encode(y=y, color=_hue(rows, palette))
    whiskers = base.mark_rule(strokeWidth=1.5, color="var(--ink)").encode(
        y=alt.Y("low:Q"), y2=alt.Y2("high:Q")
    )
    panel = _with_rings(alt.layer(bars, whiskers), base, drawn, "y")
    if len(places) == 1:
        return panel.properties(width=wide, height=160)
    panel = panel.properties(width=narrow, height=100)
    most = IN_A_ROW[drawn.chart.kind] * SMALL[drawn.chart.kind] // narrow
    header = alt.Header(title=None, labelFontSize=11, labelAnchor="start")
    return panel.facet(
        facet=alt.Facet("at:N", sort=places, header=header),
        columns=max(1, most),
        spacing=12,
    ).resolve_scale(y="independent")


def _lines(rows: list[dict[str, Any]], drawn: PaperChart, palette: Palette, width: int) -> Picture:
    """Draw lines over a number: clients, or the index of a query in its workload."""
    over_clients = drawn.chart.kind == "lines"
    x = alt.X("x:Q", scale=alt.Scale(zero=True, nice=False), axis=alt.Axis(title=drawn.along))
    y = alt.Y("value:Q", axis=alt.Axis(tickCount=5, format="~s", title=None))
    base = chart_of(rows).encode(x=x, color=_hue(rows, palette), tooltip=_tooltip(drawn))
    lines = base.mark_line(strokeWidth=2).encode(y=y)
    marks = [base.mark_circle(size=30, opacity=1).encode(y=y)]
    if over_clients:
        marks.append(base.mark_rule(strokeWidth=1.2).encode(y=alt.Y("low:Q"), y2=alt.Y2("high:Q")))
    return alt.layer(lines, *marks).properties(width=width, height=200)


def _boxes(rows: list[dict[str, Any]], drawn: PaperChart, palette: Palette, width: int) -> Picture:
    """Draw a box from quartile to quartile with its median, and whiskers to both extremes."""
    x = alt.X("least:Q", scale=alt.Scale(zero=True), axis=alt.Axis(format="~s", title=None))
    y = alt.Y(
        "series:N",
        sort=_names(rows, "series"),
        title=None,
        axis=alt.Axis(grid=False, labelLimit=220),
    )
    base = chart_of(rows).encode(
        y=y,
        tooltip=[
            alt.Tooltip("series:N", title="contender"),
            *(
                alt.Tooltip(f"{name}:Q", format=",.4~g")
                for name in ("least", "lower", "median", "upper", "greatest")
            ),
            alt.Tooltip("count:Q", title=drawn.counted),
        ],
    )
    hue = _hue(rows, palette)
    hue["legend"] = None
    whiskers = base.mark_rule(color="var(--ink-soft)").encode(x=x, x2=alt.X2("greatest:Q"))
    boxes = base.mark_bar(size=15, fillOpacity=0.45, strokeWidth=1).encode(
        x=alt.X("lower:Q"), x2=alt.X2("upper:Q"), color=hue
    )
    medians = base.mark_tick(thickness=2, size=15, color="var(--ink)").encode(x=alt.X("median:Q"))
    count = len(_names(rows, "series"))
    picture = _with_rings(alt.layer(whiskers, boxes, medians), base, drawn, "x")
    return picture.properties(width=width, height=30 * count)


def _with_rings(measured: Picture, base: Picture, drawn: PaperChart, along: str) -> Picture:
    """Draw the published values over the measured ones, on a separate axis on the other side.

    `along` is the channel of the values.
    """
    if not drawn.published_as:
        return measured
    upright = along == "y"
    orient: Literal["right", "top"] = "right" if upright else "top"
    axis = alt.Axis(orient=orient, tickCount=3, format=",~f", title=None, grid=False)
    channel = alt.Y if upright else alt.X
    rings = (
        base.transform_filter("isValid(datum.published)")
        .mark_point(size=55, filled=False, strokeWidth=2, color="var(--ink)")
        .encode(
            **{along: channel("published:Q", axis=axis, scale=alt.Scale(zero=True))},
            tooltip=[
                alt.Tooltip("series:N", title="contender"),
                alt.Tooltip("at:N", title="at"),
                alt.Tooltip("published:Q", title="published", format=",.4~g"),
            ],
        )
    )
    both = alt.layer(measured, rings)
    if upright:
        return both.resolve_scale(y="independent")
    return both.resolve_scale(x="independent")
