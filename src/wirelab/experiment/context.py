"""What all stages of a running study share: its plan, bundle, laboratory, and results so far."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from wirelab.analysis.so_far import IsEnough
from wirelab.bundle import Bundle
from wirelab.bundle.run_reasons import RunReason
from wirelab.errors import LabError
from wirelab.experiment.blocks.trial_grid import TrialGrid
from wirelab.experiment.events import Note, Observer
from wirelab.experiment.laboratory import Laboratory
from wirelab.experiment.place import Place
from wirelab.experiment.preparation.rates import Rates
from wirelab.planning.plan import PlannedStudy
from wirelab.study import Cell, Study, Workload
from wirelab.study.design import FIRST_VERDICT
from wirelab.verify import Finding


@dataclass
class StudyOutcome:
    """How a study ended."""

    bundle: Bundle
    refused: list[Finding] = field(default_factory=list)
    """Findings of verification that forbid measuring a contender, or a workload."""
    interrupted: bool = False

    @property
    def has_verdicts(self) -> bool:
        """Whether verdicts on the blocks so far are valid, even if it was interrupted."""
        done = Counter(
            record.block.group for record in self.bundle.last_attempts() if not record.failures
        )
        is_enough = max(done.values(), default=0) >= FIRST_VERDICT
        return self.bundle.schedule.until_decided and is_enough


@dataclass
class RunContext:
    """One execution of a study on this machine."""

    plan: PlannedStudy
    bundle: Bundle
    laboratory: Laboratory
    observer: Observer
    outcome: StudyOutcome
    is_enough: IsEnough | None = None
    """When a study until all is decided ends; None: when all comparisons of questions are."""
    unusable: dict[Cell, RunReason] = field(default_factory=dict)
    """Cells that are not measured, with the reason."""
    trial_grid: TrialGrid = field(default_factory=TrialGrid)
    """What previous blocks have shown about capacities."""

    def __post_init__(self) -> None:
        self.rates = Rates.from_records(self.study, ())
        """The rates of loads that are shares of a capacity, as far as they are known."""

    @property
    def study(self) -> Study:
        """The study in its design."""
        return self.plan.study

    def usable_cells(self) -> list[Cell]:
        """Return the cells that are measured, in the order of the schedule."""
        return [cell for cell in self.plan.schedule.cells if cell not in self.unusable]

    def cells_by_place(self) -> dict[Place, list[Cell]]:
        """Group the usable cells by place, the baseline's first."""
        places: dict[Place, list[Cell]] = {}
        for cell in self.usable_cells():
            places.setdefault(Place.from_cell(cell), []).append(cell)
        order = [self.study.baseline, *self.study.contenders]
        ranked = sorted(places, key=lambda place: order.index(place.placement.contender))
        return {place: places[place] for place in ranked}

    def workloads_of(self, cells: Iterable[Cell]) -> dict[str, Workload]:
        """Return the workloads of cells, with mixes replaced by their parts."""
        parts = dict.fromkeys(part for cell in cells for part in self.study.parts(cell.workload))
        return {name: self.study.workloads[name] for name in parts}

    def leave_out(self, cells: Iterable[Cell], reason: RunReason) -> None:
        """Do not measure some cells; of several reasons, the first one is kept."""
        for cell in cells:
            self.unusable.setdefault(cell, reason)

    def announce_left_out(self, cells: Iterable[Cell], reason: RunReason, what: str) -> None:
        """Leave out some cells, called `what` together, and tell the user."""
        self.observer.on(Note(f"{what} is left out: {reason}"))
        self.leave_out(cells, reason)

    def leave_out_for_now(self, cells: Sequence[Cell], reason: RunReason, what: str) -> None:
        """Leave out cells for a temporary reason, such as a container engine that does not run yet.

        Raises `LabError` if the bundle already has runs of them: their remaining blocks would be
        recorded as skipped, and no resume would repeat them.
        """
        if any(cell in self._measured_before for cell in cells):
            raise LabError(f"{what} was measured before and cannot be measured now: {reason}")
        self.announce_left_out(cells, reason, what)

    @cached_property
    def _measured_before(self) -> frozenset[Cell]:
        """The cells with valid runs, from before this execution."""
        runs = (run for record in self.bundle.last_attempts() for run in record.runs)
        return frozenset(run.run.cell for run in runs if run.status == "valid")
