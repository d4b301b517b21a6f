"""The charts of a report with captions, drawn once for all formats."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from altair.utils.schemapi import debug_mode

from wirelab.analysis import Analysis, ComparedPair, Setting
from wirelab.analysis.answers.questions import compared_where
from wirelab.analysis.figures.sweep import Sweep
from wirelab.report.charts.costs import bytes_on_the_wire, cpu_by_role, store_part
from wirelab.report.charts.forest import Panel, forest, other_side, panels_of
from wirelab.report.charts.latency import run_means, spectrum
from wirelab.report.charts.over_window import over_window
from wirelab.report.charts.paper import paper_picture
from wirelab.report.charts.replication import published_and_measured
from wirelab.report.charts.scales import Picture, shared_parts
from wirelab.report.charts.session import drift, schedule_grid
from wirelab.report.charts.sweep import over_clients, with_most_clients
from wirelab.report.palette import Palette
from wirelab.report.vega import Drawing, draw
from wirelab.terminal import words

_QUANTITIES = {"time": "Response time", "rate": "Rate within the objective"}

MOST_SETTINGS = 12
"""Maximum number of settings with separate charts; more would make the page too large."""

MOST_ROWS = 24
"""Maximum number of rows, including titles, of the chart that is initially visible."""


@dataclass(frozen=True, slots=True)
class DrawnFigure:
    """A chart in widths for wide and narrow windows; `narrow` may be the same."""

    name: str
    wide: Drawing
    narrow: Drawing | None


@dataclass(frozen=True, slots=True)
class DrawnFigures:
    """All charts of a report, by section."""

    forest: DrawnFigure | None
    more_forest: DrawnFigure | None
    """The settings that do not fit into the first chart."""
    factors: tuple[DrawnFigure, ...]
    spectra: tuple[DrawnFigure, ...]
    run_means: tuple[DrawnFigure, ...]
    over_windows: tuple[DrawnFigure, ...]
    wire: tuple[DrawnFigure, ...]
    cpu: tuple[DrawnFigure, ...]
    store: tuple[DrawnFigure, ...]
    paper: tuple[DrawnFigure, ...]
    published: tuple[DrawnFigure, ...]
    sweeps: tuple[tuple[DrawnFigure | None, ...], ...]
    schedule: DrawnFigure
    drift: DrawnFigure | None
    left_out: int
    """The number of settings without separate charts."""


def draw_figures(analysis: Analysis, palette: Palette) -> DrawnFigures:
    """Draw all charts."""
    # Checking every part of every chart against the schema takes longer than drawing; the tests do.
    with debug_mode(False), shared_parts():
        return _Artist(analysis, palette).draw()


@dataclass(frozen=True, slots=True)
class _Artist:
    analysis: Analysis
    palette: Palette

    def draw(self) -> DrawnFigures:
        analysis = self.analysis
        settings = analysis.settings[:MOST_SETTINGS]
        panels = panels_of(settings, self.palette)
        first = _that_fit(panels)
        return DrawnFigures(
            forest=self._forest("forest", panels[:first]) if panels else None,
            more_forest=self._forest("more-forest", panels[first:]) if panels[first:] else None,
            factors=tuple(self._factors()),
            spectra=tuple(
                _one(f"spectrum-{n}", picture, f"Response time by percentile: {s.title}")
                for n, s in enumerate(settings)
                if (picture := spectrum(s, self.palette, 320)) is not None
            ),
            run_means=tuple(
                _one(
                    f"runs-{n}",
                    run_means(s, self.palette, 300),
                    f"{words.capital(s.time_title)} of every run: {s.title}",
                )
                for n, s in enumerate(settings)
            ),
            over_windows=tuple(
                _one(
                    f"window-{n}",
                    over_window(drawn, self.palette, 290),
                    f"Median {drawn.time_title} and rate by {drawn.unit}: {drawn.title}",
                )
                for n, drawn in enumerate(analysis.figures.over_windows)
                if drawn.setting in {setting.key for setting in settings}
            ),
            wire=tuple(self._wire()),
            cpu=tuple(
                _one(f"cpu-{n}", cpu_by_role(s, self.palette, 300), f"CPU time by role: {s.title}")
                for n, s in enumerate(settings)
                if any(row.summary.cpu_us for row in s.rows)
            ),
            store=tuple(self._store(settings)),
            paper=tuple(
                _one(
                    f"paper-{n}",
                    paper_picture(drawn, self.palette, 420),
                    f"{drawn.chart.source}, measured here: {drawn.chart.title}",
                )
                for n, drawn in enumerate(analysis.figures.charts)
            ),
            published=tuple(
                _one(f"published-{n}", picture, f"Published and measured: {table.title}")
                for n, table in enumerate(analysis.paper.published)
                if (picture := published_and_measured(table, 260)) is not None
            ),
            sweeps=tuple(
                tuple(self._sweep(n, sweep)) for n, sweep in enumerate(analysis.figures.sweeps)
            ),
            schedule=_two(
                "schedule",
                schedule_grid(analysis, self.palette, 760),
                schedule_grid(analysis, self.palette, 290),
                "Order of all runs, with a row for each block",
            ),
            drift=_two(
                "drift",
                drift(analysis, self.palette, 760),
                drift(analysis, self.palette, 290),
                "Deviation of every run from the mean of its cell, over the session",
            )
            if analysis.settings
            else None,
            left_out=len(analysis.settings) - len(settings),
        )

    def _forest(self, name: str, panels: Sequence[Panel]) -> DrawnFigure:
        margin = self.analysis.noise.margin_ratio
        other = other_side(panels) or "the contender that each title names"
        return _two(
            name,
            forest(panels, self.palette, margin, 470, is_wide=True),
            forest(panels, self.palette, margin, 290, is_wide=False),
            f"{_QUANTITIES[panels[0].quantity]} relative to {other} with 90 % and 95 % intervals;"
            f" differences up to ±{words.percent(margin)} count as practically the same",
        )

    def _factors(self) -> Iterator[DrawnFigure]:
        """Draw the answers that compare other factors than contenders, such as environments."""
        study, labels = self.analysis.study, self.analysis.labels
        for answer in self.analysis.answers:
            if answer.setting is not None or not answer.pairs:
                continue
            groups: dict[tuple[tuple[str, ...], str, str], list[ComparedPair]] = {}
            for pair in answer.pairs:
                where = compared_where(study, answer, pair)
                groups.setdefault((where, pair.a_label, pair.b_label), []).append(pair)
            panels = [
                Panel(
                    words.capital(" · ".join((*where, f"{a_label} relative to {b_label}"))),
                    b_label,
                    tuple((labels[pair.a.contender], pair) for pair in pairs),
                    study.primary.reported_as,
                )
                for (where, a_label, b_label), pairs in groups.items()
            ]
            yield self._forest(f"factor-{answer.question}", panels[:MOST_SETTINGS])

    def _wire(self) -> Iterator[DrawnFigure]:
        for number, (name, workload) in enumerate(self.analysis.study.workloads.items()):
            costs = [cost for cost in self.analysis.figures.wire if cost.workload == name]
            if costs:
                picture = bytes_on_the_wire(costs, self.palette, workload.heading, 300)
                yield _one(f"wire-{number}", picture, f"Bytes on the wire: {workload.title}")

    def _store(self, settings: Sequence[Setting]) -> Iterator[DrawnFigure]:
        for number, setting in enumerate(settings):
            members = {row.summary.cell for row in setting.rows}
            shares = [
                share for share in self.analysis.figures.store_shares if share.cell in members
            ]
            if shares:
                picture = store_part(shares, self.palette, setting.title, 300)
                description = f"Response time within and beyond the control: {setting.title}"
                yield _one(f"store-{number}", picture, description)

    def _sweep(self, number: int, sweep: Sweep) -> Iterator[DrawnFigure | None]:
        """Draw the panels of a sweep, in order; None if there is nothing to draw."""
        for index, panel in enumerate(sweep.panels):
            picture = (
                with_most_clients(panel, self.palette, 230)
                if panel.last_only
                else over_clients(panel, self.palette, 200)
            )
            name, description = f"sweep-{number}-{index}", f"{panel.title}: {sweep.title}"
            yield _one(name, picture, description) if picture is not None else None


def _that_fit(panels: Sequence[Panel]) -> int:
    """Count the panels that fit into the first chart: at least one."""
    rows = list(itertools.accumulate(len(panel.rows) + 1 for panel in panels))
    return max(1, sum(count <= MOST_ROWS for count in rows))


def _one(name: str, picture: Picture, description: str) -> DrawnFigure:
    return DrawnFigure(name, draw(picture, name, description), None)


def _two(name: str, wide: Picture, narrow: Picture, description: str) -> DrawnFigure:
    return DrawnFigure(
        name,
        draw(wide, f"{name}-wide", description),
        draw(narrow, f"{name}-narrow", description, tooltips=False),  # phones have no pointer
    )
