"""The main chart: every contender's time relative to another's, with the margin.

Each row is a ratio with two intervals on a logarithmic axis, so that twice and half are equally far
from equality: the thick bar is the 90 % interval, which decides whether a difference is too small
to matter; the thin line is the 95 % interval, which decides whether there is one. The shaded zone
is the margin. A much wider interval than all others ends in an arrow at the edge.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import altair as alt

from wirelab.analysis import ComparedPair, Setting
from wirelab.analysis.wording import say
from wirelab.report.charts.scales import NEAR, Picture, chart_of, colours, padded, shapes, ticks
from wirelab.report.palette import Palette
from wirelab.report.theme import verdict_colour
from wirelab.statistics import Interval
from wirelab.terminal import words

ROW_HEIGHT, TALL_ROW_HEIGHT = 24, 54
"""Height of a row in pixels: with its words beside the plot, and with its words around the mark."""

WIDEST = 2.5
"""An interval that reaches this many times beyond the outermost ratio is cut off at the edge."""

ARROW = "M-.9,-1L.9,0L-.9,1Z"
ARROW_LEFT = "M.9,-1L-.9,0L.9,1Z"
"""Arrow heads to the right and to the left."""

TICK_WIDTH = 36
"""The width of an axis label with its distance from the next, in pixels."""

CHARACTER = 7.1
"""The width of a figure's character in pixels, with the distance to what follows."""


@dataclass(frozen=True, slots=True)
class Panel:
    """Comparisons with the same other side; `relative_to` names it."""

    title: str
    relative_to: str
    rows: tuple[tuple[str, ComparedPair], ...]
    """Label, comparison."""
    quantity: str
    """The quantity of the ratios."""


def panels_of(settings: Sequence[Setting], palette: Palette) -> list[Panel]:
    """Compare the contenders of each setting as the questions do: a panel for each other side."""
    panels = []
    for setting in settings:
        rows = {row.summary.label: row.judged for row in setting.rows}
        others: dict[str, list[tuple[str, ComparedPair]]] = {}
        for label in palette.ordered(rows):
            if (judged := rows[label]) is not None:
                others.setdefault(judged.b_label, []).append((label, judged))
        panels += [
            Panel(setting.title, other, tuple(compared), setting.reported_as)
            for other, compared in others.items()
        ]
    if other_side(panels):
        return panels
    return [
        replace(each, title=f"{each.title} · relative to {each.relative_to}") for each in panels
    ]


def other_side(panels: Sequence[Panel]) -> str:
    """Return the other side of all comparisons; "" if there are several, which titles name."""
    others = {panel.relative_to for panel in panels}
    return others.pop() if len(others) == 1 else ""


def forest(
    panels: Sequence[Panel],
    palette: Palette,
    margin_ratio: float,
    plot_width: int,
    *,
    is_wide: bool,
) -> Picture:
    """Draw panels on a common axis. Names and words are beside the plot if it is wide."""
    judged = [each for panel in panels for _, each in panel.rows]
    other = other_side(panels)
    ratio = (
        f"{panels[0].quantity} relative to {other}" if other else f"ratio of {panels[0].quantity}s"
    )
    domain = _domain(judged, margin_ratio)
    drawn = [
        _panel(
            panel,
            _rows(panel, domain),
            palette,
            margin_ratio,
            domain=domain,
            plot_width=plot_width,
            is_wide=is_wide,
            axis_title=f"{ratio} (logarithmic)" if panel is panels[-1] else None,
        )
        for panel in panels
    ]
    return alt.vconcat(*drawn, spacing=14).resolve_scale(
        x="shared", color="independent", shape="independent"
    )


def _domain(judged: Sequence[ComparedPair], margin_ratio: float) -> tuple[float, float]:
    """Cover all intervals, unless one is so wide that all others would become too small."""
    ratios = [each.comparison.ratio for each in judged] or [1.0]
    least, most = min(ratios) / WIDEST, max(ratios) * WIDEST
    intervals = [each.comparison.interval95 for each in judged]
    ends = [min(max(end, least), most) for interval in intervals if interval for end in interval]
    return padded([*ends, *ratios, 1 / (1 + margin_ratio), 1 + margin_ratio], 1.05)


def _rows(panel: Panel, domain: tuple[float, float]) -> list[dict[str, Any]]:
    rows = []
    for label, judged in panel.rows:
        comparison = judged.comparison
        ratio = comparison.ratio
        interval95 = comparison.interval95 or Interval(ratio, ratio)
        interval90 = comparison.interval90 or Interval(ratio, ratio)
        said = say(comparison, judged.verdict)
        row: dict[str, Any] = {
            "label": label,
            "ratio": ratio,
            "low": max(interval95.low, domain[0]),
            "high": min(interval95.high, domain[1]),
            "low90": max(interval90.low, domain[0]),
            "high90": min(interval90.high, domain[1]),
            "interval95": said.interval or "none",
            "interval90": words.between(comparison.interval90) or "none",
            "verdict": said.words,
            "shown": said.estimate,
            "hue": verdict_colour(judged.verdict),
        }
        if interval95.low < domain[0]:
            row["beyond_low"] = domain[0]
        if interval95.high > domain[1]:
            row["beyond_high"] = domain[1]
        rows.append(row)
    return rows


def _panel(
    panel: Panel,
    rows: list[dict[str, Any]],
    palette: Palette,
    margin_ratio: float,
    *,
    domain: tuple[float, float],
    plot_width: int,
    is_wide: bool,
    axis_title: str | None,
) -> Picture:
    labels = [row["label"] for row in rows]
    scale = alt.Scale(type="log", domain=list(domain), nice=False)
    axis = alt.Axis(
        values=ticks(*domain, most=min(7, plot_width // TICK_WIDTH)),
        labels=axis_title is not None,
        labelExpr="format(datum.value, '~g') + '×'",
        title=axis_title,
        titleAnchor="start",
    )

    def along(field: str) -> alt.X:
        return alt.X(f"{field}:Q", scale=scale, axis=axis)

    y = alt.Y(
        "label:N",
        sort=labels,
        title=None,
        axis=alt.Axis(minExtent=76, labelLimit=190, grid=False) if is_wide else None,
    )
    data = chart_of(rows).encode(y=y)
    marks = data.encode(
        color=colours(palette, labels),
        tooltip=[
            alt.Tooltip("label:N", title="contender"),
            alt.Tooltip("ratio:Q", title="ratio", format=".3f"),
            alt.Tooltip("interval95:N", title="95 % interval"),
            alt.Tooltip("interval90:N", title="90 % interval"),
            alt.Tooltip("verdict:N", title="verdict"),
        ],
    )
    layers = [
        _zone(margin_ratio).encode(x=along("from"), x2=alt.X2("to:Q")),
        _equality().encode(x=along("one")),
        marks.mark_rule(strokeWidth=10, strokeCap="butt", opacity=0.35).encode(
            x=along("low90"), x2=alt.X2("high90:Q")
        ),
        marks.mark_rule(strokeWidth=1.75).encode(x=along("low"), x2=alt.X2("high:Q")),
        marks.mark_point(size=62, opacity=1, filled=True).encode(
            x=along("ratio"), shape=shapes(palette, labels)
        ),
        *_arrows(rows, marks, along),
        *(_beside(rows, data, plot_width) if is_wide else _around(data, plot_width)),
        marks.mark_point(size=NEAR, opacity=0, filled=True).encode(x=along("ratio")),
    ]
    height = (ROW_HEIGHT if is_wide else TALL_ROW_HEIGHT) * max(1, len(rows))
    return alt.layer(*layers).properties(width=plot_width, height=height, title=panel.title)


def _zone(margin_ratio: float) -> Picture:
    ends = {"from": 1 / (1 + margin_ratio), "to": 1 + margin_ratio}
    return chart_of([ends]).mark_rect(color="var(--zone)")


def _equality() -> Picture:
    return chart_of([{"one": 1}]).mark_rule(color="var(--ink-soft)", strokeDash=[3, 3])


def _arrows(rows: Sequence[Mapping[str, Any]], marks: Picture, along: Any) -> list[Picture]:
    """Draw arrows for intervals that are cut off at the edge."""
    return [
        marks.transform_filter(f"isValid(datum.{field})")
        .mark_point(shape=head, size=52, filled=True, opacity=1)
        .encode(x=along(field))
        for field, head in (("beyond_low", ARROW_LEFT), ("beyond_high", ARROW))
        if any(field in row for row in rows)
    ]


def _beside(rows: Sequence[Mapping[str, Any]], data: Picture, plot_width: int) -> list[Picture]:
    """Write ratio, interval and verdict on the right of the plot."""
    right = data.encode(x=alt.XValue(plot_width))  # type: ignore[no-untyped-call]
    offset = 14 + round(CHARACTER * max((len(row["shown"]) for row in rows), default=0))
    return [
        right.mark_text(align="left", dx=14).encode(text=alt.Text("shown:N")),
        _verdicts(right, align="left", dx=offset),
    ]


def _around(data: Picture, plot_width: int) -> list[Picture]:
    """Write contender and verdict above each mark, and the figures below it."""
    left = data.encode(x=alt.XValue(0))  # type: ignore[no-untyped-call]
    right = data.encode(x=alt.XValue(plot_width))  # type: ignore[no-untyped-call]
    return [
        left.mark_text(align="left", dy=-14).encode(text=alt.Text("label:N")),
        left.mark_text(align="left", dy=14, color="var(--ink-soft)", fontSize=11).encode(
            text=alt.Text("shown:N")
        ),
        _verdicts(right, align="right", dy=-14),
    ]


def _verdicts(beside: Picture, **place: Any) -> Picture:
    # `fill`, since `color` is taken by the contenders and layers share their scales. The title is
    # not that of the tooltip, or the words would have one of their own.
    return beside.mark_text(fontWeight=600, **place).encode(
        text=alt.Text("verdict:N", title="words"), fill=alt.Fill("hue:N", scale=None)
    )
