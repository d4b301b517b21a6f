"""Check contenders of several services while one service fails: their answers and their data."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from wirelab.domain.checks import Outage
from wirelab.domain.dataset import Dataset
from wirelab.domain.model import Operation
from wirelab.domain.reference import Reference, load_reference
from wirelab.domain.refusal import Fault
from wirelab.inputs.close_match import one_of
from wirelab.protocol.base import Codec
from wirelab.protocol.clients.base import Client, NoReplyError
from wirelab.protocol.message import Refusal
from wirelab.protocol.plan import plan_transaction
from wirelab.verify.findings.finding import Finding, Moment
from wirelab.verify.findings.finding_reasons import (
    Answered,
    NoReply,
    NoService,
    TooSlow,
    WronglyRefused,
)
from wirelab.verify.reference.comparison import GivenUpError, ReferenceComparison
from wirelab.verify.reference.remembered import Remembered

SLOW_S = 0.1
"""Delay of a slow service's answers: short compared with any deadline."""
LATE_S = 0.5
"""By how much a late answer misses the deadline."""
ALLOWANCE_S = 2.0
"""Time that a busy machine may add to a deadline."""
SETTLING_S = 20.0
"""How long services may take until they are consistent again."""


class Reached(NamedTuple):
    """A codec for a service, and a connection to it."""

    codec: Codec[Any]
    client: Client


class FaultInjector(Protocol):
    """A running contender of several services, and the faults that can be injected."""

    @property
    def names(self) -> Sequence[str]:
        """The services, each after those that it calls; clients call the last one."""

    def reach(self, service: str) -> Reached:
        """Connect to a running service."""

    def called(self) -> list[str]:
        """Return the services that others have called since the last call of this method."""

    def delayed(self, services: Sequence[str], seconds: float) -> AbstractContextManager[None]:
        """Delay the answers of these services to other services by `seconds`."""

    def frozen(self, service: str) -> AbstractContextManager[None]:
        """Freeze a service for the duration of the `with` block."""

    def kill(self, service: str) -> None:
        """Kill a service."""

    def restart(self) -> None:
        """Start all services again on their existing data. Raises `LabError`."""


def verify_outage(
    contender: str, outage: Outage, services: FaultInjector, dataset: Dataset, *, seed: int = 1
) -> list[Finding]:
    """Return the errors of a contender during and after the failure of services that it needs.

    `dataset` describes the current content of the store. Raises `LabError` if services do not
    start.
    """
    domain = dataset.domain
    (parameters,) = dataset.draw(
        domain.operations[outage.operation], 1, seed, fixed=outage.parameters
    )
    reference = load_reference(domain, dataset)
    check = _Check(contender, outage, services, dataset, reference, parameters, seed)
    with suppress(GivenUpError):  # The findings contain it, and earlier findings remain valid.
        check.run()
    return check.findings


@dataclass(slots=True)
class _Check:
    contender: str
    outage: Outage
    services: FaultInjector
    dataset: Dataset
    reference: Reference
    parameters: dict[str, object]
    seed: int
    findings: list[Finding] = field(default_factory=list)
    remembered: Remembered = field(default_factory=Remembered)

    def run(self) -> None:
        services, late_s = self.services, self.outage.deadline_s + LATE_S
        services.called()
        if not self._is_performed(Moment(state="working")):
            return
        needed = services.called()
        if not needed:
            return
        with services.delayed(needed, SLOW_S):
            if not self._is_performed(Moment(state="slow", services=tuple(needed))):
                return
        for name in needed:
            with services.frozen(name):
                self._refused(Moment(state="silent", services=(name,)), "too_late")
            self._nothing_changed(Moment(state="silent", services=(name,), is_over=True))
            with services.delayed([name], late_s):
                self._refused(Moment(state="late", services=(name,)), "too_late")
            self._nothing_changed(Moment(state="late", services=(name,), is_over=True))
        for name in reversed(needed):  # callers come before the services that they call
            services.kill(name)
            self._refused(Moment(state="stopped", services=(name,)), "unavailable")
        services.restart()
        when = Moment(state="restarted", is_over=True)
        self._nothing_changed(when)
        if self._is_performed(when):
            self._nothing_changed(when)

    def _is_performed(self, when: Moment) -> bool:
        with self._comparing("", when) as comparison:
            agreed = comparison.compare(self._operation, self.parameters)
        if agreed is None:
            return False
        self.remembered.keep(self.outage.remember, agreed)
        return True

    def _refused(self, when: Moment, kind: Fault) -> None:
        """Call the operation when it must be refused, within the deadline and with this kind."""
        name, right = self.outage.operation, f"refused as {kind}"
        with self._comparing("", when) as comparison:
            try:
                done = plan_transaction(
                    comparison.client, comparison.codec, self._operation, self.parameters
                )
            except NoReplyError as error:
                comparison.find("error", name, NoReply(), right, str(error))
                return
            if not isinstance(done.outcome, Refusal):
                comparison.find("error", name, Answered(), right, done.outcome.value)
            elif done.outcome.kind != kind:
                got = WronglyRefused(refusal=done.outcome.kind)
                comparison.find("error", name, got, right, done.outcome.detail)
            elif done.seconds > self.outage.deadline_s + ALLOWANCE_S:
                deadline = f"within {self.outage.deadline_s:g} s"
                comparison.find("error", name, TooSlow(), deadline, f"{done.seconds:.1f} s")

    def _nothing_changed(self, when: Moment) -> None:
        """Check until the data match the reference, which has not been called in the meantime."""
        for look in self.outage.looks:
            operation = self.dataset.domain.operations[look.operation]
            reference_values, contender_values = (
                self.dataset.draw(operation, 1, self.seed, fixed=filled)[0]
                for filled in self.remembered.filled(look.parameters)
            )
            with self._comparing(look.service, when) as comparison:
                if look.service and look.service not in self.services.names:
                    known = one_of(self.services.names)
                    comparison.find("error", look.operation, NoService(), known, look.service)
                    continue
                comparison.compare_until_equal(
                    operation,
                    reference_values,
                    contender_values,
                    self.remembered.same,
                    within_s=SETTLING_S,
                )

    @contextmanager
    def _comparing(self, service: str, when: Moment) -> Iterator[ReferenceComparison]:
        """Compare a service, "" for the one that clients call; findings have its moment."""
        names = self.services.names
        reached = self.services.reach(service if service in names else names[-1])
        spelled_in = self.dataset.domain.spelled_in
        comparison = ReferenceComparison(
            self.contender, *reached, self.reference, spelled_in=spelled_in
        )
        try:
            yield comparison
        finally:
            self.findings += [
                each.model_copy(update={"when": when}) for each in comparison.findings
            ]

    @property
    def _operation(self) -> Operation:
        return self.dataset.domain.operations[self.outage.operation]
