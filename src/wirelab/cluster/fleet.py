"""The machines of a cluster that take part in a study: check, set up, assign blocks, end.

The head keeps the bundle and measures nothing itself. A machine that is lost, or that fails for
another reason than a contender, takes no further part; the others continue.
"""

import shutil
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from wirelab.bundle import Bundle
from wirelab.cluster.assigning import assignment_of, files_of, refuse_shared
from wirelab.cluster.connection import Cluster, LostError, Ticket, connect
from wirelab.cluster.crew import FleetCrew
from wirelab.cluster.fitness import LEAST_FREE_BYTES, refuse_other_versions, why_unfit
from wirelab.cluster.machine import Machine
from wirelab.cluster.packed_files import unpack
from wirelab.cluster.setup_results import leader, unusable_everywhere, write_setup_results
from wirelab.cluster.station_messages import Preparation
from wirelab.errors import LabError
from wirelab.experiment import Observer, Outcome, RemoteMachines
from wirelab.experiment.blocks.measuring import Measuring
from wirelab.installation.interruption import requests_interrupt
from wirelab.lab.contenders.contender import Contender
from wirelab.lab.host import read_host
from wirelab.planning.plan import PlannedStudy
from wirelab.study import Study
from wirelab.terminal.console import note

INTRODUCTION_S = 120.0
"""Time limit for a machine to describe itself; a machine whose CPUs others use does not answer."""
CLOSING_S = 30.0
"""Time limit for idle machines to end regularly."""
TICK_S = 1.0


class Fleet:
    """The machines of a cluster, created by `fleet_at`."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._bundle: Bundle | None = None
        self._observer = Observer()
        self.machines = [
            Machine(node.name, cluster.start_station(node)) for node in cluster.nodes()
        ]

    @property
    def taking_part(self) -> list[Machine]:
        """The machines that are not lost."""
        return [machine for machine in self.machines if not machine.lost]

    def introduce(self) -> None:
        """Request every machine's description; leave out those that cannot take part.

        Raises `LabError` if a machine has another version of wirelab, or if none is left.
        """
        for machine, found in self._call_all("introduce", timeout_s=INTRODUCTION_S).items():
            machine.introduction = found
        refuse_other_versions(read_host(), self.taking_part)
        for machine in self.taking_part:
            if machine.introduction and (reason := why_unfit(machine.introduction)):
                self.lose(machine, reason)
        self._refuse_to_be_alone()

    def unavailable(
        self,
        study: Study,
        design: str,
        only: Collection[str],
        _contenders: Mapping[str, Contender],
        *,
        data: Path | None,
    ) -> Mapping[str, str]:
        """Return which levels of a study no machine can offer, and why; see `plan_study`."""
        files = self._cluster.keep(files_of(study, data))
        answers = list(self._call_all("unavailable", files, design, tuple(only)).values())
        self._refuse_to_be_alone()
        return {
            level: reason
            for level, reason in answers[0].items()
            if all(level in answer for answer in answers)
        }

    def remote_machines(self, stores: Mapping[str, str], data: Path | None) -> RemoteMachines:
        """Return the function that runs a study here. `stores`: limits of embedded stores."""
        first = self.taking_part[0].introduction
        assert first is not None, "machines without a description are lost"
        return RemoteMachines(first.host, partial(self._carry_out, stores=stores, data=data))

    def lose(self, machine: Machine, reason: str) -> None:
        """Remove a machine, and end its processes."""
        machine.lost = reason
        with suppress(Exception):  # it may have ended, for any reason
            self._cluster.end(machine.station)
        text = f"{machine.name} takes no further part: {reason}"
        if self._bundle is None:
            note(text)
            return
        self._observer.note(text)
        self._bundle.append_event("machine lost", machine=machine.name, reason=reason)
        self._write_machines(self._bundle)

    def end(self) -> None:
        """End all processes that still run on any machine."""
        for machine in self.taking_part:
            machine.lost = "the study has ended"
            with suppress(Exception):  # it may have ended, for any reason
                self._cluster.end(machine.station)

    def _carry_out(
        self,
        plan: PlannedStudy,
        bundle: Bundle,
        observer: Observer,
        outcome: Outcome,
        *,
        stores: Mapping[str, str],
        data: Path | None,
    ) -> None:
        """Run a study on all machines; every finished block is recorded in the bundle at once."""
        refuse_shared(plan, stores)
        _refuse_full_disk(bundle.path)
        self._bundle, self._observer = bundle, observer
        crew = FleetCrew(self._cluster, self.machines, bundle, observer, self.lose)
        with requests_interrupt(), self._bringing_logs_home(crew):
            self._set_up(plan, bundle, outcome, stores, data)
            Measuring(plan, bundle, observer, crew).carry_out()

    def _set_up(
        self,
        plan: PlannedStudy,
        bundle: Bundle,
        outcome: Outcome,
        stores: Mapping[str, str],
        data: Path | None,
    ) -> None:
        """Build and verify on every machine; one makes the measurements that are needed once."""
        self._observer.phase("Setting up", len(self.taking_part))
        assignment = self._cluster.keep(assignment_of(plan, bundle, stores, data))
        for machine, setup in self._call_all("set_up", assignment, reported=True).items():
            machine.setup, machine.unusable = setup, dict(setup.unusable)
            self._pass_on(machine, setup.notes)
        self._refuse_to_be_alone()
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
            self._refuse_to_be_alone()
            lead = leader(self.taking_part)
            self._observer.phase("Preparing", 1)
            self._observer.step(f"capacities and bytes, on {lead.name}")
            ticket = self._cluster.call(lead.station, "prepare", bundle.finished_block_ids())
            while not self._cluster.ended([ticket], TICK_S):
                pass
            try:
                found: Preparation = self._cluster.result(ticket)
            except LostError as lost:
                self.lose(lead, f"{lost}, while it measured capacities and bytes")
                continue
            unpack(found.files, bundle.path / "pilot")
            if found.pilot:
                bundle.write_pilot(found.pilot)
            if found.wire:
                bundle.write_wire(found.wire)
            if found.calls:
                bundle.write_calls(found.calls)
            self._pass_on(lead, found.notes)
            return found

    def _call_all(
        self, method: str, *arguments: Any, timeout_s: float | None = None, reported: bool = False
    ) -> dict[Machine, Any]:
        """Call a method on all machines at the same time; those that fail are lost.

        `reported`: report every finished machine to the observer.
        """
        waiting: dict[Ticket, Machine] = {
            self._cluster.call(machine.station, method, *arguments): machine
            for machine in self.taking_part
        }
        found: dict[Machine, Any] = {}
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        while waiting and (deadline is None or time.monotonic() < deadline):
            for ticket in self._cluster.ended(list(waiting), TICK_S):
                machine = waiting.pop(ticket)
                try:
                    found[machine] = self._cluster.result(ticket)
                except LostError as lost:
                    self.lose(machine, str(lost))
                if reported:
                    self._observer.step(machine.name)
        for machine in waiting.values():
            self.lose(machine, "it did not answer in time: its CPUs are in use by other Ray work")
        return {machine: found[machine] for machine in self.machines if machine in found}

    def _refuse_to_be_alone(self) -> None:
        if not self.taking_part:
            reasons = "; ".join(f"{machine.name}: {machine.lost}" for machine in self.machines)
            raise LabError(
                f"no machine of the cluster can take part: {reasons or 'Ray has no CPUs there'}",
                "the guide to many machines explains how to start Ray",
            )

    def _pass_on(self, machine: Machine, notes: Sequence[str]) -> None:
        assert self._bundle is not None, "machines send notes only during a study"
        for text in notes:
            self._observer.note(f"{machine.name}: {machine.relocate(text, self._bundle.path)}")

    def _write_machines(self, bundle: Bundle) -> None:
        """Write machines.json; machines of an earlier execution remain in it."""
        everywhere = unusable_everywhere(self.taking_part) if self.taking_part else {}
        records = {record.name: record for record in bundle.machines}
        for machine in self.machines:
            records[machine.name] = machine.record(everywhere, bundle.path)
        bundle.write_machines(records.values())

    @contextmanager
    def _bringing_logs_home(self, crew: FleetCrew) -> Iterator[None]:
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
def fleet_at(address: str) -> Iterator[Fleet]:
    """Connect to a cluster, and check its machines. Raises `LabError`.

    At the end, all processes that were started have ended.
    """
    with connect(address) as cluster:
        fleet = Fleet(cluster)
        try:
            fleet.introduce()
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
