"""What contenders of several services answer, and what they keep, while one of them fails."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol

from wirelab import words
from wirelab.close_match import one_of
from wirelab.domain.dataset import Dataset
from wirelab.domain.model import Operation, Outage
from wirelab.domain.reference import Reference, load_reference
from wirelab.domain.refusal import Fault
from wirelab.protocol.base import Codec
from wirelab.protocol.client_base import Client, NoReplyError
from wirelab.protocol.message import Refusal
from wirelab.protocol.plan import plan_transaction
from wirelab.verify.comparison import Comparison, GivenUpError
from wirelab.verify.findings import Finding
from wirelab.verify.remembered import Remembered

SLOW_S = 0.1
"""How long the answers of a slow service are held back: little beside any deadline."""
LATE_S = 0.5
"""By how much an answer misses the deadline that comes too late."""
ALLOWANCE_S = 2.0
"""What a busy machine may add to a deadline."""
SETTLING_S = 20.0
"""How long services may take to agree again on what has happened."""


class Reached(NamedTuple):
    """How a service is spoken to, and a connection to it."""

    codec: Codec[Any]
    client: Client


class Frail(Protocol):
    """A running contender of several services, and what can be done to them."""

    @property
    def names(self) -> Sequence[str]:
        """The services, each behind those that it calls: the last is the one that clients ask."""

    def reach(self, service: str) -> Reached:
        """Reach a service that runs."""

    def called(self) -> list[str]:
        """Return the services that others have called since the last time this was asked."""

    def held_back(self, services: Sequence[str], seconds: float) -> AbstractContextManager[None]:
        """Hold back for so long what these services answer others."""

    def frozen(self, service: str) -> AbstractContextManager[None]:
        """Let a service do nothing at all for as long as the block lasts."""

    def kill(self, service: str) -> None:
        """End a service without a warning."""

    def restart(self) -> None:
        """Start all services anew on the data that they had. Raises `LabError`."""


def verify_outage(
    contender: str, outage: Outage, services: Frail, dataset: Dataset, *, seed: int = 1
) -> list[Finding]:
    """Return what is wrong with a contender while services that it needs fail, and afterwards.

    `dataset` describes what the store holds now. Raises `LabError` where services do not start.
    """
    domain = dataset.domain
    (parameters,) = dataset.draw(
        domain.operations[outage.operation], 1, seed, fixed=outage.parameters
    )
    reference = load_reference(domain, dataset)
    check = _Check(contender, outage, services, dataset, reference, parameters, seed)
    with suppress(GivenUpError):  # It is among the findings; what was found before stands.
        check.run()
    return check.findings


@dataclass(slots=True)
class _Check:
    contender: str
    outage: Outage
    services: Frail
    dataset: Dataset
    reference: Reference
    parameters: dict[str, object]
    seed: int
    findings: list[Finding] = field(default_factory=list)
    remembered: Remembered = field(default_factory=Remembered)

    def run(self) -> None:
        services, late_s = self.services, self.outage.deadline_s + LATE_S
        services.called()
        if not self._carried_out("while nothing is wrong"):
            return
        needed = services.called()
        if not needed:
            return
        with services.held_back(needed, SLOW_S):
            if not self._carried_out(f"while answers of {words.listed(needed)} are slow"):
                return
        for name in needed:
            with services.frozen(name):
                self._refused(f"while {name} is silent", "too_late")
            self._nothing_changed(f"after {name} was silent")
            with services.held_back([name], late_s):
                self._refused(f"while {name} answers too late", "too_late")
            self._nothing_changed(f"after {name} answered too late")
        for name in reversed(needed):  # who calls goes before whom it calls
            services.kill(name)
            self._refused(f"while {name} is gone", "unavailable")
        services.restart()
        when = "after all services were started again"
        self._nothing_changed(when)
        if self._carried_out(when):
            self._nothing_changed(when)

    def _carried_out(self, when: str) -> bool:
        with self._comparing("", when) as comparison:
            agreed = comparison.compare(self._operation, self.parameters)
        if agreed is None:
            return False
        self.remembered.keep(self.outage.remember, agreed)
        return True

    def _refused(self, when: str, kind: Fault) -> None:
        """Carry the operation out where that must be refused, in time and as this kind."""
        name, right = self.outage.operation, f"refused as {kind}"
        with self._comparing("", when) as comparison:
            try:
                done = plan_transaction(
                    comparison.client, comparison.codec, self._operation, self.parameters
                )
            except NoReplyError as error:
                comparison.find("error", name, "no reply", right, str(error))
                return
            if not isinstance(done.outcome, Refusal):
                comparison.find("error", name, "answered", right, done.outcome.value)
            elif done.outcome.kind != kind:
                got = f"refused as {done.outcome.kind}"
                comparison.find("error", name, got, right, done.outcome.detail)
            elif done.seconds > self.outage.deadline_s + ALLOWANCE_S:
                deadline = f"within {self.outage.deadline_s:g} s"
                comparison.find("error", name, "too slow", deadline, f"{done.seconds:.1f} s")

    def _nothing_changed(self, when: str) -> None:
        """Look until all is as the reference has it, which nobody has asked meanwhile."""
        for look in self.outage.looks:
            operation = self.dataset.domain.operations[look.operation]
            mine, theirs = (
                self.dataset.draw(operation, 1, self.seed, fixed=filled)[0]
                for filled in self.remembered.filled(look.parameters)
            )
            with self._comparing(look.service, when) as comparison:
                if look.service and look.service not in self.services.names:
                    known = one_of(self.services.names)
                    comparison.find("error", look.operation, "no such service", known, look.service)
                    continue
                comparison.settle(
                    operation, mine, theirs, self.remembered.same, within_s=SETTLING_S
                )

    @contextmanager
    def _comparing(self, service: str, when: str) -> Iterator[Comparison]:
        """Compare a service, "" the one that clients ask; findings say when it was so."""
        names = self.services.names
        reached = self.services.reach(service if service in names else names[-1])
        comparison = Comparison(self.contender, *reached, self.reference)
        try:
            yield comparison
        finally:
            self.findings += [
                replace(each, reason=f"{when}: {each.reason}") for each in comparison.findings
            ]

    @property
    def _operation(self) -> Operation:
        return self.dataset.domain.operations[self.outage.operation]
