"""Designs: how thoroughly a study is run."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal, Self

from pydantic import Field, PositiveFloat

from wirelab.inputs.bounds import MOST_BLOCKS
from wirelab.inputs.file_model import FileModel, Misfit
from wirelab.study.cell import Cell, cross
from wirelab.study.experiment import Experiment, OpenData
from wirelab.study.levels import (
    ContenderName,
    EnvironmentName,
    Factor,
    LoadName,
    Name,
    NetworkName,
    ProxyName,
    StoreName,
    WorkloadName,
    plural,
)
from wirelab.study.limits import RoleLimits
from wirelab.study.metrics import PrimaryMetricName
from wirelab.study.slices import Slices, WarmUp
from wirelab.study.window import Window, Wire

FIRST_VERDICT = 4
"""The number of blocks after which a design first decides: that of the repeated t test. A copy,
because the statistics take long to import."""

VERDICT_BLOCKS = 6
"""The minimum of blocks for a verdict of a design with a fixed number; a copy, too."""

BlockCount = Annotated[int, Field(ge=1, le=MOST_BLOCKS)]


class Design(FileModel):
    """`[design.NAME]`: one way to run the study: which levels take part, how often and how long.

    The contenders of a block take turns in `slices`; with `separate = true` each run is measured by
    itself, in a `window`.

    A design measures a fixed number of `blocks`, or goes on `until` every comparison of a question
    is decided, or every claim of the paper. Verdicts are then valid after every block, and each
    further block goes where a verdict is nearest.
    """

    summary: str
    """What the design is for and how long it takes, in one line."""
    blocks: BlockCount | None = None
    """Fixed number of blocks of each setting. A verdict needs at least six. Default: as many as
    `until` takes."""
    until: Literal["decided", "claims"] | None = None
    """`"decided"`: four blocks of each setting, and further ones where a comparison of a question
    is undecided, as long as `budget_minutes` lasts; `"claims"`: where a claim is. Default: measure
    `blocks`."""
    budget_minutes: PositiveFloat | None = None
    """Longest time for measuring, in minutes. Once a setting has the blocks that a verdict needs
    (four with `until`, otherwise six), no block begins that would not end within it. Required with
    `until`. Default: no limit."""
    warm_up: WarmUp
    """Load before each measurement."""
    separate: bool = False
    """True measures each run by itself instead of letting contenders take turns. Use it for
    ramps and staircases, and to repeat a paper's procedure; differences then include the
    machine's noise."""
    slices: Slices = Slices()
    """How contenders take turns. Not with `separate = true`."""
    window: Window | None = None
    """What is recorded of a run that is measured separately. Required with `separate = true`."""
    wire: Wire | None = None
    """How bytes are counted. Default: not counted."""
    contenders: tuple[ContenderName, ...] | None = None
    """The contenders that take part. Default: all of the study."""
    workloads: tuple[WorkloadName, ...] | None = None
    """The workloads that take part. Default: all of the study."""
    stores: tuple[StoreName, ...] | None = None
    """The stores that take part. Default: all of the study."""
    environments: tuple[EnvironmentName, ...] | None = None
    """The environments that take part. Default: all of the study."""
    loads: tuple[LoadName, ...] | None = None
    """The loads that take part. Default: all of the study. Loads of kind `capacity` need a
    separate design."""
    proxies: tuple[ProxyName, ...] | None = None
    """The proxies that take part. Default: all of the study."""
    networks: tuple[NetworkName, ...] | None = None
    """The networks that take part. Default: all of the study."""
    experiments: Annotated[Mapping[Name, Experiment], Field(alias="experiment")] = {}
    """`[design.NAME.experiment.NAME]` tables: the cells to measure, instead of all combinations of
    the levels. Default: all combinations."""
    limits: RoleLimits | None = None
    """`[design.NAME.limits.ROLE]` tables instead of the study's `limits`. Default: the study's."""
    metric: PrimaryMetricName | None = None
    """The metric by which questions are answered in this design. Default: that of the study."""
    data: OpenData = OpenData()
    """What workloads leave open, such as the state of the store."""

    def misfits(self) -> Iterator[Misfit]:
        """Yield keys about blocks, and about turns or windows, that exclude or need each other."""
        if self.blocks is not None and self.until is not None:
            why = "a number of blocks is fixed, or as large as it takes"
            yield Misfit.excluding(["blocks", "until"], why)
        if self.blocks is None and self.until is None:
            expected = 'a number of blocks; or write until = "decided" with budget_minutes'
            yield Misfit("blocks", None, expected)
        if self.until is not None and self.budget_minutes is None:
            expected = "the longest time for measuring, which until needs"
            yield Misfit("budget_minutes", None, expected, "add budget_minutes = 30")
        yield from self._measured_wrongly("", self)
        for name, each in self.experiments.items():
            yield from self._measured_wrongly(f"experiment.{name}", each)

    def _measured_wrongly(self, key: str, part: "Design | Experiment") -> Iterator[Misfit]:
        """Yield whether the design or one of its experiments mixes turns and separate runs.

        `key` is that of the experiment, "" for the design itself.
        """
        separate = self.separate if part.separate is None else part.separate
        has_slices, has_window = "slices" in part.model_fields_set, part.window is not None
        if has_window and not separate:
            what = "window needs separate = true: otherwise, contenders take turns in slices"
            also = ", and remove slices" if has_slices else ""
            yield Misfit(key, what, "", f"remove window; or write separate = true{also}")
        if has_slices and separate:
            why = "each run is measured by itself, in a window"
            also = ", and remove window" if has_window else ""
            hint = f"remove slices; or write separate = false{also}"
            yield Misfit.excluding(["separate = true", "slices"], why, hint, key)
        measures = part is not self or not self.experiments
        if separate and measures and not has_window and self.window is None:
            expected = "a table such as { seconds = 10 }, which separate = true needs"
            hint = "add window, or write separate = false"
            yield Misfit(f"{key}.window".strip("."), None, expected, hint)

    @property
    def first_blocks(self) -> int:
        """The number of blocks of each setting that are measured in any case."""
        return FIRST_VERDICT if self.blocks is None else self.blocks

    def levels(self, factor: Factor) -> tuple[str, ...] | None:
        """Return the levels of a factor that take part, None if all do."""
        levels: tuple[str, ...] | None = getattr(self, plural(factor))
        return levels

    def cells(self, levels: Mapping[Factor, tuple[str, ...]], baseline: str) -> list[Cell]:
        """Return the cells of the design, given the levels that take part."""
        if not self.experiments:
            return cross(levels, baseline)
        each = (experiment.cells(levels, baseline) for experiment in self.experiments.values())
        return list(dict.fromkeys(cell for cells in each for cell in cells))

    def experiment_of(self, cell: Cell) -> str | None:
        """Return the name of the experiment that determines how a cell is measured."""
        names = (name for name, each in self.experiments.items() if each.has(cell))
        return next(names, None)

    def at(self, cell: Cell) -> Self:
        """Return the design with the warm-up, slices or window of a cell's experiment."""
        name = self.experiment_of(cell)
        if name is None:
            return self
        own = self.experiments[name]
        parts = {
            "warm_up": own.warm_up,
            "separate": own.separate,
            "slices": own.slices,
            "window": own.window,
        }
        return self.model_copy(
            update={key: part for key, part in parts.items() if part is not None}
        )
