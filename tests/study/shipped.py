"""Evidence for shipped studies: what the papers print."""

from collections.abc import Mapping
from itertools import cycle, islice

from wirelab.claims import ClaimEvidence
from wirelab.planning.schedule import schedule
from wirelab.study import Cell, Study

JITTER = (1.0, 1.004, 0.997, 1.002, 0.998, 1.001, 0.996, 1.003, 0.999, 1.0)


def as_published(study: Study, design: str, printed: Mapping[str, str]) -> ClaimEvidence:
    """Return evidence in which every cell measures what the paper printed, give or take 0.4 %.

    `printed` names what the paper prints in place of a metric that a claim is tested by.
    """
    plan = schedule(study, design, 1, blocks=len(JITTER))

    def values(metric: str, cell: Cell) -> dict[int, float]:
        metric = printed.get(metric, metric)
        figure = study.published.figure(metric, cell)
        if figure is None:
            return {}
        start = study.contenders.index(cell.contender) + len(cell.environment)
        jitter = islice(cycle(JITTER), start, start + len(JITTER))
        return {block: figure.values[metric] * each for block, each in enumerate(jitter)}

    return ClaimEvidence.from_schedule(plan, values)
