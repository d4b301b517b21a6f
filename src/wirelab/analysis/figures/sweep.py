"""How a study's figures change with the number of clients, from all of its closed loads."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from wirelab.analysis.cells import measured
from wirelab.analysis.extension import Caption
from wirelab.analysis.figures.curves import curve_title, over_clients
from wirelab.analysis.model import Measured
from wirelab.analysis.values import RunValues
from wirelab.bundle import ContenderRecord
from wirelab.study import METRICS, Cell, ClosedLoad, Design, Metric, Study
from wirelab.terminal import words

TIME, RATE = METRICS["latency_mean_us"], METRICS["throughput_per_s"]


@dataclass(frozen=True, slots=True)
class SweepPoint:
    """One contender with a number of clients, and the paper's value for it."""

    clients: int
    value: Measured
    published: float | None


@dataclass(frozen=True, slots=True)
class SweepLine:
    """One contender, from the fewest clients to the most."""

    label: str
    protocol: str
    points: tuple[SweepPoint, ...]

    def at(self, clients: int) -> SweepPoint | None:
        """Return the point for a number of clients; None if it has no valid run."""
        return next((point for point in self.points if point.clients == clients), None)


@dataclass(frozen=True, slots=True)
class SweepPanel:
    """One metric of one workload over the number of clients; `note` is a caption or "".

    With `last_only`, the metric is proportional to the number of clients, and only the largest
    number is worth showing.
    """

    title: str
    unit: str
    lines: tuple[SweepLine, ...]
    note: str
    last_only: bool = False


@dataclass(frozen=True, slots=True)
class Sweep:
    """One workload in one place, under closed loads that differ in their number of clients."""

    title: str
    clients: tuple[int, ...]
    panels: tuple[SweepPanel, ...]

    @property
    def has_published(self) -> bool:
        """Whether a paper prints any value of it."""
        lines = [line for panel in self.panels for line in panel.lines]
        return any(point.published is not None for line in lines for point in line.points)


def sweeps(
    study: Study,
    cells: Sequence[Cell],
    values: RunValues,
    contenders: Mapping[str, ContenderRecord],
    *,
    labels: Mapping[str, str],
    design: Design,
    captions: Sequence[Caption] = (),
) -> tuple[Sweep, ...]:
    """Make a sweep of every workload and place with more than one number of clients."""
    counted = [cell for cell in cells if not cell.twin and cell in values.runs]
    sweeping = _Sweeping(study, design, values, labels, contenders, captions)
    made = [sweeping.sweep(list(group), cells) for group in over_clients(study, counted)]
    return tuple(sweep for sweep in made if len(sweep.clients) > 1)


@dataclass(frozen=True, slots=True)
class _Sweeping:
    """The data for the panels of a sweep."""

    study: Study
    design: Design
    values: RunValues
    labels: Mapping[str, str]
    contenders: Mapping[str, ContenderRecord]
    captions: Sequence[Caption]

    def sweep(self, members: Sequence[Cell], cells: Sequence[Cell]) -> Sweep:
        return Sweep(
            title=curve_title(self.study, members[0], cells, over="load"),
            clients=tuple(sorted({self._clients(cell) for cell in members})),
            panels=tuple(self._panels(members)),
        )

    def _panels(self, members: Sequence[Cell]) -> Iterator[SweepPanel]:
        for metric in (RATE, TIME):
            yield SweepPanel(
                title=words.capital(metric.title),
                unit=metric.unit,
                lines=self._lines(members, metric),
                note=self._note(members, metric.name),
            )
        most = max(self._clients(cell) for cell in members)
        window = self.design.window
        each = window.transactions_per_client if window else None
        received = [cell for cell in members if self._clients(cell) == most]
        title = f"Received by {words.plural(most, 'client')}"
        yield SweepPanel(
            title=f"{title}, {each} requests each" if each else f"{title} in a second",
            unit="MB",
            lines=self._received(received, bool(each)),
            note=self._note(members, "wire_marginal_bytes"),
            last_only=True,
        )

    def _lines(self, members: Sequence[Cell], metric: Metric) -> tuple[SweepLine, ...]:
        def points(cells: Sequence[Cell]) -> Iterator[SweepPoint]:
            for cell in cells:
                found = list(self.values.values(metric.name, cell).values())
                if found:
                    printed = self.study.published.figure(metric.name, cell)
                    published = printed.values[metric.name] if printed else None
                    yield SweepPoint(self._clients(cell), measured(found), published)

        return tuple(
            self._line(name, tuple(points(cells))) for name, cells in self._each(members).items()
        )

    def _received(self, members: Sequence[Cell], counted: bool) -> tuple[SweepLine, ...]:
        """Return bytes on the sockets: of the whole window if clients count, else per second."""
        factor = "transactions" if counted else "throughput_per_s"
        lines = []
        for name, cells in self._each(members).items():
            points = []
            for cell in cells:
                times = self.values.column(cell, factor)
                each = self.values.column(cell, "received_bytes_per_transaction")
                costs = [each[block] * times[block] / 1e6 for block in each if block in times]
                if costs:
                    points.append(SweepPoint(self._clients(cell), measured(costs), None))
            lines.append(self._line(name, tuple(points)))
        return tuple(lines)

    def _each(self, members: Sequence[Cell]) -> dict[str, list[Cell]]:
        ordered: dict[str, list[Cell]] = {}
        for cell in sorted(members, key=self._clients):
            ordered.setdefault(cell.contender, []).append(cell)
        return {name: ordered[name] for name in self.study.contenders if name in ordered}

    def _line(self, name: str, points: tuple[SweepPoint, ...]) -> SweepLine:
        return SweepLine(self.labels[name], self.contenders[name].protocol, points)

    def _clients(self, cell: Cell) -> int:
        load = self.study.loads[cell.load]
        return load.clients if isinstance(load, ClosedLoad) else load.connections

    def _note(self, members: Sequence[Cell], metric: str) -> str:
        """Return the first caption about this metric of these cells; "" if there is none."""
        for caption in self.captions:
            if caption.metric == metric and any(cell.matches(caption.where) for cell in members):
                return caption.text
        return ""
