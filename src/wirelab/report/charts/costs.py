"""The costs of an answer besides time: bytes on the wire, CPU by role, the store's part."""

from collections.abc import Sequence

import altair as alt

from wirelab.analysis import Setting
from wirelab.analysis.model import ROLES, StoreShare, WireCost
from wirelab.report.charts.scales import Picture, chart_of, colours
from wirelab.report.palette import Palette

ROW_HEIGHT = 24
THOUSANDS = "datum.value === 0 ? '0' : format(datum.value, '~s')"
_NAMES = alt.Axis(minExtent=76, grid=False)


def bytes_on_the_wire(
    costs: Sequence[WireCost], palette: Palette, title: str, width: int
) -> Picture:
    """Stack the bytes of a single request: its own, and those of the connection's set-up."""
    rows = [
        {"label": cost.label, "part": part, "order": order, "bytes": value}
        for cost in costs
        for order, (part, value) in enumerate(
            (("each request", cost.fit.marginal), ("connection set-up", cost.fit.setup))
        )
    ]
    return _stacked(
        rows,
        palette,
        title,
        width,
        value="bytes",
        axis=alt.Axis(labelExpr=THOUSANDS, title="bytes, first request included", tickCount=5),
        parts=("each request", "connection set-up"),
        opacities=(1.0, 0.35),
    )


def cpu_by_role(setting: Setting, palette: Palette, width: int) -> Picture:
    """Stack the CPU time of one transaction by role."""
    rows = [
        {
            "label": row.summary.label,
            "part": role,
            "order": order,
            "time": row.summary.cpu_us[role].value,
        }
        for row in setting.rows
        for order, role in enumerate(ROLES)
        if role in row.summary.cpu_us
    ]
    return _stacked(
        rows,
        palette,
        setting.title,
        width,
        value="time",
        axis=alt.Axis(labelExpr=THOUSANDS, title="CPU µs per transaction", tickCount=5),
        parts=ROLES,
        opacities=(1.0, 0.8, 0.65, 0.45, 0.3, 0.2),
    )


def store_part(shares: Sequence[StoreShare], palette: Palette, title: str, width: int) -> Picture:
    """Split the response time into that of the control operation and the rest."""
    parts = ("like the control", "beyond the control")
    rows = [
        {"label": share.label, "part": part, "order": order, "time": value / 1000}
        for share in shares
        for order, (part, value) in enumerate(
            zip(parts, (share.control_us, share.latency_us - share.control_us), strict=True)
        )
    ]
    return _stacked(
        rows,
        palette,
        title,
        width,
        value="time",
        axis=alt.Axis(title="response time, ms", tickCount=5),
        parts=parts,
        opacities=(0.35, 1.0),
    )


def _stacked(
    rows: list[dict[str, object]],
    palette: Palette,
    title: str,
    width: int,
    *,
    value: str,
    axis: alt.Axis,
    parts: Sequence[str],
    opacities: Sequence[float],
) -> Picture:
    """Stack parts in one bar per contender; parts differ in opacity, contenders in hue."""
    axis.titleAnchor = "start"
    labels = palette.ordered(str(row["label"]) for row in rows)
    return (
        chart_of(rows)
        .mark_bar(size=14)
        .encode(
            x=alt.X(f"{value}:Q", axis=axis, stack="zero"),
            y=alt.Y("label:N", sort=labels, title=None, axis=_NAMES),
            color=colours(palette, labels),
            opacity=alt.Opacity(
                "part:O", scale=alt.Scale(domain=list(parts), range=list(opacities)), legend=None
            ),
            order=alt.Order("order:Q"),
            tooltip=[
                alt.Tooltip("label:N", title="contender"),
                alt.Tooltip("part:N"),
                alt.Tooltip(f"{value}:Q", format=",.4~g"),
            ],
        )
        .properties(width=width, height=ROW_HEIGHT * max(1, len(labels)), title=title)
    )
