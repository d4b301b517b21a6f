"""The comparisons with the baseline after each block, with their intervals."""

import math
from dataclasses import dataclass, replace
from pathlib import Path

from wirelab.analysis.cells import time_metric
from wirelab.analysis.names import label_contenders
from wirelab.analysis.settings import setting_key, setting_title
from wirelab.analysis.values import RunValues
from wirelab.bundle import Bundle
from wirelab.report.palette import Palette
from wirelab.statistics import compare
from wirelab.study import METRICS, Cell, Study, load_study


@dataclass(frozen=True, slots=True)
class RatioCourse:
    """The comparison of one contender with the baseline in one setting, after each block.

    `steps` are (blocks, ratio, low, high): the ratio as in the report, and its 95 % interval from
    two blocks on.
    """

    setting: str
    who: str
    workload: str
    load: str
    steps: tuple[tuple[int, float, float | None, float | None], ...]


class BlocksSoFar:
    """Reads blocks as they appear in a bundle, and compares contenders as the report will.

    The value of a block is the report's own; it is read once, so that a late block costs no more
    than an early one.
    """

    def __init__(self, bundle: Path) -> None:
        self._bundle = Bundle.open(bundle)
        schedule = self._bundle.schedule
        self.study: Study = load_study(self._bundle.study_folder).in_design(schedule.design)
        study, contenders = self.study, self._bundle.contenders
        ordered = sorted(contenders, key=lambda name: name != study.baseline)
        ordered_contenders = {name: contenders[name] for name in ordered}
        self.labels = label_contenders(ordered_contenders)
        """The names of contenders, the baseline first."""
        self.palette = Palette.of_contenders(ordered_contenders, self.labels)
        cells = schedule.cells
        self._titles = {setting_key(cell): setting_title(study, cell, cells) for cell in cells}
        exact = METRICS[study.metric].exact  # bytes are counted before the blocks
        self.metric = time_metric(study) if exact else study.metric
        self._ratios: dict[Cell, dict[str, float]] = {}

    @property
    def metric_title(self) -> str:
        """The metric of the ratios, in words."""
        return METRICS[self.metric].ratio_title

    def read(self, block: str) -> None:
        """Read a block; a repeated one replaces its earlier attempt."""
        counting = self._bundle.last_attempts(block)
        if not counting or counting[0].failures:
            return
        values = RunValues.from_bundle(self._bundle, self.study, block)
        cells = counting[0].block.cells
        for cell in cells:
            base = replace(cell, contender=self.study.baseline, twin=False)
            if cell != base and base in cells:
                found = values.reported_ratios(self.metric, cell, base)
                self._ratios.setdefault(cell, {})[block] = found[0] if found else math.nan

    def finished(self) -> set[str]:
        """Return the ids of all recorded blocks."""
        return self._bundle.finished_block_ids()

    def courses(self) -> list[RatioCourse]:
        """Compare every contender, and the baseline's twin, with the baseline."""
        names = list(self.labels)
        known = sorted(self._ratios, key=lambda cell: (names.index(cell.contender), cell.twin))
        known.sort(key=lambda cell: self.study.levels["workload"].index(cell.workload))
        return [
            RatioCourse(
                self._titles[setting_key(cell)],
                cell.registration,
                cell.workload,
                cell.load,
                _steps(list(self._ratios[cell].values())),
            )
            for cell in known
        ]


def _steps(ratios: list[float]) -> tuple[tuple[int, float, float | None, float | None], ...]:
    steps = []
    valid = [ratio for ratio in ratios if math.isfinite(ratio)]
    for count in range(1, len(valid) + 1):
        comparison = compare(valid[:count])
        interval = comparison.interval95
        low, high = (None, None) if interval is None else (interval.low, interval.high)
        steps.append((count, comparison.ratio, low, high))
    return tuple(steps)
