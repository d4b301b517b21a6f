"""The execution of a study: its stages in order, each writing its part of the bundle."""

import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from wirelab.bundle import (
    Bundle,
    CallRecord,
    EqualityRecord,
    PilotRecord,
    WireRecord,
)
from wirelab.bundle.reasons import (
    DoesNotOffer,
    Failed,
    NoneToCompare,
    NotReachable,
    NotVerified,
    RunReason,
    Unavailable,
    Unplanned,
)
from wirelab.errors import LabError, MeasureError
from wirelab.experiment.blocks.crew import LocalCrew
from wirelab.experiment.blocks.linking import beyond_links
from wirelab.experiment.blocks.measuring import Measuring
from wirelab.experiment.blocks.mixing import plan_mix
from wirelab.experiment.blocks.trial_grid import Grid
from wirelab.experiment.laboratory import Laboratory
from wirelab.experiment.observer import Observer
from wirelab.experiment.place import Place
from wirelab.experiment.preparation.calls import count_calls
from wirelab.experiment.preparation.contender_records import contender_records
from wirelab.experiment.preparation.pilot import Rates, measure_capacity, pending_pilots
from wirelab.experiment.preparation.recovery import ATTEMPTS, restart_failed_stores, verify_place
from wirelab.experiment.preparation.verification_records import answer_records
from wirelab.experiment.preparation.wire import count_bytes
from wirelab.lab.environments.kinds import is_native
from wirelab.lab.stores.store_manager import StoreState
from wirelab.planning.plan import PlannedStudy
from wirelab.planning.schedule import Run
from wirelab.study import FACTORS, NO_NETWORK, NO_PROXY, Cell, Workload, family
from wirelab.terminal import words
from wirelab.verify import Finding, records
from wirelab.verify.consistency import ignored_seed


@dataclass
class Outcome:
    """How a study ended."""

    bundle: Bundle
    refused: list[Finding] = field(default_factory=list)
    """Findings of verification that forbid measuring a contender, or a workload."""
    interrupted: bool = False


@dataclass
class Execution:
    """One execution of a study, stage by stage."""

    plan: PlannedStudy
    bundle: Bundle
    laboratory: Laboratory
    observer: Observer
    outcome: Outcome
    unusable: dict[Cell, RunReason] = field(default_factory=dict)
    """Cells that are not measured, with the reason."""

    def __post_init__(self) -> None:
        self.rates = Rates.of(self.plan.study, ())
        self.grid = Grid()

    def set_up(self) -> None:
        """Check the domain, build contenders, start stores, prepare states.

        Raises `LabError`, and `ProblemsError` for a mistake of the domain before anything is built.
        """
        cells, builder = self.plan.schedule.cells, self.laboratory.builder
        placements = list(dict.fromkeys(Place.of(cell).placement for cell in cells))
        workloads, domain = self.plan.study.workloads, self.laboratory.domain
        states = dict.fromkeys((cell.store, workloads[cell.workload].state) for cell in cells)
        proxies = [
            proxy for proxy in dict.fromkeys(cell.proxy for cell in cells) if proxy != NO_PROXY
        ]
        networks = [it for it in dict.fromkeys(cell.network for cell in cells) if it != NO_NETWORK]
        steps = len(placements) + len(proxies) + len(networks) + len(states)
        self.observer.phase("Setting up", steps + bool(domain.data.generator))
        if domain.data.generator:  # first, since its mistakes make everything else useless
            self.observer.step(f"rows of {domain.name}")
            self.laboratory.verifier.require_consistent(self._workloads_of(cells))
        for placement in placements:
            what = f"{placement.contender} for {placement.environment}"
            is_external = self.plan.contenders[placement.contender].address is not None
            doing = f"finding the address of {placement.contender}"
            self.observer.step(doing if is_external else f"building {what}")
            reason: RunReason | None = None
            try:
                if cannot := builder.build(placement):
                    reason = Unavailable(what=cannot)
            except LabError as error:
                reason = Failed.from_error(error)
            if reason:
                there = [cell for cell in cells if Place.of(cell).placement == placement]
                self._leave_out_for_now(reason, there, what)
        for proxy in proxies:
            self.observer.step(f"proxy {proxy}")
            try:
                builder.open_proxy(proxy)
            except LabError as error:
                behind = [cell for cell in cells if cell.proxy == proxy]
                self._leave_out_for_now(
                    Failed.from_error(error), behind, f"everything behind {proxy}"
                )
        for network in networks:
            self._open_network(network)
        for store, state in states:
            self.observer.step(f"{store}: state {state}" if state else store)
            self.laboratory.stores.prepare(StoreState(store, state))
        self.bundle.write_contenders(contender_records(self.plan, builder.versions()))
        self.bundle.write_environments(builder.facts())
        self.bundle.append_event("standing", unusable=len(self.unusable))

    def _open_network(self, name: str) -> None:
        """Try a network's emulation; remove cells that cannot be reached over it."""
        self.observer.step(f"network {name}")
        over = [cell for cell in self.plan.schedule.cells if cell.network == name]
        network = self.plan.study.network(name)
        try:
            if network is not None:
                opened = self.laboratory.builder.open_network(name, network, self.laboratory.cpus)
                if opened:
                    self.observer.note(f"network {name}: {opened}")
        except LabError as error:
            self._leave_out_for_now(Failed.from_error(error), over, f"everything over {name}")
            return
        for what, cells in beyond_links(self.plan.contenders, over).items():
            self._give_up(NotReachable(), cells, f"{what} over {name}")

    def verify(self) -> None:
        """Compare every contender with the reference; one that differs is not measured."""
        workloads_by_place = {
            place: self._workloads_of(cells) for place, cells in self._by_place().items()
        }
        turns = self.laboratory.verifier.turns(workloads_by_place)
        self.observer.phase("Verifying", len(turns))
        findings: list[Finding] = [*self._ignored_seed()]
        for place, workloads in turns:
            contender, cells = place.placement.contender, self._by_place().get(place)
            if not cells:
                continue  # refused in an earlier turn
            self.observer.step(f"{contender} on {place.store}, {cells[0].place}")
            began = time.monotonic()
            verification = verify_place(
                self.laboratory, self.bundle, self.observer, place, workloads
            )
            if isinstance(verification, LabError):
                what = f"{contender} ({cells[0].place})"
                self._leave_out_for_now(Failed.from_error(verification), cells, what)
                continue
            seconds = time.monotonic() - began
            self.bundle.append_event("compared", contender=contender, seconds=round(seconds, 2))
            findings.extend(verification.findings)
            self._refuse(verification.findings, cells, f"{contender} ({cells[0].place})")
        findings.extend(self._write_through_each())
        findings.extend(self._plan_mixes())
        self.bundle.write_findings(findings)
        self.bundle.write_answers(answer_records(self.laboratory.verifier.plans.values()))
        self._leave_out_incomparable()
        self._leave_out_the_last()
        self.bundle.append_event("verified", findings=len(findings))

    def _ignored_seed(self) -> Iterator[Finding]:
        """Warn if the data should vary with the study's seed, but do not."""
        study, domain = self.plan.study, self.laboratory.domain
        used = {study.workloads[cell.workload].state for cell in self.plan.schedule.cells}
        datasets = map(self.laboratory.stores.dataset, used & domain.states.keys())
        if study.data_seed is None and any(it.ignores_seed for it in datasets):
            yield ignored_seed("warning")

    def _refuse(self, findings: Iterable[Finding], cells: Iterable[Cell], where: str) -> None:
        """Remove those of a contender's cells that findings forbid to measure."""
        parts = self.plan.study.parts
        for wrong in (each for each in findings if each.severity == "error"):
            self.outcome.refused.append(wrong)
            refused = [cell for cell in cells if wrong.workload in ("", *parts(cell.workload))]
            what = f"workload {wrong.workload} of {where}" if wrong.workload else where
            # The result has the values.
            why = f"{wrong.why()}; {wrong.log}" if wrong.log else wrong.why()
            reason = NotVerified(finding=wrong)
            self.observer.note(f"{what} is left out: {reason.brief}: {why}")
            self._leave_out(reason, refused)

    def _write_through_each(self) -> Sequence[Finding]:
        """Check that what one contender writes is what all of them read. Raises `LabError`."""
        places = self._by_place()
        workloads = self._workloads_of([cell for cells in places.values() for cell in cells])
        findings = self.laboratory.verifier.write_through_each(list(places), workloads)
        for place, cells in places.items():
            contender = place.placement.contender
            self._refuse([it for it in findings if it.contender == contender], cells, contender)
        return findings

    def _workloads_of(self, cells: Iterable[Cell]) -> dict[str, Workload]:
        """Return the workloads of cells, with mixes replaced by their parts."""
        study = self.plan.study
        parts = dict.fromkeys(part for cell in cells for part in study.parts(cell.workload))
        return {name: study.workloads[name] for name in parts}

    def _plan_mixes(self) -> Iterator[Finding]:
        """Plan the mixed workloads; a mix is left out if one of its parts has no transactions."""
        study = self.plan.study
        mixed = [cell for cell in self.plan.schedule.cells if study.workloads[cell.workload].mix]
        for mix in dict.fromkeys(cell.workload for cell in mixed if cell not in self.unusable):
            for finding in plan_mix(self.laboratory, study, mix):
                if finding.severity == "error":
                    self.outcome.refused.append(finding)
                    cells = [it for it in mixed if it.workload == mix]
                    self._give_up(Unplanned(finding=finding), cells, f"workload {mix}")
                yield finding

    def _leave_out_incomparable(self) -> None:
        """Remove cells without a plan, and workloads that only one contender is left for."""
        verifier, study = self.laboratory.verifier, self.plan.study
        if verifier.equality is None:
            return
        self.bundle.write_equality(
            EqualityRecord(**row) for row in records(verifier.equality.proofs.values())
        )
        for place, cells in self._by_place().items():
            for cell in cells:
                if not all(verifier.plans.get((place, it)) for it in study.parts(cell.workload)):
                    title = study.workloads[cell.workload].title
                    reason = DoesNotOffer(contender=cell.contender, title=title)
                    self.unusable.setdefault(cell, reason)
        left: dict[str, list[Cell]] = {}
        for cell in self.plan.schedule.cells:
            if cell not in self.unusable:
                left.setdefault(cell.workload, []).append(cell)
        for workload, cells in left.items():
            if len({cell.contender for cell in cells}) < min(2, len(study.contenders)):
                alone = NoneToCompare(of="contender")
                self._give_up(alone, cells, f"workload {workload} of {cells[0].contender}")

    def _leave_out_the_last(self) -> None:
        """Remove all cells if no planned comparison remains: they would answer no question."""
        study, cells = self.plan.study, self.plan.schedule.cells
        left = [cell for cell in cells if cell not in self.unusable]
        if left and family(study, cells) and not family(study, left):
            names = words.listed(dict.fromkeys(cell.contender for cell in left))
            self._give_up(NoneToCompare(of="question"), left, names)

    def find_rates(self, finished: Collection[str]) -> None:
        """Measure the capacity of contenders if a load is a share of it.

        `finished`: ids of blocks that are not run again. Raises `LabError`.
        """
        study, records = self.plan.study, list(self.bundle.pilot_records)
        pending = pending_pilots(study, self.plan.schedule, records, finished)
        cells = {number: cell for number, cell in pending.items() if cell not in self.unusable}
        if cells:
            self.observer.phase("Finding capacities", len(cells))
            for number, cell in cells.items():
                record = self._capacity(number, cell)
                if record is not None:
                    records.append(record)
                    self.bundle.write_pilot(records)
        self.rates = Rates.of(study, records)

    def _capacity(self, number: int, cell: Cell) -> PilotRecord | None:
        """Measure one capacity in at most two attempts; a contender without one is left out.

        Raises `LabError` if the store or the network fails twice.
        """
        self.observer.step(f"{cell.contender}, {cell.workload}")
        name = f"pilot-{number:03}-{cell.registration}-{cell.workload}-{cell.load}"
        run = Run(name, 0, cell)
        failure: LabError | MeasureError
        for attempt in range(1, ATTEMPTS + 1):
            folder = self.bundle.path / "pilot" / f"{name}.attempt-{attempt}"
            try:
                return measure_capacity(
                    self.laboratory,
                    self.plan.study,
                    self.plan.design,
                    run,
                    seed=self.plan.schedule.seed,
                    folder=folder,
                )
            except (LabError, MeasureError) as error:
                failure = error
            restart_failed_stores(self.laboratory, self.bundle, self.observer)
        if isinstance(failure, LabError):
            raise failure
        self.observer.note(f"{cell.label} is left out: {failure}")
        for same in (cell, replace(cell, twin=True)):
            self.unusable.setdefault(same, Failed.from_error(failure))
        return None

    def count_bytes(self) -> None:
        """Count the bytes of every contender and workload once, if the design asks for it."""
        wire = self.plan.design.wire
        if wire is None or self.bundle.wire_records:
            return
        servers = self._first_cells()
        self.observer.phase("Counting bytes", len(servers))
        rows: list[WireRecord] = []
        for (place, state), members in servers.items():
            self.observer.step(f"{place.placement.contender}, {state}")
            try:
                rows.extend(count_bytes(self.laboratory, self.rates, members, wire))
            except (LabError, MeasureError) as error:
                what = f"{place.placement.contender}, {state}"
                self.observer.note(f"bytes of {what}: {error}")
                self.bundle.append_event("bytes not counted", cell=what, reason=str(error))
        self.bundle.write_wire(rows)

    def count_calls(self) -> None:
        """Count the calls between services, for native contenders with several services."""
        built = self.laboratory.builder.built
        servers = {
            (place, state): members
            for (place, state), members in self._first_cells().items()
            if is_native(place.placement.environment) and built[place.placement].contender.services
        }
        if not servers or self.bundle.call_records:
            return
        self.observer.phase("Counting calls between services", len(servers))
        rows: list[CallRecord] = []
        for (place, state), members in servers.items():
            what = f"{place.placement.contender}, {state}"
            self.observer.step(what)
            try:
                rows.extend(count_calls(self.laboratory, self.plan.study, members))
            except (LabError, MeasureError) as error:
                self.observer.note(f"calls of {what}: {error}")
                self.bundle.append_event("calls not counted", cell=what, reason=str(error))
        self.bundle.write_calls(rows)

    def _first_cells(self) -> dict[tuple[Place, str], list[Cell]]:
        """Return a cell of each contender and workload, by place and state.

        The cell has the first possible levels of the study: by convention, a native contender
        without a proxy.
        """
        levels = self.plan.study.levels
        first = sorted(
            (cell for cell in self.plan.schedule.cells if cell not in self.unusable),
            key=lambda cell: [levels[factor].index(cell.level(factor)) for factor in FACTORS],
            reverse=True,
        )
        cells = {(cell.contender, cell.workload): cell for cell in first if not cell.twin}
        servers: dict[tuple[Place, str], list[Cell]] = {}
        for cell in cells.values():
            state = self.plan.study.workloads[cell.workload].state
            servers.setdefault((Place.of(cell), state), []).append(cell)
        return servers

    def measure(self) -> None:
        """Run the blocks, and further ones for groups whose intervals are still too wide."""
        if all(cell in self.unusable for cell in self.plan.schedule.cells):
            self.observer = Observer()  # nothing is measured: blocks only record why
        Measuring(self.plan, self.bundle, self.observer, self.crew()).carry_out()

    def crew(self) -> LocalCrew:
        """Return the crew that runs blocks here, once all earlier stages are done."""
        return LocalCrew(
            self.plan,
            self.bundle,
            self.laboratory,
            self.observer,
            self.unusable,
            self.rates,
            self.grid,
        )

    def _leave_out_for_now(self, reason: RunReason, cells: Sequence[Cell], what: str) -> None:
        """Remove cells for a temporary reason, such as a container engine that does not run yet.

        Raises `LabError` if the bundle already has runs of them: their remaining blocks would be
        recorded as skipped, and no resume would repeat them.
        """
        if any(cell in self._measured for cell in cells):
            raise LabError(f"{what} was measured before and cannot be measured now: {reason}")
        self._give_up(reason, cells, what)

    @cached_property
    def _measured(self) -> frozenset[Cell]:
        """The cells with valid runs, from before this execution."""
        runs = (run for record in self.bundle.last_attempts() for run in record.runs)
        return frozenset(run.run.cell for run in runs if run.status == "valid")

    def _give_up(self, reason: RunReason, cells: Sequence[Cell], what: str) -> None:
        """Remove cells from the study, with the reason; the others continue."""
        self.observer.note(f"{what} is left out: {reason}")
        self._leave_out(reason, cells)

    def _leave_out(self, reason: RunReason, cells: Iterable[Cell]) -> None:
        for cell in cells:
            self.unusable.setdefault(cell, reason)

    def _by_place(self) -> dict[Place, list[Cell]]:
        """Group the usable cells by place, the baseline's first."""
        places: dict[Place, list[Cell]] = {}
        for cell in self.plan.schedule.cells:
            if cell not in self.unusable:
                places.setdefault(Place.of(cell), []).append(cell)
        order = [self.plan.study.baseline, *self.plan.study.contenders]
        return dict(sorted(places.items(), key=lambda it: order.index(it[0].placement.contender)))
