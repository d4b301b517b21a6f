"""The machines of a cluster that take part in a study: check, set up, assign blocks, end.

The head keeps the bundle and measures nothing itself. A machine that is lost, or that fails for
another reason than a contender, takes no further part; the others continue.
"""

import shutil
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from wirelab.bundle import Bundle
from wirelab.cluster.connection import TICK_S, Cluster, LostError, connect
from wirelab.cluster.crew import FleetCrew
from wirelab.cluster.fitness import LEAST_FREE_BYTES, refuse_other_versions, why_unfit
from wirelab.cluster.machine import ClusterMachine
from wirelab.cluster.packed_files import unpack
from wirelab.cluster.setup_results import leader, unusable_everywhere, write_setup_results
from wirelab.cluster.station_messages import Preparation, assignment_of, files_of
from wirelab.errors import LabError
from wirelab.experiment.blocks.queue import BlockQueue
from wirelab.experiment.context import StudyOutcome
from wirelab.experiment.events import Note, Observer, StageStarted, StepStarted
from wirelab.installation.interruption import requests_interrupt
from wirelab.lab.contenders.contender import Contender
from wirelab.lab.host import Host, read_host
from wirelab.planning.plan import PlannedStudy
from wirelab.study import Study
from wirelab.terminal.console import note

DESCRIPTION_S = 120.0
"""Time limit for a machine to describe itself; a machine whose CPUs others use does not answer."""
CLOSING_S = 30.0
"""Time limit for idle machines to end regularly."""


class Fleet:
    """The machines of a cluster, created by `fleet_at`: the `StudyMachines` of one study.

    `stores`: limits of embedded stores; `data`: a file of real data instead of generated rows.
    """

    def __init__(self, cluster: Cluster, stores: Mapping[str, str], data: Path | None) -> None:
        self.stores = stores
        self._data = data
        self._cluster = cluster
        self._bundle: Bundle | None = None
        self._observer = Observer()
        self.machines = [
            ClusterMachine(node.name, cluster.start_station(node)) for node in cluster.nodes()
        ]

    @property
    def taking_part(self) -> list[ClusterMachine]:
        """The machines that are not lost."""
        return [machine for machine in self.machines if not machine.lost]

    def check_machines(self) -> None:
        """Request every machine's description; leave out those that cannot take part.

        Raises `LabError` if a machine has another version of wirelab, or if none is left.
        """
        for machine, description in self._call_all("describe", timeout_s=DESCRIPTION_S).items():
            machine.description = description
        refuse_other_versions(read_host(), self.taking_part)
        for machine in self.taking_part:
            if machine.description and (reason := why_unfit(machine.description)):
                self.lose(machine, reason)
        self._require_a_machine()

    def unavailable(
        self,
        study: Study,
        design: str,
        only: Collection[str],
        _contenders: Mapping[str, Contender],
    ) -> Mapping[str, str]:
        """Return which levels of a study no machine can offer, and why; see `plan_study`."""
        files = self._cluster.keep(files_of(study, self._data))
        answers = list(self._call_all("unavailable", files, design, tuple(only)).values())
        self._require_a_machine()
        return {
            level: reason
            for level, reason in answers[0].items()
            if all(level in answer for answer in answers)
        }

    def check(self, plan: PlannedStudy, observer: Observer) -> None:  # noqa: ARG002
        """Check that no resource would be shared by all machines."""
        refuse_shared(plan, self.stores)

    def host(self) -> Host:
        """Describe the first machine that takes part."""
        first = self.taking_part[0].description
        assert first is not None, "machines without a description are lost"
        return first.host

    def lose(self, machine: ClusterMachine, reason: str) -> None:
        """Remove a machine, and end its processes."""
        machine.lost = reason
        with suppress(Exception):  # it may have ended, for any reason
            self._cluster.end(machine.station)
        text = f"{machine.name} takes no further part: {reason}"
        if self._bundle is None:
            note(text)
            return
        self._observer.on(Note(text))
        self._bundle.append_event("machine lost", machine=machine.name, reason=reason)
        self._write_machines(self._bundle)

    def end(self) -> None:
        """End all processes that still run on any machine."""
        for machine in self.taking_part:
            machine.lost = "the study has ended"
            with suppress(Exception):  # it may have ended, for any reason
                self._cluster.end(machine.station)

    def run_stages(
        self, plan: PlannedStudy, bundle: Bundle, observer: Observer, outcome: StudyOutcome
    ) -> None:
        """Run a study on all machines; every finished block is recorded in the bundle at once."""
        self.check(plan, observer)
        _refuse_full_disk(bundle.path)
        self._bundle, self._observer = bundle, observer
        crew = FleetCrew(self._cluster, self.machines, bundle, observer, self.lose)
        with requests_interrupt(), self._collecting_logs(crew):
            self._set_up(plan, bundle, outcome)
            crew.run_blocks(BlockQueue(plan, bundle, observer))

    def _set_up(self, plan: PlannedStudy, bundle: Bundle, outcome: StudyOutcome) -> None:
        """Build and verify on every machine; one makes the measurements that are needed once."""
        self._observer.on(StageStarted("Setting up", len(self.taking_part)))
        assignment = self._cluster.keep(assignment_of(plan, bundle, self.stores, self._data))
        for machine, setup in self._call_all("set_up", assignment, reported=True).items():
            machine.setup, machine.unusable = setup, dict(setup.unusable)
            self._pass_on(machine, setup.notes)
        self._require_a_machine()
        write_setup_results(bundle, outcome, self.taking_part)
        preparation = self._prepare(bundle)
        self._call_all("take_over", self._cluster.keep(preparation))
        for machine in self.taking_part:
            machine.unusable = {**preparation.unusable, **machine.unusable}
        self._write_machines(bundle)
        bundle.append_event("verified", machines=[machine.name for machine in self.taking_part])

    def _prepare(self, bundle: Bundle) -> Preparation:
        """Let one machine measure capacities and count bytes, and keep the results.

        If it is lost, another one continues.
        """
        while True:
            self._require_a_machine()
            lead = leader(self.taking_part)
            self._observer.on(StageStarted("Preparing", 1))
            self._observer.on(StepStarted(f"capacities and bytes, on {lead.name}"))
            try:
                preparation: Preparation = self._cluster.wait(
                    self._cluster.call(lead.station, "prepare", bundle.finished_block_ids())
                )
            except LostError as lost:
                self.lose(lead, f"{lost}, while it measured capacities and bytes")
                continue
            unpack(preparation.files, bundle.path / "pilot")
            if preparation.pilot:
                bundle.write_pilot(preparation.pilot)
            if preparation.wire:
                bundle.write_wire(preparation.wire)
            if preparation.calls:
                bundle.write_calls(preparation.calls)
            self._pass_on(lead, preparation.notes)
            return preparation

    def _call_all(
        self, method: str, *arguments: Any, timeout_s: float | None = None, reported: bool = False
    ) -> dict[ClusterMachine, Any]:
        """Call a method on all machines at the same time; those that fail are lost.

        `reported`: report every finished machine to the observer.
        """
        stations = {machine: machine.station for machine in self.taking_part}
        results: dict[ClusterMachine, Any] = {}
        for machine, result in self._cluster.call_all(
            stations, method, lambda _: arguments, timeout_s=timeout_s
        ):
            if isinstance(result, LostError):
                self.lose(machine, str(result))
            else:
                results[machine] = result
            if reported:
                self._observer.on(StepStarted(machine.name))
        return {machine: results[machine] for machine in self.machines if machine in results}

    def _require_a_machine(self) -> None:
        if not self.taking_part:
            reasons = "; ".join(f"{machine.name}: {machine.lost}" for machine in self.machines)
            raise LabError(
                f"no machine of the cluster can take part: {reasons or 'Ray has no CPUs there'}",
                "the guide to many machines explains how to start Ray",
            )

    def _pass_on(self, machine: ClusterMachine, notes: Sequence[str]) -> None:
        assert self._bundle is not None, "machines send notes only during a study"
        for text in notes:
            relocated = machine.relocate(text, self._bundle.path)
            self._observer.on(Note(f"{machine.name}: {relocated}"))

    def _write_machines(self, bundle: Bundle) -> None:
        """Write machines.json; machines of an earlier execution remain in it."""
        everywhere = unusable_everywhere(self.taking_part) if self.taking_part else {}
        records = {record.name: record for record in bundle.machines}
        for machine in self.machines:
            records[machine.name] = machine.record(everywhere, bundle.path)
        bundle.write_machines(records.values())

    @contextmanager
    def _collecting_logs(self, crew: FleetCrew) -> Iterator[None]:
        """At the end, let idle machines end regularly, and keep their logs."""
        try:
            yield
        except KeyboardInterrupt:
            self.end()
            raise
        finally:
            idle = {
                self._cluster.call(machine.station, "close"): machine
                for machine in self.taking_part
                if machine not in [busy for busy, _ in crew.under_way.values()]
            }
            deadline = time.monotonic() + CLOSING_S
            while idle and time.monotonic() < deadline:
                for ticket in self._cluster.ended(list(idle), TICK_S):
                    machine = idle.pop(ticket)
                    with suppress(LostError):
                        logs = self._cluster.result(ticket)
                        assert self._bundle is not None, "a study is running"
                        unpack(logs, self._bundle.path / "logs" / machine.name)
            self.end()


@contextmanager
def fleet_at(address: str, stores: Mapping[str, str], data: Path | None) -> Iterator[Fleet]:
    """Connect to a cluster, and check its machines; see `Fleet`. Raises `LabError`.

    At the end, all processes that were started have ended.
    """
    with connect(address) as cluster:
        fleet = Fleet(cluster, stores, data)
        try:
            fleet.check_machines()
            yield fleet
        finally:
            fleet.end()


def _refuse_full_disk(folder: Path) -> None:
    free = shutil.disk_usage(folder).free
    if free < LEAST_FREE_BYTES:
        raise LabError(
            f"the disk of {folder} has {free / 1e6:.0f} MB free, which is too little for a bundle",
            "free space there, or choose a folder on another disk with --output",
        )


def refuse_shared(plan: PlannedStudy, stores: Mapping[str, str]) -> None:
    """Raise `LabError` for resources that all machines would share: blocks must be independent."""
    hint = "leave it out, or measure on one machine, without --cluster"
    shared = [kind for kind, written in stores.items() if "://" in written]
    if shared:
        raise LabError(f"--store {shared[0]} is one database for all machines of the cluster", hint)
    for name in dict.fromkeys(cell.contender for cell in plan.schedule.cells):
        if plan.contenders[name].address is not None:
            what = f"{name} is one running server for all machines of the cluster"
            raise LabError(what, hint)
