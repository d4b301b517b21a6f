"""The complete analysis of a bundle in one value, ready for display."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from wirelab.analysis.answers.effort import Effort
from wirelab.analysis.answers.invalid_runs import InvalidRuns
from wirelab.analysis.cautions.caution import Caution
from wirelab.analysis.disturbance import Disturbance
from wirelab.analysis.extension import Extended
from wirelab.analysis.figures.cache_use import CacheUse
from wirelab.analysis.figures.chart_points import PaperChart
from wirelab.analysis.figures.distances import SplitDistance
from wirelab.analysis.figures.grids import GridEffects
from wirelab.analysis.figures.machines import Machines
from wirelab.analysis.figures.open_and_closed import OpenView
from wirelab.analysis.figures.over_window import OverWindow
from wirelab.analysis.figures.place_costs import ContainerCost, ProxyCost
from wirelab.analysis.figures.scaling import Scaling
from wirelab.analysis.figures.settling import SettlingSummary
from wirelab.analysis.figures.sweep import Sweep
from wirelab.analysis.model import (
    ROLES,
    ComparedPair,
    Noise,
    PublishedTable,
    QuestionAnswer,
    Setting,
    StoreShare,
    Validity,
    WireCost,
)
from wirelab.bundle import AlteredFile, BundleInfo, CallRecord, ContenderRecord
from wirelab.claims import ClaimCheck, ConsistencyFinding, Decision
from wirelab.planning.schedule import Schedule
from wirelab.study import CAPACITY, Study


@dataclass(frozen=True, slots=True)
class Figures:
    """The values of figures and tables beside those of the settings."""

    wire: tuple[WireCost, ...]
    calls: tuple[CallRecord, ...]
    """The calls between services for one transaction."""
    cache_uses: tuple[CacheUse, ...]
    store_shares: tuple[StoreShare, ...]
    container_costs: tuple[ContainerCost, ...]
    proxy_costs: tuple[ProxyCost, ...]
    over_windows: tuple[OverWindow, ...]
    charts: tuple[PaperChart, ...]
    open_views: tuple[OpenView, ...]
    grids: tuple[GridEffects, ...]
    distances: tuple[SplitDistance, ...]
    sweeps: tuple[Sweep, ...]
    scalings: tuple[Scaling, ...]


@dataclass(frozen=True, slots=True)
class PaperCheck:
    """What the bundle says of the paper that its study is about."""

    published: tuple[PublishedTable, ...]
    claims: tuple[ClaimCheck, ...]
    hypotheses: Decision | None
    consistency: tuple[ConsistencyFinding, ...]


@dataclass(frozen=True, slots=True)
class Procedure:
    """How it was measured, for how long, and under which conditions."""

    sentences: tuple[str, ...]
    """What was started, and who took turns."""
    has_ratios_of_turns: bool
    """Whether ratios compare neighbouring turns."""
    amount: tuple[str, ...]
    """How long measuring took, and how many comparisons share the correction, in sentences."""
    efforts: tuple[Effort, ...]
    """The time that measuring took, and how to spend the same time better."""
    conditions: Mapping[str, str]
    """The conditions of the valid runs: a name to words with figures."""
    settled: tuple[SettlingSummary, ...]


@dataclass(frozen=True, slots=True)
class Analysis:
    """The complete analysis of a bundle: everything that a report shows.

    `rerun` is the command that runs the study again.
    """

    info: BundleInfo
    digest: str | None
    """The hash to cite the bundle by; None if it is not sealed, or was altered after sealing."""
    alterations: tuple[AlteredFile, ...]
    """Files that changed after the bundle was sealed."""
    rerun: str
    study: Study
    schedule: Schedule
    contenders: Mapping[str, ContenderRecord]
    labels: Mapping[str, str]
    host: Mapping[str, Any]
    machines: Machines | None
    """The machines of a cluster; None for a single machine."""
    environments: Mapping[str, Mapping[str, str]]
    """Facts about environments, proxies and networks, by level: names and texts."""
    settings: tuple[Setting, ...]
    answers: tuple[QuestionAnswer, ...]
    compares: bool
    """Whether the study compares any of the cells that it was to measure."""
    noise: Noise
    validity: Validity
    reasons: tuple[InvalidRuns, ...]
    """Why runs are invalid, each kind of reason once."""
    disturbance: Disturbance
    procedure: Procedure
    figures: Figures
    paper: PaperCheck
    extension: Extended
    """What the study’s own code adds."""
    cautions: tuple[Caution, ...]
    refused: tuple[str, ...] = ()
    """What verification refused, in sentences without full stop."""
    stopped: str = ""
    """Why nothing was measured, in a sentence, if verification left no contenders to compare."""

    @property
    def has_matrix(self) -> bool:
        """Whether contenders are shown side by side; a capacity alone is its own table."""
        return self.compares or self.study.metric != CAPACITY

    @property
    def pairs(self) -> list[ComparedPair]:
        """Every comparison that some answer makes."""
        return pairs_of(self.answers)

    @property
    def margin_from(self) -> str:
        """What sets the margin, before anything is measured: an option, or the study."""
        return "--margin" if self.study.has_options else "declared by the study"

    @property
    def leading(self) -> tuple[str, ...]:
        """Sentences that answer the study's own question first: how much is due to what.

        Of a grid, they are about its first setting; the section on factors has all.
        """
        first = {each.grid.across: each for each in reversed(self.figures.grids)}
        factors = (f"{each.setting}: {each.sentence}" for each in reversed(first.values()))
        return (*factors, *(each.sentence for each in self.figures.distances))

    @property
    def has_services(self) -> bool:
        """Whether some contender consists of several services."""
        return any(row.summary.services for setting in self.settings for row in setting.rows)

    @property
    def has_streams(self) -> bool:
        """Whether some answers are streams of items."""
        return any(row.summary.items for setting in self.settings for row in setting.rows)

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles that used CPU time in any valid run, in the order of `ROLES`."""
        rows = [row for setting in self.settings for row in setting.rows]
        return tuple(role for role in ROLES if any(role in row.summary.cpu_us for row in rows))


def pairs_of(answers: Iterable[QuestionAnswer]) -> list[ComparedPair]:
    """Return every comparison that some answer makes, each once."""
    return list({(pair.a, pair.b): pair for answer in answers for pair in answer.pairs}.values())
