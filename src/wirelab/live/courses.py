"""How comparisons developed from block to block, and the names by which the page shows them."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from wirelab.analysis.cells import time_metric
from wirelab.analysis.names import label_contenders
from wirelab.analysis.settings import setting_key, setting_title
from wirelab.analysis.wording import wording_of
from wirelab.bundle import Bundle
from wirelab.experiment.events import ComparisonSoFar
from wirelab.report.palette import Palette
from wirelab.study import METRICS, Cell, Study, load_study
from wirelab.terminal import words

Step = tuple[int, float, float | None, float | None]
"""The number of blocks, the ratio as in the report, and the ends of its 95 % interval, if any."""


@dataclass
class RatioCourse:
    """The comparison of A with B after each block."""

    latest: ComparisonSoFar
    steps: dict[int, Step] = field(default_factory=dict)

    @property
    def intervals(self) -> list[tuple[float, float]]:
        """The intervals after each block, where there are any."""
        return [
            (low, high)
            for _, _, low, high in self.steps.values()
            if low is not None and high is not None
        ]

    @property
    def estimate(self) -> str:
        """The ratio after the latest block with its interval; "" without a value."""
        if self.latest.ratio is None:
            return ""
        low, high = self.latest.low, self.latest.high
        interval = None if low is None or high is None else (low, high)
        return words.estimate(self.latest.ratio, interval)

    def add(self, comparison: ComparisonSoFar) -> None:
        """Add the comparison after a further block; one without a value adds nothing."""
        self.latest = comparison
        if comparison.ratio is not None:
            blocks, ratio = comparison.blocks, comparison.ratio
            self.steps[blocks] = (blocks, ratio, comparison.low, comparison.high)

    def inverted_steps(self) -> list[Step]:
        """Return the steps of the comparison of B with A."""
        return [
            (blocks, 1 / ratio, high and 1 / high, low and 1 / low)
            for blocks, ratio, low, high in self.steps.values()
        ]


@dataclass(frozen=True, slots=True)
class BaselineCourse:
    """How one contender, or the baseline's twin, compared with the baseline in one setting."""

    setting: str
    who: str
    workload: str
    load: str
    steps: tuple[Step, ...]


class StudyNames:
    """What a bundle says of its study: labels of contenders, titles of settings, colours."""

    def __init__(self, bundle: Path) -> None:
        opened = Bundle.open(bundle)
        schedule = opened.schedule
        self.study: Study = load_study(opened.study_folder).in_design(schedule.design)
        study, contenders = self.study, opened.contenders
        ordered = sorted(contenders, key=lambda name: name != study.baseline)
        self.labels = label_contenders({name: contenders[name] for name in ordered})
        """The names of contenders, the baseline first."""
        self.palette = Palette.of_contenders(
            {name: contenders[name] for name in ordered}, self.labels
        )
        order = study.levels["workload"].index
        cells = sorted(schedule.cells, key=lambda cell: order(cell.workload))
        self._titles = {setting_key(cell): setting_title(study, cell, cells) for cell in cells}
        is_counted = METRICS[study.metric].exact  # before the blocks
        metric = METRICS[time_metric(study) if is_counted else study.metric]
        self.metric_title = metric.ratio_title
        """The metric of the ratios, in words."""
        self.wording = wording_of(metric)

    @property
    def titles(self) -> list[str]:
        """The titles of all settings, in the order of the study."""
        return list(self._titles.values())

    def title(self, cell: Cell) -> str:
        """Return the title of a cell's setting."""
        return self._titles[setting_key(cell)]

    def title_of_all(self, cells: Sequence[Cell]) -> str:
        """Name what a block measures: a setting, or the workload that its settings share."""
        first, *others = dict.fromkeys(self.title(cell) for cell in cells)
        if not others:
            return first
        return self.study.workloads[cells[0].workload].heading

    def against_baseline(
        self, courses: dict[tuple[Cell, Cell], RatioCourse]
    ) -> list[BaselineCourse]:
        """Return the comparisons of each contender, and of the twins, with the baseline."""
        shown = []
        for (a, b), course in courses.items():
            if self._is_baseline_of(b, a):
                shown.append((a, list(course.steps.values())))
            elif self._is_baseline_of(a, b):
                shown.append((b, course.inverted_steps()))
        names, workloads = list(self.labels), self.study.levels["workload"]
        shown.sort(key=lambda each: (names.index(each[0].contender), each[0].twin))
        shown.sort(key=lambda each: workloads.index(each[0].workload))
        return [
            BaselineCourse(
                self.title(cell), cell.registration, cell.workload, cell.load, tuple(steps)
            )
            for cell, steps in shown
            if steps
        ]

    def _is_baseline_of(self, cell: Cell, other: Cell) -> bool:
        return cell == replace(other, contender=self.study.baseline, twin=False)
