"""The laboratory of one machine of a cluster: sets up what a study needs, and runs blocks.

It has its own folder with an ordinary bundle, and sends every finished block to the head. If the
process ends, even by SIGKILL, the guards end all processes that it has started, and remove the
folder. `actor` calls its methods.
"""

import shutil
from collections.abc import Collection, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from wirelab.bundle import Bundle
from wirelab.cluster.packed_files import PackedFiles, pack, unpack
from wirelab.cluster.station_messages import (
    Assignment,
    Delivery,
    Event,
    Preparation,
    SetupResult,
    StudyFiles,
)
from wirelab.cluster.working_folder import WorkingFolder
from wirelab.experiment.blocks.block import run_block
from wirelab.experiment.context import RunContext, StudyOutcome
from wirelab.experiment.events import Event as StudyEvent
from wirelab.experiment.events import Note, Observer
from wirelab.experiment.laboratory import Laboratory
from wirelab.experiment.preparation.calls import count_calls
from wirelab.experiment.preparation.capacities import find_capacities
from wirelab.experiment.preparation.contender_records import contender_records
from wirelab.experiment.preparation.rates import Rates
from wirelab.experiment.preparation.setting_up import set_up
from wirelab.experiment.preparation.verifying import verify
from wirelab.experiment.preparation.wire import count_bytes
from wirelab.experiment.study import write_qualification
from wirelab.installation.resources import resource_folder
from wirelab.lab.host import read_host
from wirelab.lab.processes.cpu import plan_cpus
from wirelab.lab.processes.process import stop_everything
from wirelab.planning.plan import PlannedStudy, load_world, unavailable_here
from wirelab.planning.schedule import Block
from wirelab.study import Study, load_study


@dataclass
class KeptNotes(Observer):
    """Keeps notes for the user until they are sent to the head."""

    kept: list[str] = field(default_factory=list)

    def on(self, event: StudyEvent) -> None:
        """Keep a note."""
        if isinstance(event, Note):
            self.kept.append(event.text)

    def take(self) -> tuple[str, ...]:
        """Return the new notes, once."""
        new = tuple(self.kept)
        self.kept.clear()
        return new


class Station(WorkingFolder):
    """The laboratory on this machine. Call `set_up` before any later method.

    `niceness`: the niceness that it should run with.
    """

    def __init__(self, niceness: int = 0) -> None:
        super().__init__(niceness)
        self._folder.chmod(0o755)  # contenders run as another user
        self._notes = KeptNotes()
        self._events_sent = 0
        self._loads = 0
        self._ends = ExitStack()

    def unavailable(
        self, files: StudyFiles, design: str, only: Collection[str]
    ) -> Mapping[str, str]:
        """Return which levels of a study this machine cannot offer, and why."""
        study, _ = self._receive(files)
        _, contenders = load_world(study)
        return unavailable_here(study, design, only, contenders)

    def set_up(self, assignment: Assignment) -> SetupResult:
        """Build contenders, start stores, prepare states, verify. Raises `LabError`."""
        received, data = self._receive(assignment.files)
        study = received.in_design(assignment.schedule.design)
        domain, contenders = load_world(study)
        plan = PlannedStudy(study, domain, contenders, assignment.schedule)
        bundle = self._open_bundle(plan, assignment)
        logs = bundle.path / "logs"
        laboratory = Laboratory.for_study(plan, logs, assignment.stores, data)
        self._ends.enter_context(laboratory)
        outcome = StudyOutcome(bundle)
        self._context = context = RunContext(plan, bundle, laboratory, self._notes, outcome)
        set_up(context)
        verify(context)
        context.rates = Rates.from_records(study, assignment.pilot)
        return SetupResult(
            folder=str(bundle.path),
            contenders=bundle.contenders,
            environments=bundle.environments,
            findings=tuple(bundle.findings),
            refused=tuple(outcome.refused),
            answers=tuple(bundle.answers),
            equality=tuple(bundle.equality),
            unusable=dict(context.unusable),
            notes=self._notes.take(),
            events=self._new_events(),
        )

    def prepare(self, finished: Collection[str]) -> Preparation:
        """Make the measurements that are needed once for all machines. Raises `LabError`.

        `finished`: ids of finished blocks.
        """
        context, bundle = self._context, self._context.bundle
        before = set(context.unusable)
        find_capacities(context, finished)
        count_bytes(context)
        count_calls(context)
        return Preparation(
            pilot=tuple(bundle.pilot_records),
            wire=tuple(bundle.wire_records),
            calls=tuple(bundle.call_records),
            unusable={
                cell: reason for cell, reason in context.unusable.items() if cell not in before
            },
            files=pack(bundle.path / "pilot"),
            notes=self._notes.take(),
            events=self._new_events(),
        )

    def take_over(self, preparation: Preparation) -> None:
        """Use the measurements that another machine has made for all."""
        context = self._context
        context.rates = Rates.from_records(context.study, preparation.pilot)
        context.unusable = {**preparation.unusable, **context.unusable}

    def run_block(self, block: Block, attempt: int) -> Delivery:
        """Run a block once. Raises `LabError` if a store cannot be restarted."""
        record = run_block(self._context, block, attempt)
        folder = self._context.bundle.path / "blocks" / record.folder_name
        (folder / "block.json").unlink()  # the head writes it, with the machine's name
        files = pack(folder)
        shutil.rmtree(folder)
        return Delivery(record, files, self._notes.take(), self._new_events())

    def close(self) -> PackedFiles:
        """End all processes that were started, and return the logs."""
        self._ends.close()
        logs = self._folder / "bundle" / "logs"
        packed = pack(logs) if logs.is_dir() else {}
        stop_everything()
        return packed

    def _open_bundle(self, plan: PlannedStudy, assignment: Assignment) -> Bundle:
        """Create this machine's bundle, with the results that are known already."""
        bundle = Bundle.create(
            self._folder / "bundle",
            info=assignment.info,
            schedule=assignment.schedule,
            contenders=contender_records(plan),
            host=read_host(plan_cpus()).model_dump(mode="json"),
            study_files=plan.study.files,
            domain_files={},
        )
        self._ends.enter_context(bundle)
        write_qualification(bundle, self._notes)
        if assignment.pilot:
            bundle.write_pilot(assignment.pilot)
        if assignment.wire:
            bundle.write_wire(assignment.wire)
        if assignment.calls:
            bundle.write_calls(assignment.calls)
        return bundle

    def _receive(self, files: StudyFiles) -> tuple[Study, Path | None]:
        """Write the received files to this machine's disk, and load the study from there."""
        self._loads += 1
        folder = self._folder / f"received-{self._loads}"
        unpack(files.study, folder / "study")
        study = load_study(folder / "study")
        if isinstance(files.domain, str):
            domain = str(resource_folder("domains") / files.domain)
        else:
            unpack(files.domain, folder / "domain")
            domain = str(folder / "domain")
        unpack(files.data, folder / "data")
        data = [folder / "data" / name for name in files.data]
        return study.model_copy(update={"domain": domain}), data[0] if data else None

    def _new_events(self) -> tuple[Event, ...]:
        events = self._context.bundle.events()
        new = events[self._events_sent :]
        self._events_sent = len(events)
        return tuple(new)
