"""A history as a page, and as a picture by itself for pull requests."""

import re
from collections.abc import Sequence

import altair as alt
from jinja2 import ChoiceLoader, PackageLoader
from markupsafe import Markup

from wirelab.report.charts.scales import Picture, chart_of, padded, ticks
from wirelab.report.environment import environment
from wirelab.report.page import page_style
from wirelab.report.palette import Palette
from wirelab.terminal import words
from wirelab.versions.course import Course

WIDTH, HEIGHT = 720, 240
LEAST_WIDTH_OF_LABELS = 20
SHOWN = 7
"""Characters of a commit's id below the chart."""
PAPER = {
    "--ink": "#1c2126",
    "--ink-soft": "#5b646e",
    "--line": "#dfe3e7",
    "--rest": "#1f6fb5",
    "--bad": "#b3261e",
    "--good": "#0a7a4b",
}
"""Colours of a picture by itself, where no page defines them."""


def chart(course: Course) -> Picture:
    """Draw ratios with their simultaneous intervals over commits, and the levels."""
    rows = [
        {
            "at": f"{number:05}",
            "commit": point.line.commit[:SHOWN],
            "subject": point.line.subject,
            "ratio": point.ratio,
            "low": point.interval.low,
            "high": point.interval.high,
            "level": point.level,
            "change": "" if point.change is None else words.times(point.change),
            "slower": bool(point.change and point.change > 1),
        }
        for number, point in enumerate(course.points)
    ]
    ends = [end for point in course.points for end in (*point.interval, 1.0)]
    domain = padded(ends, 1.02)
    every = max(1, round(LEAST_WIDTH_OF_LABELS * len(rows) / WIDTH))
    labels = {row["at"]: row["commit"] for row in rows[::every]}
    named = " : ".join(f"datum.value == '{at}' ? '{commit}'" for at, commit in labels.items())
    x = alt.X(
        "at:N",
        sort=None,
        title=None,
        axis=alt.Axis(labelExpr=f"{named} : ''", labelAngle=-60, grid=False),
    )
    scale = alt.Scale(type="log", domain=list(domain), nice=False)
    axis = alt.Axis(
        values=ticks(*domain),
        format=".2f",
        title="time relative to the anchor",
        titleAnchor="start",
    )
    y = alt.Y("ratio:Q", scale=scale, axis=axis)
    tooltip = [alt.Tooltip("commit:N"), alt.Tooltip("subject:N"), alt.Tooltip("ratio:Q")]
    base = chart_of(rows).encode(x=x, y=y, tooltip=tooltip)
    equality = (
        chart_of([{"one": 1.0}])
        .mark_rule(color="var(--ink-soft)", strokeDash=[3, 3])
        .encode(y=alt.Y("one:Q", scale=scale))
    )
    interval = base.mark_rule(strokeWidth=1.5, opacity=0.55, color="var(--rest)").encode(
        y=alt.Y("low:Q", scale=scale, axis=axis), y2=alt.Y2("high:Q")
    )
    level = base.mark_line(interpolate="step", strokeWidth=2, color="var(--ink)").encode(
        y=alt.Y("level:Q", scale=scale, axis=axis), tooltip=alt.Undefined
    )
    points = base.mark_circle(size=40, opacity=1, color="var(--rest)")
    hue = alt.condition("datum.slower", alt.value("var(--bad)"), alt.value("var(--good)"))
    changes = base.mark_text(dy=-12, fontWeight="bold").encode(
        y=alt.Y("high:Q", scale=scale, axis=axis), text="change:N", color=hue
    )
    return alt.layer(equality, interval, level, points, changes).properties(
        width=WIDTH, height=HEIGHT
    )


def description(course: Course) -> str:
    """Describe a chart for those who cannot see it."""
    text = f"{course.operation}: {words.plural(len(course.points), 'commit')}"
    changed = [
        f"{words.times(point.change or 1.0)} at {point.line.commit[:SHOWN]}"
        for point in course.changes
    ]
    return f"{text}; changes: {words.listed(changed)}" if changed else f"{text}; no change"


def history_page(found: Sequence[Course], *, title: str, home: str = "") -> str:
    """Render the page, which contains no script; `home` links to the list that serves it."""
    from wirelab.report.vega import draw  # noqa: PLC0415  (it takes half a second)

    jinja = environment()
    assert jinja.loader is not None
    jinja.loader = ChoiceLoader([PackageLoader("wirelab.versions"), jinja.loader])
    palette = Palette({}, {})
    jinja.globals |= {"palette": palette}
    drawn = [
        (course, Markup(draw(chart(course), f"history-{number}", description(course)).svg))  # noqa: S704
        if course.points
        else (course, None)
        for number, course in enumerate(found)
    ]
    return jinja.get_template("history.html").render(
        title=title,
        lead="; ".join(map(description, found)),
        drawn=drawn,
        home=home,
        style=Markup(page_style(jinja, palette)),  # noqa: S704 - text of this program
    )


def picture(course: Course) -> str:
    """Return a chart as an SVG file that needs no page."""
    from wirelab.report.vega import draw  # noqa: PLC0415

    svg = draw(chart(course), "history", description(course)).svg
    coloured = re.sub(r"var\((--[a-z-]+)\)", lambda it: PAPER.get(it[1], PAPER["--ink"]), svg)
    ground = '<rect width="100%" height="100%" fill="#ffffff"/>'
    font = '<svg font-family="Helvetica, Arial, sans-serif"'
    return re.sub(r"<svg([^>]*>)", rf"{font}\1{ground}", coloured, count=1)
