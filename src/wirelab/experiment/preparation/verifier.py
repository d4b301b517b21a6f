"""Verify each contender's answers against the reference, and plan the workloads."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from wirelab.errors import MeasureError
from wirelab.experiment.place import Place, Placement
from wirelab.experiment.preparation.launcher import Launcher
from wirelab.lab.contenders.development import signs_of_development
from wirelab.lab.contenders.exposure import exposures
from wirelab.lab.contenders.python_build import unoptimised_python
from wirelab.lab.contenders.running import RunningContender
from wirelab.lab.environments.kinds import is_native
from wirelab.lab.processes.memory import used_bytes
from wirelab.lab.processes.process import GRACE_S
from wirelab.lab.stores.store import Database
from wirelab.lab.stores.store_manager import StoreManager, StoreState
from wirelab.protocol.clients.base import Client
from wirelab.protocol.clients.client import connect_to
from wirelab.study import NO_PROXY, OWN_STORE, Workload
from wirelab.verify import (
    Connection,
    Equality,
    Finding,
    OneBackend,
    Plan,
    Sent,
    Verification,
    require_consistent,
    verify,
)
from wirelab.verify.findings.finding_reasons import Exposed, IgnoresSigterm, Symptomatic
from wirelab.verify.servers.statements import repeated_statements
from wirelab.verify.servers.symptoms import Sign, Symptom, Watched

OWN = "verify"
"""The name of the database for verification."""
CACHE_AGE = "cache_age_s"
"""The contender's setting for the maximum age of an answer from a cache in front of it."""


@dataclass
class Verifier:
    """Compares contenders with the reference, and keeps the plans of verified workloads."""

    launcher: Launcher
    stores: StoreManager
    logs: Path
    seed: int
    patience_s: float = 10.0
    """How long to wait for one reply."""
    plans: dict[tuple[Place, str], tuple[Plan, ...]] = field(default_factory=dict)
    """By place and workload."""
    equality: Equality | None = None
    """Compares contenders with each other if the domain has no reference."""
    symptoms: list[Finding] = field(default_factory=list)
    """Symptoms of contenders without a reference, which may have more than one turn."""
    sent: dict[str, Sent] = field(default_factory=dict)
    """How much each contender was sent in the state that was verified last."""
    consistent: set[str] = field(default_factory=set)
    """The states in which the domain agrees with its reference."""
    memory_bytes: dict[Placement, int] = field(default_factory=dict)
    """Memory of a contender after its verification, if wirelab can read it."""

    def turns(
        self, workloads_by_place: Mapping[Place, Mapping[str, Workload]]
    ) -> list[tuple[Place, Mapping[str, Workload]]]:
        """Return which workloads to verify where, one after the other.

        Without a reference contenders may share their data: all read before any of them writes.
        """
        if self.equality is None:
            return list(workloads_by_place.items())
        reads, writes = [], []
        for place, workloads in workloads_by_place.items():
            changing = self.equality.writes(workloads.values())
            writing = {name: each for name, each in workloads.items() if each.operation in changing}
            reading = {name: each for name, each in workloads.items() if name not in writing}
            reads += [(place, reading)] if reading or not writing else []
            writes += [(place, writing)] if writing else []
        return [*reads, *writes]

    def verify(self, place: Place, workloads: Mapping[str, Workload]) -> Verification:
        """Compare a contender with the reference in every state the workloads start from.

        The plans of the workloads are kept. Raises `LabError`, and `ProblemsError` for a mistake of
        the domain, before any server gets a request.
        """
        if self.equality is not None:
            return self._compare_with_others(self.equality, place, workloads)
        findings: list[Finding] = []
        plans: list[Plan] = []
        codecs, contender = self.launcher.codecs, place.placement.contender
        codec, in_dialect = codecs.codec(contender), codecs.domain_of(contender)
        for state in dict.fromkeys(workload.state for workload in workloads.values()):
            in_state = {name: each for name, each in workloads.items() if each.state == state}
            self.require_consistent(in_state)
            log_path = self.logs / f"verify-{place.name}-{state}.log"
            here = StoreState(place.store, state)
            database = self.stores.restore(here, [OWN])[OWN].database
            with (
                self.launcher.running(place, database, log_path=log_path) as server,
                connect_to(
                    codecs.endpoint(contender, server.address, server.ca), timeout_s=self.patience_s
                ) as client,
            ):
                dataset = replace(self.stores.dataset(state), domain=in_dialect)
                watched = Watched(client)
                settings = server.contender.settings
                age_s = float(settings.get(CACHE_AGE, 0.0))
                result = verify(
                    contender,
                    codec,
                    watched,
                    dataset,
                    in_state,
                    seed=self.seed,
                    age_s=age_s,
                    server=server,
                )
                self.sent[contender] = result.sent
                self._record_memory(place.placement, server)
                findings.extend((*result.findings, *_symptoms(server, watched)))
                findings += self._statements(place, client, result.plans)
                findings += _exposures(place, server)
            findings += _ignored_signals(server)
            plans.extend(result.plans)
        for name in workloads:
            self.plans[place, name] = tuple(plan for plan in plans if plan.workload == name)
        # Compared by equality: expected and actual values may be rows, which are not hashable.
        once = [each for number, each in enumerate(findings) if each not in findings[:number]]
        return Verification(tuple(once), tuple(plans))

    def require_consistent(self, workloads: Mapping[str, Workload]) -> None:
        """Generate the rows of the states that workloads start from, and check the domain on them.

        Each state is checked once, with the workloads that are given first. Raises `ProblemsError`
        for a mistake of the domain, and `MissingProgramError` if its generator is not installed.
        """
        states = {workload.state for workload in workloads.values()}
        for state in sorted(states - self.consistent):
            starting_here = {name: each for name, each in workloads.items() if each.state == state}
            require_consistent(self.stores.dataset(state), self.seed, starting_here)
            self.consistent.add(state)

    def _compare_with_others(
        self, equality: Equality, place: Place, workloads: Mapping[str, Workload]
    ) -> Verification:
        """Compare a contender with those verified before it, since there is no reference."""
        contender = place.placement.contender
        if equality.writes(workloads.values()):
            self._reset()
        with self._connected(place, f"verify-{place.name}") as (server, client):
            watched = Watched(client)
            codec = self.launcher.codecs.codec(contender)
            result = equality.verify(contender, codec, watched, workloads, server)
            self._record_memory(place.placement, server)
            seen = [*_symptoms(server, watched), *_exposures(place, server)]
        seen += _ignored_signals(server)
        symptoms = [finding for finding in seen if finding not in self.symptoms]
        self.symptoms += symptoms
        for name in workloads:
            self.plans[place, name] = tuple(plan for plan in result.plans if plan.workload == name)
        return replace(result, findings=(*result.findings, *symptoms))

    def write_through_each(
        self, places: Sequence[Place], workloads: Mapping[str, Workload]
    ) -> Sequence[Finding]:
        """Write through each of several contenders and read through all, if they share a backend.

        `places` are those of contenders that were verified, and only what `workloads` write is
        written. Without one backend, nothing is sent. Raises `LabError`.
        """
        equality = self.equality
        first = {place.placement.contender: place for place in reversed(places)}
        writes = equality.writes(workloads.values()) if equality else ()
        if equality is None or not equality.domain.one_backend or not writes or len(first) < 2:
            return ()
        self._reset()
        connections = []
        with ExitStack() as ends:
            for contender, place in reversed(first.items()):
                _, client = ends.enter_context(self._connected(place, f"writes-{place.name}"))
                codec = self.launcher.codecs.codec(contender)
                connections.append(Connection(contender, codec, client))
            return OneBackend(equality, connections).verify(writes)

    @contextmanager
    def _connected(self, place: Place, log: str) -> Iterator[tuple[RunningContender, Client]]:
        """Run a contender that keeps its own data, and connect to it. Raises `LabError`."""
        contender, database = place.placement.contender, Database(OWN_STORE, "")
        log_path = self.logs / f"{log}.log"
        with self.launcher.running(place, database, log_path=log_path) as server:
            endpoint = self.launcher.codecs.endpoint(contender, server.address, server.ca)
            with connect_to(endpoint, timeout_s=self.patience_s) as client:
                yield server, client

    def _reset(self) -> None:
        """Restore the servers' own data, if there is a command for it. Raises `StoreError`."""
        self.stores.restore(StoreState(OWN_STORE, ""), [OWN])

    def _statements(self, place: Place, client: Client, plans: Sequence[Plan]) -> Iterator[Finding]:
        """Check the statements of each operation's largest answer, if its store shows them."""
        contender = place.placement.contender
        operations = self.launcher.codecs.domain_of(contender).operations
        by_size = sorted(plans, key=lambda plan: plan.leaves)
        largest = {plan.operation: plan for plan in by_size}
        with self.stores.open(place.store).statements() as log:
            for operation, plan in largest.items() if log else ():
                if log and operations[operation].effect == "read":
                    sign = repeated_statements(client, plan, log.take)
                    if sign is not None:
                        yield _finding(contender, operation, sign)

    def _record_memory(self, placement: Placement, server: RunningContender) -> None:
        try:
            used = used_bytes(server.counted.values())
        except MeasureError:  # it has ended, which the findings report
            return
        self.memory_bytes[placement] = max(used, self.memory_bytes.get(placement, 0))


def _exposures(place: Place, server: RunningContender) -> list[Finding]:
    """Return warnings about a native contender with needless open ports or permissions."""
    if not is_native(place.placement.environment) or place.proxy != NO_PROXY:
        return []
    contender = place.placement.contender
    return [
        Finding(
            severity="warning",
            contender=contender,
            reason=Exposed(services=services, exposure=exposure),
        )
        for services, exposure in exposures(server)
    ]


def _ignored_signals(server: RunningContender) -> list[Finding]:
    """Return a warning about a contender that has been stopped, but only by SIGKILL."""
    contender = server.contender
    if not server.process.killed:
        return []
    services = zip(contender.services, server.services, strict=True)
    names = [name for name, service in services if service.process.killed]
    reason = IgnoresSigterm(services=tuple(names), waited_s=GRACE_S)
    return [Finding(severity="warning", contender=contender.id, reason=reason)]


def _symptoms(server: RunningContender, watched: Watched) -> list[Finding]:
    """Return findings about replies and processes of a contender that differ from production."""
    pids = [counted for counted in server.counted.values() if isinstance(counted, int)]
    signs = [
        *watched.signs,
        *(
            Sign(Symptom.DEVELOPMENT_SERVER, each)
            for pid in pids
            for each in signs_of_development(pid)
        ),
        *(
            Sign(Symptom.UNOPTIMISED_PYTHON, evidence)
            for pid in pids
            if (evidence := unoptimised_python(pid))
        ),
    ]
    return [_finding(server.contender.id, "", each) for each in signs]


def _finding(contender: str, operation: str, sign: Sign) -> Finding:
    reason = Symptomatic(sign=sign)
    return Finding(severity="warning", contender=contender, operation=operation, reason=reason)
