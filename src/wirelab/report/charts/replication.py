"""Published and measured figures side by side."""

import altair as alt

from wirelab.analysis.model import PublishedTable
from wirelab.report.charts.scales import Picture, chart_of, padded, ticks
from wirelab.report.theme import colour

ROW_HEIGHT = 22


def published_and_measured(table: PublishedTable, width: int) -> Picture:
    """Join each published value (ring) with the measured one (disc); None if none was measured.

    Only the first metric of the table is drawn: the paper's claims are based on it.
    """
    rows = [row for row in table.rows if row.measured and row.measured[0] is not None]
    if not rows:
        return None
    metric = table.metrics[0]
    divisor, unit = (1000.0, "ms") if metric.unit == "µs" else (1.0, metric.unit)
    data = [
        {
            "row": row.label,
            "published": row.published[0] / divisor,
            "measured": row.measured[0].value / divisor,
        }
        for row in rows
        if row.measured[0] is not None
    ]
    protocols = {row.label: row.protocol or "other" for row in rows}
    ends = [float(str(each[side])) for each in data for side in ("published", "measured")]
    domain = padded(ends)
    scale = alt.Scale(type="log", domain=list(domain), nice=False)
    axis = alt.Axis(
        values=ticks(*domain),
        format="~s" if divisor == 1 else "~g",
        title=f"{metric.title}, {unit}",
        titleAnchor="start",
    )
    y = alt.Y("row:N", sort=list(protocols), title=None, axis=alt.Axis(grid=False, labelLimit=260))
    hues = alt.Scale(domain=list(protocols), range=[colour(each) for each in protocols.values()])
    hue = alt.Color("row:N", scale=hues, legend=None)
    tooltip = [
        alt.Tooltip("row:N", title="cell"),
        alt.Tooltip("published:Q", format=",.4~g"),
        alt.Tooltip("measured:Q", format=",.4~g"),
    ]
    base = chart_of(data).encode(y=y, color=hue, tooltip=tooltip)
    x = {side: alt.X(f"{side}:Q", scale=scale, axis=axis) for side in ("published", "measured")}
    line = base.mark_rule(strokeWidth=1.5, opacity=0.5).encode(
        x=x["published"], x2=alt.X2("measured:Q")
    )
    ring = base.mark_point(size=55, filled=False, strokeWidth=2).encode(x=x["published"])
    disc = base.mark_circle(size=65, opacity=1).encode(x=x["measured"])
    return alt.layer(line, ring, disc).properties(
        width=width, height=ROW_HEIGHT * len(data), title=f"{table.source}: {table.title}"
    )
