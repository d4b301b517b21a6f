"""What verification is asked for, and the plans of transactions that it returns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from wirelab.protocol.message import Expectation, WireRequest
from wirelab.verify.findings.finding import Finding
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

    `leaves` is the size of the correct answer (see the function `leaves`); `alone_us` is how long
    it took with no other request in flight.
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


def leaves(answer: object) -> int:
    """Count the objects that contain no other; an empty list counts none.

    This is LinGBM's measure of answers: all scalar fields of an object together are one leaf.
    """
    if isinstance(answer, list | tuple):
        return sum(map(leaves, answer))
    if not isinstance(answer, dict):
        return 0
    nested = [value for value in answer.values() if isinstance(value, dict | list | tuple)]
    if nested:
        return sum(map(leaves, nested))
    return 0 if answer and all(value is None for value in answer.values()) else 1


def drop_varying_bytes(plans: Sequence[Plan]) -> tuple[Plan, ...]:
    """Drop the expected bytes of all requests of an operation whose answers varied at least once.

    Two answers to a request can have the same bytes by chance: a server that shuffles three keys
    repeats an order once in six times. Requests with expected bytes lose `known`, which they do not
    need.
    """
    varying: dict[str, bool] = {}
    for plan in plans:
        for request in _requests(plan):
            if _varies(request):
                has_length = request.expectation.body_length is not None
                varying[plan.operation] = varying.get(plan.operation, True) and has_length
    return tuple(
        replace(
            plan,
            rounds=tuple(
                tuple(_settled(request, varying.get(plan.operation)) for request in together)
                for together in plan.rounds
            ),
        )
        for plan in plans
    )


def _settled(request: PlannedRequest, has_length: bool | None) -> PlannedRequest:
    """Return the request with its expectation; `has_length` is None if the bytes do not vary."""
    known = request.known
    if known is None or _varies(request):
        return request
    if has_length is None:
        return PlannedRequest(request.request, request.expectation)
    reply = known.exchange.reply
    loose = known.codec.loose_expectation(reply, has_length=has_length)
    return PlannedRequest(request.request, loose, known)


def _varies(request: PlannedRequest) -> bool:
    return request.known is not None and request.expectation.body_xxh3 is None


def _requests(plan: Plan) -> list[PlannedRequest]:
    return [request for together in plan.rounds for request in together]
