"""Table 2 of sliwa-2021: the paper's points, and points by the same criteria from a measurement."""

from collections.abc import Iterator

from wirelab.analysis.extension import Additions, Caption, Extension, Measurements, Section
from wirelab.study import ClosedLoad, Study, load_extension_file
from wirelab.terminal import words

from .model import Criterion, PointsFile, ScoreTable
from .scoring import score


class Points:
    """The points as a section; captions say what points a figure over the clients got."""

    def check(self, study: Study) -> None:
        """Check points.toml."""
        load_extension_file(study, PointsFile)

    def additions(self, measurements: Measurements) -> Additions:
        """Compute the points of every table."""
        tables = load_extension_file(measurements.study, PointsFile).scores
        scores = tuple(score(table, measurements) for table in tables)
        captions = tuple(caption for table in tables for caption in _captions(table, measurements))
        return Additions((Section("points", scores, is_summary=True),), captions)


def _captions(table: ScoreTable, measurements: Measurements) -> Iterator[Caption]:
    """Yield a caption for each criterion that has cells."""
    loads = measurements.study.loads
    for criterion in (each for group in table.groups for each in group.criteria):
        cell = next((it for it in measurements.cells if it.matches(criterion.where)), None)
        if cell is not None:
            load = loads[cell.load]
            clients = load.clients if isinstance(load, ClosedLoad) else load.connections
            text = _in_words(criterion, clients, table.source)
            yield Caption(criterion.metric, criterion.where, text)


def _in_words(criterion: Criterion, clients: int, source: str) -> str:
    ordered = sorted(criterion.points.items(), key=lambda item: -item[1])
    points = ", ".join(f"{name} {given:g}" for name, given in ordered)
    source = f"{source[:1].lower()}{source[1:]}"
    said = f"points in its {source} for {words.plural(clients, 'client')}: {points}"
    return f"{criterion.figure} of the paper; {said}" if criterion.figure else words.capital(said)


EXTENSION: Extension = Points()
