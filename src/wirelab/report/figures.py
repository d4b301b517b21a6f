"""Which pictures a report shows, with captions; drawn once, used by every format that shows any."""

from collections.abc import Iterator
from dataclasses import dataclass

from altair.utils.schemapi import debug_mode

from wirelab.analysis import Analysis, Judged, Setting, words
from wirelab.analysis.sweep import Sweep
from wirelab.report.charts.costs import bytes_on_the_wire, cpu_by_role, store_part
from wirelab.report.charts.forest import Panel, forest, panel_of
from wirelab.report.charts.latency import run_means, spectrum
from wirelab.report.charts.paper import paper_picture
from wirelab.report.charts.replication import published_and_measured
from wirelab.report.charts.scales import Picture
from wirelab.report.charts.session import drift, schedule_grid
from wirelab.report.charts.sweep import over_clients, with_most_clients
from wirelab.report.vega import Drawing, draw

MOST_SETTINGS = 12
"""So many settings get pictures of their own; a page with more would be too large to send."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture in the widths that suit wide and narrow windows; `narrow` may be the same."""

    name: str
    wide: Drawing
    narrow: Drawing | None


@dataclass(frozen=True, slots=True)
class Figures:
    """All pictures of a report, by the section that they belong to."""

    forest: Figure | None
    factors: tuple[Figure, ...]
    spectra: tuple[Figure, ...]
    run_means: tuple[Figure, ...]
    wire: tuple[Figure, ...]
    cpu: tuple[Figure, ...]
    store: tuple[Figure, ...]
    paper: tuple[Figure, ...]
    published: tuple[Figure, ...]
    sweeps: tuple[tuple[Figure | None, ...], ...]
    schedule: Figure
    drift: Figure | None
    left_out: int
    """How many settings have no pictures of their own."""


def draw_figures(analysis: Analysis) -> Figures:
    """Draw everything."""
    # Checking every part of every chart against the schema takes longer than drawing; the tests do.
    with debug_mode(False):
        return _draw(analysis)


def _draw(analysis: Analysis) -> Figures:
    settings = analysis.settings[:MOST_SETTINGS]
    compared = [s for s in settings if any(row.against_baseline for row in s.rows)]
    return Figures(
        forest=_forest("forest", [panel_of(s) for s in compared], analysis) if compared else None,
        factors=tuple(_factors(analysis)),
        spectra=tuple(
            _one(f"spectrum-{n}", picture, f"Response time by percentile: {s.title}")
            for n, s in enumerate(settings)
            if (picture := spectrum(s, 340)) is not None
        ),
        run_means=tuple(
            _one(f"runs-{n}", run_means(s, 300), f"Mean of every run: {s.title}")
            for n, s in enumerate(settings)
        ),
        wire=tuple(_wire(analysis)),
        cpu=tuple(
            _one(f"cpu-{n}", cpu_by_role(s, 300), f"CPU time by role: {s.title}")
            for n, s in enumerate(settings)
            if any(row.summary.cpu_us for row in s.rows)
        ),
        store=tuple(_store(analysis, settings)),
        paper=tuple(
            _one(
                f"paper-{n}",
                paper_picture(drawn, 420),
                f"{drawn.chart.source}, measured here: {drawn.chart.title}",
            )
            for n, drawn in enumerate(analysis.charts)
        ),
        published=tuple(
            _one(f"published-{n}", picture, f"Published and measured: {table.title}")
            for n, table in enumerate(analysis.published)
            if (picture := published_and_measured(table, 260)) is not None
        ),
        sweeps=tuple(tuple(_sweep(n, sweep)) for n, sweep in enumerate(analysis.sweeps)),
        schedule=_two(
            "schedule",
            schedule_grid(analysis, 760),
            schedule_grid(analysis, 290),
            "Order of all runs, a row for each block",
        ),
        drift=_two(
            "drift",
            drift(analysis, 760),
            drift(analysis, 290),
            "Departure of every run from the mean of its cell, over the session",
        )
        if analysis.settings
        else None,
        left_out=len(analysis.settings) - len(settings),
    )


def _forest(name: str, panels: list[Panel], analysis: Analysis) -> Figure:
    margin = analysis.noise.margin_ratio
    return _two(
        name,
        forest(panels, margin, 500, wordy=True),
        forest(panels, margin, 190, wordy=False),
        f"Response time relative to {panels[0].relative_to} with 95 % intervals; differences up to"
        f" ±{words.percent(margin)} count as practically the same",
    )


def _factors(analysis: Analysis) -> Iterator[Figure]:
    """Draw the answers that compare something else than contenders, such as environments."""
    for answer in analysis.answers:
        if answer.setting is not None or not answer.pairs:
            continue
        groups: dict[tuple[str, str, str], list[Judged]] = {}
        for pair in answer.pairs:
            workload = analysis.study.workloads[pair.a.workload].title
            groups.setdefault((workload, pair.a_label, pair.b_label), []).append(pair)
        panels = [
            Panel(
                f"{workload[:1].upper()}{workload[1:]} · {a_label} relative to {b_label}",
                b_label,
                tuple(
                    (
                        analysis.labels[pair.a.contender],
                        analysis.contenders[pair.a.contender].protocol,
                        pair,
                    )
                    for pair in pairs
                ),
                "not asked",
            )
            for (workload, a_label, b_label), pairs in groups.items()
        ]
        yield _forest(f"factor-{answer.question}", panels[:MOST_SETTINGS], analysis)


def _wire(analysis: Analysis) -> Iterator[Figure]:
    for number, (name, workload) in enumerate(analysis.study.workloads.items()):
        costs = [cost for cost in analysis.wire if cost.workload == name]
        if costs:
            title = workload.title[:1].upper() + workload.title[1:]
            picture = bytes_on_the_wire(costs, title, 300)
            yield _one(f"wire-{number}", picture, f"Bytes on the wire: {workload.title}")


def _store(analysis: Analysis, settings: tuple[Setting, ...]) -> Iterator[Figure]:
    for number, setting in enumerate(settings):
        members = {row.summary.cell for row in setting.rows}
        shares = [share for share in analysis.store_shares if share.cell in members]
        if shares:
            picture = store_part(shares, setting.title, 300)
            description = f"Response time within and beyond the control: {setting.title}"
            yield _one(f"store-{number}", picture, description)


def _sweep(number: int, sweep: Sweep) -> Iterator[Figure | None]:
    """Draw the panels of a sweep, in their order; None where there is nothing to draw."""
    for place, panel in enumerate(sweep.panels):
        picture = with_most_clients(panel, 230) if panel.last_only else over_clients(panel, 200)
        description = f"{panel.title}: {sweep.title}"
        yield _one(f"sweep-{number}-{place}", picture, description) if picture is not None else None


def _one(name: str, picture: Picture, description: str) -> Figure:
    return Figure(name, draw(picture, name, description), None)


def _two(name: str, wide: Picture, narrow: Picture, description: str) -> Figure:
    return Figure(
        name,
        draw(wide, f"{name}-wide", description),
        draw(narrow, f"{name}-narrow", description),
    )
