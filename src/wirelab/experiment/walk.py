"""The walk: the stages of a study, one after the other, each leaving its part in the bundle."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from wirelab.analysis import analyse
from wirelab.bundle import AnswerRecord, Bundle, PilotRecord, RunRecord, WireRecord
from wirelab.bundle import Finding as FindingRecord
from wirelab.experiment.bench import Bench
from wirelab.experiment.observer import Observer
from wirelab.experiment.pilot import Rates, measure_capacity
from wirelab.experiment.plan import PlannedStudy, start_seconds
from wirelab.experiment.run import carry_out
from wirelab.experiment.wire import count_bytes
from wirelab.lab.errors import LabError
from wirelab.measure.errors import MeasureError
from wirelab.schedule import Run, Schedule, needs_pilot, next_look, schedule
from wirelab.study import FACTORS, NO_PROXY, Cell
from wirelab.verify import Finding

ATTEMPTS = 2
"""A run that the rules make invalid is repeated once; both attempts stay in the bundle."""


@dataclass
class Outcome:
    """How a study ended."""

    bundle: Bundle
    refused: list[Finding] = field(default_factory=list)
    """What verification found that forbids measuring a contender."""
    faulty: int = 0
    """Runs that are invalid after every attempt, or were skipped for a fault."""
    interrupted: bool = False


@dataclass
class Walk:
    """One execution of a study, stage by stage."""

    plan: PlannedStudy
    bundle: Bundle
    bench: Bench
    observer: Observer
    outcome: Outcome
    unusable: dict[Cell, str] = field(default_factory=dict)
    """Cells whose runs are not carried out, and why."""

    def __post_init__(self) -> None:
        self.rates = Rates.of(self.plan.study, ())

    def stand_up(self) -> None:
        """Build contenders, start stores, prepare states. Raises `LabError`."""
        cells = self.plan.schedule.cells
        places = list(dict.fromkeys((cell.contender, cell.environment) for cell in cells))
        states = list(
            dict.fromkeys(
                (cell.store, self.plan.study.workloads[cell.workload].state) for cell in cells
            )
        )
        proxies = [
            proxy for proxy in dict.fromkeys(cell.proxy for cell in cells) if proxy != NO_PROXY
        ]
        self.observer.phase("Setting up", len(places) + len(proxies) + len(states))
        for contender, environment in places:
            self.observer.step(f"building {contender} for {environment}")
            try:
                reason = self.bench.build(contender, environment)
            except LabError as error:
                reason = str(error)
            if reason:
                here = (contender, environment)
                there = [cell for cell in cells if (cell.contender, cell.environment) == here]
                self._give_up(reason, there, f"{contender} ({environment})")
        for proxy in proxies:
            self.observer.step(f"proxy {proxy}")
            try:
                self.bench.open_proxy(proxy)
            except LabError as error:
                behind = [cell for cell in cells if cell.proxy == proxy]
                self._give_up(str(error), behind, f"everything behind {proxy}")
        for store, state in states:
            self.observer.step(f"{store}: state {state}")
            self.bench.prepare(store, state)
        self.bundle.write_contenders(self.plan.contender_records(self.bench.versions()))
        self.bundle.write_environments(self.bench.facts())
        self.bundle.append_event("standing", unusable=len(self.unusable))

    def verify(self) -> None:
        """Compare every contender with the reference; one that differs is not measured."""
        places = self._by_place()
        self.observer.phase("Verifying", len(places))
        findings: list[Finding] = []
        for place, cells in places.items():
            contender, store, environment, proxy = place
            self.observer.step(f"{contender} on {store}, {cells[0].place}")
            study = self.plan.study
            parts = dict.fromkeys(part for cell in cells for part in study.parts(cell.workload))
            asked = {name: study.workloads[name] for name in parts}
            began = time.monotonic()
            try:
                verification = self.bench.verify(contender, store, environment, asked, proxy=proxy)
            except LabError as error:
                self._give_up(str(error), cells, f"{contender} ({cells[0].place})")
                continue
            seconds = time.monotonic() - began
            self.bundle.append_event("compared", contender=contender, seconds=round(seconds, 2))
            findings.extend(verification.findings)
            for wrong in (each for each in verification.findings if each.severity == "error"):
                self.outcome.refused.append(wrong)
                spoilt = [
                    cell for cell in cells if wrong.workload in ("", *study.parts(cell.workload))
                ]
                where = f"{contender} ({cells[0].place})"
                self._give_up(f"verification refuses it: {wrong}", spoilt, where)
        self.bundle.write_findings(
            FindingRecord(
                severity=finding.severity,
                reason=finding.reason,
                where=" ".join(filter(None, (finding.contender, finding.operation, finding.path))),
                expected=finding.expected,
                got=finding.got,
            )
            for finding in findings
        )
        self._write_answers()
        self.bundle.append_event("verified", findings=len(findings))

    def find_rates(self) -> None:
        """Measure what contenders can do at most, where a load asks for a share of that."""
        study, records = self.plan.study, list(self.bundle.pilot_records)
        known = {record.cell for record in records}
        cells = [
            cell
            for cell in self.plan.schedule.cells
            if needs_pilot(study, cell) and cell not in known and cell not in self.unusable
        ]
        if cells:
            self.observer.phase("Finding capacities", len(cells))
            records.extend(
                record
                for number, cell in enumerate(cells, start=1)
                if (record := self._capacity(number, cell)) is not None
            )
            self.bundle.write_pilot(records)
        self.rates = Rates.of(study, records)

    def _capacity(self, number: int, cell: Cell) -> PilotRecord | None:
        """Measure one capacity, twice at most; a contender without one cannot be asked a share."""
        self.observer.step(f"{cell.contender}, {cell.workload}")
        name = f"pilot-{number:03}-{cell.registration}-{cell.workload}-{cell.load}"
        run = Run(name, 0, number, cell, self.plan.schedule.seed)
        reason = ""
        for attempt in range(1, ATTEMPTS + 1):
            folder = self.bundle.path / "pilot" / f"{name}.attempt-{attempt}"
            try:
                return measure_capacity(
                    self.bench, self.plan.study, self.plan.design, run, folder=folder
                )
            except MeasureError as error:
                reason = str(error)
        self.observer.note(f"{cell.label} is left out: {reason}")
        for same in (cell, replace(cell, twin=True)):
            self.unusable.setdefault(same, reason)
        return None

    def _write_answers(self) -> None:
        """Leave the sizes of the right answers, which are the same whoever gives them."""
        plans = {
            (plan.workload, plan.parameter_set): plan
            for planned in self.bench.plans.values()
            for plan in planned
        }
        self.bundle.write_answers(
            AnswerRecord(
                workload=plan.workload,
                operation=plan.operation,
                parameter_set=plan.parameter_set,
                leaves=plan.leaves,
            )
            for plan in plans.values()
        )

    def count_bytes(self) -> None:
        """Count the bytes of every contender and workload once, where the design asks for it."""
        wire = self.plan.design.wire
        if wire is None or self.bundle.wire_records:
            return
        # Where the study's first levels are: straight to a contender on this machine, by custom.
        levels = self.plan.study.levels
        first = sorted(
            (cell for cell in self.plan.schedule.cells if cell not in self.unusable),
            key=lambda cell: [levels[factor].index(cell.level(factor)) for factor in FACTORS],
            reverse=True,
        )
        cells = {(cell.contender, cell.workload): cell for cell in first if not cell.twin}
        self.observer.phase("Counting bytes", len(cells))
        rows: list[WireRecord] = []
        for cell in cells.values():
            self.observer.step(f"{cell.contender}, {cell.workload}")
            try:
                rows.extend(count_bytes(self.bench, self.rates.study_for(cell), cell, wire))
            except (LabError, MeasureError) as error:
                self.observer.note(f"bytes of {cell.label}: {error}")
                self.bundle.append_event("bytes not counted", cell=cell.label, reason=str(error))
        self.bundle.write_wire(rows)

    def measure(self) -> None:
        """Walk the schedule, and go on to further blocks while the intervals are too wide."""
        schedule = self.plan.schedule
        while True:
            runs = schedule.remaining(self.bundle.finished_run_ids())
            self.observer.phase("Measuring", len(runs))
            for run in runs:
                self._run(run)
            blocks = next_look(self.plan.design, schedule.blocks, _widest(self.bundle))
            if blocks is None:
                return
            self.observer.note(f"the intervals are still too wide: going on to {blocks} blocks")
            schedule = self._extended(blocks)

    def _run(self, run: Run) -> None:
        if run.cell in self.unusable:
            now = datetime.now(UTC).isoformat(timespec="milliseconds")
            record = RunRecord(
                run=run,
                status="skipped",
                reasons=(self.unusable[run.cell],),
                started_utc=now,
                finished_utc=now,
            )
            self.bundle.record_run(record)
            self.observer.run_finished(record)
            self.outcome.faulty += 1
            return
        for attempt in range(1, ATTEMPTS + 1):
            self.observer.run_started(run, attempt)
            folder = self.bundle.partial_run(run.id)
            record = carry_out(
                self.bench,
                self.rates.study_for(run.cell),
                self.plan.design,
                run,
                attempt=attempt,
                folder=folder,
                qualification=self.bundle.qualification,
            )
            self.bundle.record_run(record)
            self.observer.run_finished(record)
            if record.status == "valid":
                return
        self.outcome.faulty += 1

    def _extended(self, blocks: int) -> Schedule:
        before = self.plan.schedule
        longer = schedule(
            self.plan.study,
            before.design,
            before.seed,
            self.plan.only,
            unavailable={each.level: each.reason for each in before.skipped},
            start_seconds=start_seconds(self.plan.contenders),
            blocks=blocks,
        )
        self.bundle.write_schedule(longer)
        return longer

    def _give_up(self, reason: str, cells: Sequence[Cell], what: str) -> None:
        """Take cells out of the study, with the reason; the others go on."""
        self.observer.note(f"{what} is left out: {reason}")
        for cell in cells:
            self.unusable.setdefault(cell, reason)

    def _by_place(self) -> dict[tuple[str, str, str, str], list[Cell]]:
        """Group the usable cells by contender, store, environment and proxy."""
        places: dict[tuple[str, str, str, str], list[Cell]] = {}
        for cell in self.plan.schedule.cells:
            if cell not in self.unusable:
                place = (cell.contender, cell.store, cell.environment, cell.proxy)
                places.setdefault(place, []).append(cell)
        return places


def _widest(bundle: Bundle) -> float | None:
    """Return half the width of the widest interval of the study's comparisons, as a share."""
    widths = [
        pair.comparison.interval95.high / pair.comparison.ratio - 1
        for answer in analyse(bundle).answers
        for pair in answer.pairs
        if pair.comparison.interval95 is not None
    ]
    return max(widths, default=None)
