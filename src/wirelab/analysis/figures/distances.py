"""Distances between cells: by what factor each cause contributes to them."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wirelab.analysis.values import RunValues
from wirelab.statistics import BlockValue, Comparison, Method, compare
from wirelab.study import FACTORS, METRICS, Cell, Distance, Study, Where
from wirelab.terminal import words


@dataclass(frozen=True, slots=True)
class CausedPart:
    """How many times as large a distance is due to one cause."""

    cause: str
    comparison: Comparison


@dataclass(frozen=True, slots=True)
class SplitDistance:
    """The distance between two cells, and its parts: their product is the whole, but for noise."""

    title: str
    metric_title: str
    whole: Comparison
    parts: tuple[CausedPart, ...]

    @property
    def sentence(self) -> str:
        """The distance and its parts in words."""
        parts = (f"{words.times(part.comparison.ratio)} by {part.cause}" for part in self.parts)
        interval = self.whole.interval95
        whole = f"{words.times(self.whole.ratio, interval)} {words.between(interval)}".rstrip()
        return f"{self.title}: {whole} the {self.metric_title}, namely {words.listed(parts)}."


def split_distances(
    study: Study, cells: Sequence[Cell], values: RunValues, method: Method = Method.PAIRED_T
) -> tuple[SplitDistance, ...]:
    """Split every distance of the study whose cells were all measured in some common block."""
    known = [cell for cell in cells if not cell.twin]
    found = (_split(study, each, known, values, method) for each in study.distances)
    return tuple(each for each in found if each is not None)


def _split(
    study: Study, distance: Distance, cells: Sequence[Cell], values: RunValues, method: Method
) -> SplitDistance | None:
    first = next((cell for cell in cells if cell.matches(distance.steps[0].near)), None)
    if first is None:
        return None
    metric = METRICS[distance.metric or study.metric]
    steps: list[Mapping[int, BlockValue]] = []
    for step in distance.steps:
        near, far = _cell(step.near, first, cells), _cell(step.far, first, cells)
        if near is None or far is None:
            return None
        steps.append(values.block_values(metric.name, far, near))
    blocks = sorted(set.intersection(*({*step} for step in steps)))
    if not blocks:
        return None

    def compared(log_ratios: Sequence[BlockValue]) -> Comparison:
        reported = [each.inverted() if metric.is_reported_inverted else each for each in log_ratios]
        return compare(reported, margin_ratio=study.margin, method=method)

    parts = [compared([steps[0][block] for block in blocks])]
    for before, after in itertools.pairwise(steps):
        parts.append(compared([after[block].minus(before[block]) for block in blocks]))
    return SplitDistance(
        title=distance.title,
        metric_title=metric.inverse if metric.is_reported_inverted else metric.title,
        whole=compared([steps[-1][block] for block in blocks]),
        parts=tuple(map(CausedPart, (step.cause for step in distance.steps), parts)),
    )


def _cell(where: Where, first: Cell, cells: Sequence[Cell]) -> Cell | None:
    """Return the cell at some levels, with those of the first cell in all other factors."""
    others = [factor for factor in FACTORS if where.levels(factor) is None]
    return next(
        (
            cell
            for cell in cells
            if cell.matches(where)
            and all(cell.level(factor) == first.level(factor) for factor in others)
        ),
        None,
    )
