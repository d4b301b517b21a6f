"""The paper's table of points, beside the same points computed from the measurement.

A contender gets a point for every other contender that it is better than, and half a point for
every other that it cannot be distinguished from. If all differ, these are k - 1 … 0 points; tied
contenders share the mean of their points; no order of neighbours has to be assumed.
"""

import functools
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from wirelab.analysis.cells import measured
from wirelab.analysis.comparing import Comparer
from wirelab.analysis.extension import Measurements
from wirelab.analysis.model import Measured
from wirelab.analysis.values import RunValues
from wirelab.statistics import MINIMUM_BLOCKS, Outcome
from wirelab.study import METRICS, Cell, Metric
from wirelab.terminal import words

from .model import Criterion, Group, ScoreTable
from .outcomes import Outcomes, Pair

BETTER, SAME, NOT_DISTINGUISHED = ">", "≈", "?"
"""Symbols between neighbours of an order: different, practically the same, not distinguished."""

_SIGNS = {Outcome.SAME: SAME, Outcome.CANNOT_TELL: NOT_DISTINGUISHED}
_WORTH = {Outcome.FASTER: 1.0, Outcome.SLOWER: 0.0}


@dataclass(frozen=True, slots=True)
class Points:
    """One contender's points in a line. `value` is the figure that they are based on."""

    published: float
    measured: float | None
    value: Measured | None = None


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """One criterion. `order` starts with the best; `reason` is why no points were given."""

    title: str
    metric: Metric
    points: tuple[Points, ...]
    order: str
    reason: str


@dataclass(frozen=True, slots=True)
class ScoreGroup:
    """Criteria of one kind. A sum is None if one of its lines got no points."""

    title: str
    lines: tuple[ScoreLine, ...]
    subtotal: tuple[Points, ...]


@dataclass(frozen=True, slots=True)
class Score:
    """A table of points, published and measured; columns in the order of `labels`.

    `scored` of the `criteria` got points here; `total_of_scored` is the sum over just these, for
    both sides.
    """

    source: str
    title: str
    labels: tuple[str, ...]
    protocols: tuple[str | None, ...]
    groups: tuple[ScoreGroup, ...]
    total: tuple[Points, ...]
    scored: int
    criteria: int
    total_of_scored: tuple[Points, ...]
    rule: str


def score(table: ScoreTable, measurements: Measurements) -> Score:
    """Compute the points of a published table from the measurement."""
    scoring, contenders = _Scoring.of(measurements, table), measurements.contenders
    groups = tuple(scoring.group(group) for group in table.groups)
    lines = [line for group in groups for line in group.lines]
    scored = [line for line in lines if not line.reason]
    printed = [table.total[column] for column in scoring.columns]
    printed_of_scored = [
        sum(line.points[number].published for line in scored) for number in range(len(printed))
    ]
    levels = scoring.columns.values()
    return Score(
        source=table.source,
        title=table.title,
        labels=tuple(scoring.columns),
        protocols=tuple(contenders[n].protocol if n in contenders else None for n in levels),
        groups=groups,
        total=_summed(lines, printed),
        scored=len(scored),
        criteria=len(lines),
        total_of_scored=_summed(scored, printed_of_scored),
        rule=_rule(scoring.comparer),
    )


def _rule(comparer: Comparer) -> str:
    return (
        "Measured points: one for every contender that this one is better than, half a point for"
        " every one that it was not distinguished from, so that ties share the mean of their"
        f" points. Signs between neighbours: “{BETTER}” better, “{SAME}” practically the same,"
        f" “{NOT_DISTINGUISHED}” not distinguished. Times and rates are compared within blocks,"
        f" with a margin of ±{words.percent(comparer.noise.margin_ratio)}, and corrected after"
        " Holm. Bytes are exact counts: a difference of"
        f" ±{words.percent(comparer.noise.margin_ratio)} or more counts."
    )


@dataclass(frozen=True, slots=True)
class _Scoring:
    """The data to score one table's lines. `columns` maps printed names to contenders."""

    cells: Sequence[Cell]
    values: RunValues
    comparer: Comparer
    columns: Mapping[str, str]
    outcomes: Outcomes

    @classmethod
    def of(cls, measurements: Measurements, table: ScoreTable) -> "_Scoring":
        """Decide all pairs of the table beforehand, as their p values are corrected together."""
        cells, values, comparer = measurements.cells, measurements.values, measurements.comparer
        names = measurements.study.published.names
        columns = {printed: names.level("contender", printed) for printed in table.total}
        bare = cls(cells, values, comparer, columns, Outcomes({}))
        return cls(
            cells, values, comparer, columns, Outcomes.of(bare.pairs(table), values, comparer)
        )

    def pairs(self, table: ScoreTable) -> Iterator[Pair]:
        """Yield the comparisons that the table needs, if both sides were measured."""
        for criterion in (each for group in table.groups for each in group.criteria):
            cells = [cell for cell in self._cells_of(criterion) if cell is not None]
            for a, b in itertools.combinations(cells, 2):
                yield criterion.metric, a, b

    def group(self, group: Group) -> ScoreGroup:
        """Score criteria of one kind, and add up the points."""
        lines = tuple(self._line(criterion) for criterion in group.criteria)
        printed = [group.subtotal[column] for column in self.columns]
        return ScoreGroup(group.title, lines, _summed(lines, printed))

    def _line(self, criterion: Criterion) -> ScoreLine:
        metric = METRICS[criterion.metric]
        found = self._cells_of(criterion)
        reason = self._why_not(metric, found)
        cells = [cell for cell in found if cell is not None]
        points = [
            Points(
                published=criterion.points[column],
                measured=None if reason or cell is None else self._points(metric, cell, cells),
                value=self._value(metric, cell),
            )
            for column, cell in zip(self.columns, found, strict=True)
        ]
        order = "" if reason else self._order(metric, cells)
        return ScoreLine(criterion.title, metric, tuple(points), order, reason)

    def _cells_of(self, criterion: Criterion) -> list[Cell | None]:
        """Find each contender's only cell; None if not measured, or measured in several places."""
        found = []
        for contender in self.columns.values():
            here = [
                cell
                for cell in self.cells
                if cell.contender == contender and not cell.twin and cell.matches(criterion.where)
            ]
            found.append(here[0] if len(here) == 1 else None)
        return found

    def _why_not(self, metric: Metric, found: Sequence[Cell | None]) -> str:
        counts = {
            column: len(self.values.values(metric.name, cell)) if cell else 0
            for column, cell in zip(self.columns, found, strict=True)
        }
        missing = [column for column, count in counts.items() if not count]
        if missing:
            whom = "" if len(missing) == len(counts) else f": {words.listed(missing)}"
            return f"not measured here{whom}"
        if not metric.exact and min(counts.values()) < MINIMUM_BLOCKS:
            blocks = words.plural(min(counts.values()), "block")
            return f"{blocks}, and points need {MINIMUM_BLOCKS}"
        return ""

    def _value(self, metric: Metric, cell: Cell | None) -> Measured | None:
        values = list(self.values.values(metric.name, cell).values()) if cell else []
        return measured(values) if values else None

    def _points(self, metric: Metric, cell: Cell, cells: Sequence[Cell]) -> float:
        known = self.outcomes.known
        return sum(
            _WORTH.get(known[metric.name, cell, other], 0.5) for other in cells if other != cell
        )

    def _order(self, metric: Metric, cells: Sequence[Cell]) -> str:
        """Render the contenders, the best first, with symbols between neighbours."""
        spoken = {contender: column for column, contender in self.columns.items()}
        means = {
            cell: float(np.mean(list(self.values.costs(metric.name, cell).values())))
            for cell in cells
        }

        def compared(left: Cell, right: Cell) -> int:
            """Order by the outcome; means, which may be of other blocks, only order ties."""
            match self.outcomes.known[metric.name, left, right]:
                case Outcome.FASTER:
                    return -1
                case Outcome.SLOWER:
                    return 1
            return int(np.sign(means[left] - means[right]))

        # Sorting compares all that end up as neighbours, so none of them is worse than the next.
        ordered = sorted(cells, key=functools.cmp_to_key(compared))
        text = spoken[ordered[0].contender]
        for left, right in itertools.pairwise(ordered):
            sign = _SIGNS.get(self.outcomes.known[metric.name, left, right], BETTER)
            text += f" {sign} {spoken[right.contender]}"
        return text


def _summed(lines: Sequence[ScoreLine], printed: Sequence[float]) -> tuple[Points, ...]:
    """Add up each column; return nothing if a line has no points, as the sum would be partial."""
    sums = []
    for number, published in enumerate(printed):
        given = [line.points[number].measured for line in lines]
        known = [points for points in given if points is not None]
        complete = known and len(known) == len(given)
        sums.append(Points(published, sum(known) if complete else None))
    return tuple(sums)
