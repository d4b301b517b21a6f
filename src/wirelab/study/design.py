"""Designs: how thoroughly a study is run."""

from collections.abc import Mapping
from typing import Annotated, Self

from pydantic import Field, PositiveFloat, model_validator

from wirelab.bounds import MOST_BLOCKS
from wirelab.file_model import FileModel
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
from wirelab.study.window import Slices, WarmUp, Window, Wire

MOST_LOOKS = 3
"""The largest number of looks at the intervals, including the first."""

BlockCount = Annotated[int, Field(ge=1, le=MOST_BLOCKS)]


class Design(FileModel):
    """`[design.NAME]`: one way to run the study: which levels take part, how often and how long.

    The contenders of a block take turns in `slices`; with `separate = true` each run is measured by
    itself, in a `window`.

    A design may continue after `blocks` blocks, at most twice, to make intervals narrower. Further
    blocks go to the settings whose intervals are widest. Precision decides when to stop, never
    significance.
    """

    summary: str
    """What the design is for and how long it takes, in one line."""
    blocks: BlockCount
    """Number of blocks of each setting. A verdict needs at least six."""
    looks: Annotated[tuple[BlockCount, ...], Field(max_length=MOST_LOOKS - 1)] = ()
    """Larger numbers of blocks, for as long as an interval is wider than `precision`: up to two,
    ascending, such as `[12, 24]`. Default: none. Needs `precision`."""
    precision: PositiveFloat | None = None
    """With `looks`, and required there: half the width that every interval of a question must
    reach, as a share (0.02 is ±2 %). A design with `budget_minutes` alone aims at half of the
    study's `margin`."""
    budget_minutes: PositiveFloat | None = None
    """Longest time for measuring, in minutes. After six blocks of a setting, no block begins that
    would not end within it. Without `looks`, further blocks are measured while time is left and
    intervals are too wide. Default: no limit."""
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
    data: OpenData = OpenData()
    """What workloads leave open, such as the state of the store."""

    @model_validator(mode="after")
    def _looks_ascend(self) -> Self:
        counts = (self.blocks, *self.looks)
        if list(counts) != sorted(set(counts)):
            raise ValueError("looks that ascend from more than the number of blocks")
        if bool(self.looks) != (self.precision is not None):
            raise ValueError("looks and precision together, or neither")
        return self

    @model_validator(mode="after")
    def _slices_or_windows(self) -> Self:
        parts: list[Design | Experiment] = [self, *self.experiments.values()]
        for part in parts:
            separate = self.separate if part.separate is None else part.separate
            own = self.window if part.window is None else part.window
            if not separate and part.window is not None:
                raise ValueError(
                    "slices instead of a window, or separate = true: contenders take turns"
                )
            if separate and part.slices is not None and "slices" in part.model_fields_set:
                raise ValueError("no slices with separate = true: each run has its own window")
            if separate and own is None and (part is not self or not self.experiments):
                raise ValueError("a window, since separate = true measures each run by itself")
        return self

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
