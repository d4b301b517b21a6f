"""What cautions are found in: a bundle, and what the analysis has computed from it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from wirelab.analysis.answers.effort import Effort
from wirelab.analysis.answers.invalid_runs import failing
from wirelab.analysis.cautions.caution import At
from wirelab.analysis.cautions.fairness import Fairness
from wirelab.analysis.cells import MEAN
from wirelab.analysis.disturbance import Disturbance
from wirelab.analysis.figures.machines import Machines
from wirelab.analysis.figures.settling import SettlingSummary
from wirelab.analysis.model import (
    CellSummary,
    ComparedPair,
    Noise,
    StoreShare,
    Validity,
    WireCost,
)
from wirelab.analysis.values import RunValues
from wirelab.bundle import AlteredFile, BlockRecord, ContenderRecord, Contents
from wirelab.planning.schedule import Schedule
from wirelab.study import Cell, Design, Study
from wirelab.verify.findings.finding import Finding


@dataclass(frozen=True)
class Evidence:
    """A bundle, and what was computed from it.

    `titles` name the settings of all cells, `labels` the contenders.
    """

    bundle: Contents
    alterations: tuple[AlteredFile, ...]
    study: Study
    schedule: Schedule
    contenders: Mapping[str, ContenderRecord]
    labels: Mapping[str, str]
    titles: Mapping[Cell, str]
    values: RunValues
    summaries: Mapping[Cell, CellSummary]
    validity: Validity
    noise: Noise
    pairs: Sequence[ComparedPair]
    compares: bool
    wire: Sequence[WireCost]
    store_shares: Sequence[StoreShare]
    settled: Sequence[SettlingSummary]
    fairness: Sequence[Fairness]
    disturbance: Disturbance
    efforts: Sequence[Effort]
    machines: Machines | None

    @property
    def design(self) -> Design:
        """The design that was executed."""
        return self.study.designs[self.schedule.design]

    @property
    def budget_s(self) -> float | None:
        """The `--budget` of a comparison in seconds; None for a study without this option."""
        minutes = self.schedule.budget_minutes
        return 60 * minutes if self.study.has_budget_option and minutes is not None else None

    @property
    def has_budget(self) -> bool:
        """Whether `--budget` determines how much is measured."""
        return self.budget_s is not None

    @property
    def by_mean(self) -> bool:
        """Whether pairs are compared by the mean time, and the typical time is the other one."""
        return self.study.metric == MEAN

    @cached_property
    def to_repair(self) -> frozenset[str]:
        """The contenders that must be repaired first: measuring more gains no valid runs."""
        return failing(self.validity.faulty)

    @property
    def more(self) -> str:
        """How to measure more; "" if that does not help."""
        if self.to_repair:
            return ""
        return "measure longer with --budget" if self.has_budget else "measure more blocks"

    @cached_property
    def blocks(self) -> list[BlockRecord]:
        """The attempts at blocks that count."""
        return self.bundle.last_attempts()

    @cached_property
    def findings(self) -> list[Finding]:
        """What verification found, with the contenders' labels."""
        return [
            each.model_copy(update={"contender": self.labels.get(each.contender, each.contender)})
            for each in self.bundle.findings
        ]

    def at(self, cell: Cell, figures: str = "") -> At:
        """Name a contender and its setting, with figures."""
        return At(self.labels[cell.contender], self.titles[cell], figures)
