"""Compare one call to the reference with the same call to a contender."""

import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from wirelab.domain.canonical import alike, canonical, difference, differing_beside, unordered
from wirelab.domain.model import Operation
from wirelab.domain.reference import Reference
from wirelab.domain.refusal import FAULTS, Refused
from wirelab.errors import Log
from wirelab.protocol.base import Codec
from wirelab.protocol.clients.base import Client, NoReplyError
from wirelab.protocol.message import CannotEncodeError, Refusal, WireReply, WireRequest
from wirelab.protocol.plan import Transaction, plan_transaction
from wirelab.verify.findings.finding import Finding, Severity, brief, brief_parameters
from wirelab.verify.findings.finding_reasons import (
    Differs,
    FindingReason,
    GivenUp,
    NoReply,
    NotEncoded,
    NoValue,
    UnusualRefusal,
    WronglyAnswered,
    WronglyRefused,
    WrongPointer,
)
from wirelab.verify.servers.faults import ServerFaults
from wirelab.verify.wrong_pointer import wrong_pointer

POLL_S = 0.1
PATIENCE = 3
"""Number of missing replies after which a server is given up."""


class GivenUpError(Exception):
    """The server left too many requests unanswered."""


@dataclass(frozen=True, slots=True)
class AgreedCall:
    """What reference and contender agree on: a refusal, or an answer (in each one's own form)."""

    refusal: str | None
    expected: object
    got: object
    transaction: Transaction


@dataclass(frozen=True, slots=True)
class _Call:
    """A call as it was sent to the contender, and the reference's result."""

    operation: Operation
    parameters: dict[str, object]
    """Those for the reference."""
    sent: dict[str, object]
    refusal: str | None = None
    expected: object = None


@dataclass(slots=True)
class ReferenceComparison:
    """Compares a contender with the reference, and collects the findings."""

    contender: str
    codec: Codec[Any]
    client: Client
    reference: Reference
    faults: ServerFaults = field(default_factory=ServerFaults)
    findings: list[Finding] = field(default_factory=list)
    patience: int = PATIENCE
    spelled_in: str = "domain.toml"
    """The file that binds the operations to the protocol."""
    step: str = ""
    """The step of a sequence that is being compared, for errors."""
    calls: Counter[str] = field(default_factory=Counter)
    """How often each operation was compared."""
    inexpressible: Counter[str] = field(default_factory=Counter)
    """How many of these calls the protocol's types exclude: they were not sent."""
    suspected: set[tuple[str, FindingReason]] = field(default_factory=set)
    """Operations that write, and the reasons for which the reference was called again."""

    def find(
        self,
        severity: Severity,
        operation: str,
        reason: FindingReason,
        expected: object = None,
        got: object = None,
        *,
        path: str = "",
        also: Sequence[str] = (),
        workload: str = "",
        log: Log | None = None,
        request: str = "",
        parameters: Mapping[str, object] | None = None,
    ) -> None:
        """Record a finding; one that is not about a call only once. Long values are truncated."""
        right, wrong = brief(expected, got)
        finding = Finding(
            severity=severity,
            reason=reason,
            contender=self.contender,
            operation=operation,
            path=path,
            expected=right,
            got=wrong,
            workload=workload,
            parameters=brief_parameters(parameters or {}),
            steps=(self.step,) if self.step and severity == "error" else (),
            request=request,
            also=tuple(also),
            log=log,
        )
        if parameters is not None or finding not in self.findings:
            self.findings.append(finding)

    def compare(
        self,
        operation: Operation,
        parameters: dict[str, object],
        contender_parameters: dict[str, object] | None = None,
        same: Collection[tuple[object, object]] = (),
        answered: Transaction | None = None,
    ) -> AgreedCall | None:
        """Call both; return what they agree on, or record why they do not.

        `contender_parameters` are those for the contender if its ids differ from the reference's;
        `same` are the pairs of such ids. `answered` is the contender's answer, if it has already
        been called. Raises `GivenUpError`, and `ProblemsError` for a defect of the reference.
        """
        self.calls[operation.name] += answered is None
        refusal, expected = None, None
        try:
            expected = self.reference.call(operation.name, parameters)
        except Refused as refused:
            refusal = refused.kind
        sent = contender_parameters or parameters
        call = _Call(operation, parameters, sent, refusal, expected)
        transaction = answered or self._ask(call)
        if transaction is None:
            return None
        outcome = transaction.outcome
        if isinstance(outcome, Refusal):
            agreed = self._same_refusal(call, transaction, outcome)
            return AgreedCall(refusal, None, None, transaction) if agreed else None
        agreed = self._same_answer(call, transaction, outcome.value, same)
        return AgreedCall(None, expected, outcome.value, transaction) if agreed else None

    def compare_until_equal(
        self,
        operation: Operation,
        parameters: dict[str, object],
        contender_parameters: dict[str, object],
        same: Collection[tuple[object, object]],
        *,
        within_s: float,
    ) -> AgreedCall | None:
        """Call both until they agree or the time is over; then act like `compare`.

        The call must not change the reference, unless `within_s` is zero.
        """
        deadline = time.monotonic() + within_s
        while time.monotonic() < deadline:
            trial = replace(self, findings=[], calls=Counter(), inexpressible=Counter())
            try:
                agreed = trial.compare(operation, parameters, contender_parameters, same)
            except GivenUpError:
                break  # The call below records why.
            if agreed:
                self.findings += [each for each in trial.findings if each not in self.findings]
                return agreed
            time.sleep(POLL_S)
        return self.compare(operation, parameters, contender_parameters, same)

    def repeat(
        self, operation: Operation, parameters: dict[str, object], first: Transaction
    ) -> Transaction | None:
        """Call an operation again; return None if the contender's answer is wrong this time.

        If status and bytes are the same as the first time, they are not compared again: comparing a
        large answer takes seconds.
        """
        again = self._ask(_Call(operation, parameters, parameters), first)
        if again is None or again.outcome is first.outcome:
            return again
        agreed = self.compare(operation, parameters, answered=again)
        return agreed.transaction if agreed else None

    def send(self, operation: Operation, request: WireRequest, what: str) -> WireReply | None:
        """Send a request that is not in any binding; record a missing reply."""
        try:
            return self.client.send(request)
        except NoReplyError as error:
            self._no_reply(operation, error, to=what)
            return None

    def _ask(self, call: _Call, first: Transaction | None = None) -> Transaction | None:
        """Perform a call, again if it was performed before; record why there is no outcome."""
        to = self.client, self.codec, call.operation, call.sent
        try:
            return perform_again(*to, first) if first else plan_transaction(*to)
        except NoReplyError as error:
            self._no_reply(call.operation, error, call.sent)
        except CannotEncodeError as error:
            name = call.operation.name
            if call.refusal is None:
                values = call.expected, str(error)
                self.find("error", name, NotEncoded(), *values, parameters=call.sent)
            else:  # Servers need not refuse what the protocol's types already exclude.
                self.inexpressible[name] += 1
        return None

    def _same_refusal(self, call: _Call, transaction: Transaction, got: Refusal) -> bool:
        if got.kind != call.refusal:
            expected_outcome = f"refused as {call.refusal}" if call.refusal else call.expected
            if got.kind == "unreadable" and not call.refusal:
                expected_outcome = "an answer"
            reason = WronglyRefused(refusal=got.kind)
            log = self._log(call.operation, reason) if got.kind in FAULTS else None
            self._differ(call, transaction, reason, expected_outcome, got.detail, log=log)
        elif got.remark:
            name = call.operation.name
            self.find("warning", name, UnusualRefusal(remark=got.remark), parameters=call.sent)
        return got.kind == call.refusal

    def _same_answer(
        self,
        call: _Call,
        transaction: Transaction,
        got: object,
        same: Collection[tuple[object, object]],
    ) -> bool:
        if call.refusal is not None:
            must = f"refused as {call.refusal}"
            self._differ(call, transaction, WronglyAnswered(), must, got)
            return False
        masked = call.operation.masked
        if not masked and alike(call.expected, got):
            return True
        both = canonical(call.expected, masked), canonical(got, masked)
        differs = difference(*both, same)
        if differs:
            path, right, wrong = differs
            reason: FindingReason = Differs()
            also = differing_beside(*both, path, same)
            if difference(unordered(both[0]), unordered(both[1])) is None:
                reason = Differs(in_order=True)
                also = []
            elif wrong is None and (found := self._wrong_pointer(call, transaction)):
                reason = WrongPointer(problem=found)
            elif got is None and (pointer := _unanswered(transaction)):
                reason = NoValue(pointer=pointer)
            self._differ(call, transaction, reason, right, wrong, path=path, also=also)
        return differs is None

    def _differ(
        self,
        call: _Call,
        transaction: Transaction,
        reason: FindingReason,
        expected: object,
        got: object,
        *,
        path: str = "",
        also: Sequence[str] = (),
        log: Log | None = None,
    ) -> None:
        """Record that a contender's reply to a call is wrong, unless the reference is."""
        name = call.operation.name
        if call.operation.effect != "write" or (name, reason) not in self.suspected:
            self.suspected.add((name, reason))
            self.reference.require_repeatable(call.operation, call.parameters)
        self.find(
            "error",
            name,
            reason,
            expected,
            got,
            path=path,
            also=also,
            log=log,
            request=self._request(transaction),
            parameters=call.sent,
        )

    def _wrong_pointer(self, call: _Call, transaction: Transaction) -> str:
        return wrong_pointer(self.spelled_in, self.codec, call.operation, transaction)

    def _no_reply(
        self,
        operation: Operation,
        error: NoReplyError,
        sent: Mapping[str, object] | None = None,
        to: str = "",
    ) -> None:
        if ended := self.faults.ended():
            how, log = ended
            self.find("error", operation.name, how, log=log, parameters=sent)
            raise GivenUpError
        reason = NoReply(to=to, detail=self.faults.why_silent(error))
        log = self._log(operation, reason)
        self.find("error", operation.name, reason, log=log, parameters=sent)
        self.patience -= 1
        if self.patience == 0:
            self.find("error", operation.name, GivenUp(requests=PATIENCE))
            raise GivenUpError

    def _request(self, transaction: Transaction) -> str:
        """Return method and path of the last request of a transaction over HTTP."""
        if not transaction.rounds or self.codec.transport not in ("http1", "http2", "http3"):
            return ""
        request = transaction.rounds[-1][-1].request
        return f"{request.method} {request.path}"

    def _log(self, operation: Operation, reason: FindingReason) -> Log | None:
        """Return the end of the server's log, once for each operation and reason."""
        known = any(
            finding.operation == operation.name and finding.reason == reason
            for finding in self.findings
        )
        return None if known else self.faults.log()


def _unanswered(transaction: Transaction) -> str:
    """Return the pointer to the answer in the response; "" if it has several, or none is needed."""
    exchanges = [exchange for round_ in transaction.rounds for exchange in round_]
    return exchanges[0].template.answer if len(exchanges) == 1 else ""


def perform_again(
    client: Client,
    codec: Codec[Any],
    operation: Operation,
    parameters: Mapping[str, object],
    first: Transaction,
) -> Transaction:
    """Send the requests of a transaction again.

    If status and body of all replies are equal, the outcome is that of `first` itself: decoding a
    large answer takes long. Otherwise, it is that of the replies received now. Raises
    `CannotEncodeError` and `NoReplyError`.
    """
    replies: list[WireReply] = []
    rounds = []
    seconds = 0.0
    for exchanges in first.rounds:
        repeated = []
        for exchange in exchanges:
            began = time.perf_counter()
            reply = client.send(exchange.request)
            seconds += time.perf_counter() - began
            replies.append(reply)
            if (reply.status, reply.body) != (exchange.reply.status, exchange.reply.body):
                resumed = _Resumed(client, replies)
                other = plan_transaction(resumed, codec, operation, parameters)
                return replace(other, seconds=seconds + other.seconds)
            repeated.append(replace(exchange, reply=reply))
        rounds.append(tuple(repeated))
    return Transaction(tuple(rounds), first.outcome, seconds)


class _Resumed(Client):
    """A client that has already received the replies to the first requests."""

    def __init__(self, client: Client, replies: list[WireReply]) -> None:
        self._client = client
        self._replies = iter(replies)

    def send(self, request: WireRequest) -> WireReply:
        received = next(self._replies, None)
        return self._client.send(request) if received is None else received

    def close(self) -> None:
        """Leave the connection to its owner."""
