"""What verification is asked for, and the plans of transactions that it returns."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from wirelab.protocol.message import Expectation, WireRequest
from wirelab.verify.findings import Finding
from wirelab.verify.known import KnownAnswer


class UsedOperation(Protocol):
    """How a study uses an operation: how many parameter sets, and which values are fixed."""

    @property
    def operation(self) -> str:
        """The name of the operation."""

    @property
    def parameter_sets(self) -> int:
        """How many parameter sets to draw."""

    @property
    def parameters(self) -> Mapping[str, object]:
        """The parameters that are not drawn, with their values."""

    @property
    def instances(self) -> bool:
        """Whether the domain's query generator creates the parameters."""

    @property
    def instances_from(self) -> str:
        """The state whose rows the generator uses; "" for that of the store."""

    @property
    def inline(self) -> bool:
        """Whether the parameters are literals in the document, if the protocol has documents."""


@dataclass(frozen=True, slots=True)
class PlannedRequest:
    """A finished request, and what the engine must find in every reply to it.

    `known` is the meaning that a reply must have if correct replies differ in their bytes: the
    engine keeps a sample of them, which is compared with it afterwards.
    """

    request: WireRequest
    expectation: Expectation
    known: KnownAnswer | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """A transaction of a workload, as the engine will send it: rounds of finished requests.

    `leaves` is the size of the correct answer (see the module `leaves`); `alone_us` is how long it
    took with no other request in flight.
    """

    workload: str
    operation: str
    parameter_set: int
    rounds: tuple[tuple[PlannedRequest, ...], ...]
    leaves: int = 0
    alone_us: float = 0.0


@dataclass(slots=True)
class Sent:
    """How much a contender was sent to compare it with the reference."""

    operations: int = 0
    declared_errors: int = 0
    inexpressible_errors: int = 0
    """Number of declared errors that were not sent, since the protocol's types exclude them."""
    sequences: int = 0
    """Number of sequences that were sent to their end."""
    malformed_requests: int = 0


@dataclass(frozen=True, slots=True)
class Verification:
    """The findings, and the plans of the transactions that were answered correctly."""

    findings: tuple[Finding, ...]
    plans: tuple[Plan, ...]
    sent: Sent = field(default_factory=Sent)
    """Empty if the contender was not compared with a reference."""
