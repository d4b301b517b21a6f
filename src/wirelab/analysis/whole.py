"""A bundle, understood: the parts of an analysis in one value, ready to be shown."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wirelab.analysis.cache_use import CacheUse
from wirelab.analysis.effort import Effort
from wirelab.analysis.grids import GridEffects
from wirelab.analysis.machines import Machines
from wirelab.analysis.model import (
    ROLES,
    Answer,
    Caution,
    Disturbance,
    Noise,
    PublishedTable,
    Setting,
    StoreShare,
    Validity,
    WireCost,
)
from wirelab.analysis.open_view import OpenView
from wirelab.analysis.paper_tables import PaperTables
from wirelab.analysis.place_costs import ContainerCost, ProxyCost
from wirelab.analysis.points import PaperChart
from wirelab.analysis.reasons import Reason
from wirelab.analysis.scaling import Scaling
from wirelab.analysis.score import Score
from wirelab.analysis.settling import Settled
from wirelab.analysis.suitability import SuitabilityFigures
from wirelab.analysis.sweep import Sweep
from wirelab.bundle import BundleInfo, CallRecord, ContenderRecord, Mismatch
from wirelab.claims import ClaimCheck, ConsistencyFinding, Decision
from wirelab.schedule import Schedule
from wirelab.study import Study


@dataclass(frozen=True, slots=True)
class Analysis:
    """A bundle, understood: everything that a report shows.

    `rerun` is the command that carries the study out again.
    """

    info: BundleInfo
    digest: str | None
    """To cite the bundle by; None where it is not sealed, or no longer as it was sealed."""
    alterations: tuple[Mismatch, ...]
    """Files that are not as they were when the bundle was sealed."""
    rerun: str
    study: Study
    schedule: Schedule
    contenders: Mapping[str, ContenderRecord]
    labels: Mapping[str, str]
    host: Mapping[str, Any]
    machines: Machines | None
    """Those of a cluster; None where one machine measured."""
    environments: Mapping[str, Mapping[str, str]]
    """What environments, proxies and networks are, by level: names and words."""
    settings: tuple[Setting, ...]
    answers: tuple[Answer, ...]
    noise: Noise
    wire: tuple[WireCost, ...]
    calls: tuple[CallRecord, ...]
    """What one transaction has services ask of one another."""
    cache_uses: tuple[CacheUse, ...]
    store_shares: tuple[StoreShare, ...]
    container_costs: tuple[ContainerCost, ...]
    proxy_costs: tuple[ProxyCost, ...]
    charts: tuple[PaperChart, ...]
    published: tuple[PublishedTable, ...]
    paper_tables: tuple[PaperTables, ...]
    open_views: tuple[OpenView, ...]
    scores: tuple[Score, ...]
    suitability: SuitabilityFigures | None
    grids: tuple[GridEffects, ...]
    sweeps: tuple[Sweep, ...]
    scalings: tuple[Scaling, ...]
    claims: tuple[ClaimCheck, ...]
    hypotheses: Decision | None
    consistency: tuple[ConsistencyFinding, ...]
    validity: Validity
    reasons: tuple[Reason, ...]
    """Why runs do not count, each kind once."""
    disturbance: Disturbance
    procedure: tuple[str, ...]
    """How it was measured, in sentences."""
    extent: tuple[str, ...]
    """How long measuring took, and how many comparisons share the correction, in sentences."""
    efforts: tuple[Effort, ...]
    """What measuring took, and how to spend the same time better."""
    conditions: Mapping[str, str]
    """Under which the runs that count were made: a name to words with figures."""
    settled: tuple[Settled, ...]
    cautions: tuple[Caution, ...]

    @property
    def has_services(self) -> bool:
        """Tell whether some contender consists of several services."""
        return any(row.summary.services for setting in self.settings for row in setting.rows)

    @property
    def roles(self) -> tuple[str, ...]:
        """Who used CPU time in any run that counts, in the order of `ROLES`."""
        rows = [row for setting in self.settings for row in setting.rows]
        return tuple(role for role in ROLES if any(role in row.summary.cpu_us for row in rows))
