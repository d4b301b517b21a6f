"""The course of the session: the order of runs, and whether the machine changed during it."""

import math
from collections import Counter

import altair as alt

from wirelab.analysis import Analysis
from wirelab.bundle.run_reasons import in_words
from wirelab.planning.schedule import Run
from wirelab.report.charts.scales import Picture, chart_of, colours
from wirelab.report.palette import Palette


def schedule_grid(analysis: Analysis, palette: Palette, width: int) -> Picture:
    """Draw every run as a square, with a row for each block, in the random order."""
    faulty = {fault.run.id: fault for fault in analysis.validity.faulty}
    rows = [
        {
            "block": run.block,
            "position": position,
            "label": analysis.labels[run.cell.contender],
            "cell": run.cell.label,
            "counts": "no: " + in_words(faulty[run.id].reasons) if run.id in faulty else "yes",
        }
        for run, position in _positions(analysis).items()
    ]
    blocks = max((run.block for run in analysis.schedule.runs), default=1)
    return (
        chart_of(rows)
        .mark_rect(stroke="var(--paper)", strokeWidth=1.5)
        .encode(
            x=alt.X(
                "position:O",
                axis=alt.Axis(
                    title="order of runs within a block", titleAnchor="start", labels=False
                ),
            ),
            y=alt.Y("block:O", title=None, axis=alt.Axis(labelExpr="'block ' + datum.value")),
            color=colours(palette, analysis.labels.values()),
            opacity=alt.OpacityValue(
                0.2, condition={"test": "datum.counts === 'yes'", "value": 0.9}
            ),
            tooltip=[
                alt.Tooltip("block:O"),
                alt.Tooltip("position:O"),
                alt.Tooltip("cell:N"),
                alt.Tooltip("counts:N", title="counts"),
            ],
        )
        .properties(width=width, height=min(16, 320 // blocks) * blocks)
    )


def drift(analysis: Analysis, palette: Palette, width: int) -> Picture:
    """Draw the deviation of every run from the mean of its cell, over the session."""
    positions = _positions(analysis)
    runs = {(run.cell, run.block): run for run in positions}
    length = max(positions.values(), default=1)
    rows = []
    for setting in analysis.settings:
        for row in setting.rows:
            means = row.summary.run_times_us
            centre = math.exp(sum(math.log(mean) for mean in means.values()) / len(means))
            for block, mean in means.items():
                run = runs[row.summary.cell, block]
                rows.append(
                    {
                        "label": row.summary.label,
                        "time": run.block + (positions[run] - 1) / length,
                        "ratio": mean / centre - 1,
                        "cell": run.cell.label,
                    }
                )
    data = chart_of(rows)
    zero = (
        chart_of([{"zero": 0}])
        .mark_rule(color="var(--ink-soft)", strokeDash=[3, 3])
        .encode(y=alt.Y("zero:Q"))
    )
    dots = data.mark_circle(size=26, opacity=0.7).encode(
        x=alt.X(
            "time:Q",
            scale=alt.Scale(zero=False, nice=False),
            axis=alt.Axis(title="block", titleAnchor="start", tickMinStep=1, format="d"),
        ),
        y=alt.Y("ratio:Q", axis=alt.Axis(title=None, format="+.0%", tickCount=5)),
        color=colours(palette, analysis.labels.values()),
        tooltip=[alt.Tooltip("cell:N"), alt.Tooltip("ratio:Q", format="+.2%")],
    )
    return alt.layer(zero, dots).properties(width=width, height=140)


def _positions(analysis: Analysis) -> dict[Run, int]:
    """Count the runs of all blocks with one number, in the order in which they were started."""
    counted: Counter[int] = Counter()
    positions = {}
    for run in analysis.schedule.runs:
        counted[run.block] += 1
        positions[run] = counted[run.block]
    return positions
