"""Compare one call to the reference with the same call to a contender."""

import time
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from wirelab.domain.canonical import canonical, difference, unordered
from wirelab.domain.model import Operation
from wirelab.domain.reference import Reference
from wirelab.domain.refusal import FAULTS, Refused
from wirelab.lab.running import RunningContender
from wirelab.protocol.base import Codec
from wirelab.protocol.client_base import Client, NoReplyError
from wirelab.protocol.message import CannotEncodeError, Refusal, WireReply, WireRequest
from wirelab.protocol.plan import Transaction, plan_transaction
from wirelab.verify.findings import Finding, Severity, brief, brief_parameters

POLL_S = 0.1
PATIENCE = 3
"""Number of missing replies after which a server is given up."""
END_S = 0.5
"""How long the end of a process may take to show after its connection broke off."""
LOGGED_S = 0.1
"""How long a server may take to log a failure after it has replied."""


class GivenUpError(Exception):
    """The server left too many requests unanswered."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """What reference and contender agree on: a refusal, or an answer (in each one's own form)."""

    refusal: str | None
    expected: object
    got: object
    transaction: Transaction


@dataclass(slots=True)
class Comparison:
    """Compares a contender with the reference, and collects the findings."""

    contender: str
    codec: Codec[Any]
    client: Client
    reference: Reference
    findings: list[Finding] = field(default_factory=list)
    patience: int = PATIENCE
    server: RunningContender | None = None
    """The contender's processes, whose log explains its faults."""
    step: str = ""
    """The step of a sequence that is being compared, for errors."""
    asked: WireRequest | None = None
    """The last request of the call that is being compared."""
    calls: Counter[str] = field(default_factory=Counter)
    """How often each operation was compared."""

    def find(
        self,
        severity: Severity,
        operation: str,
        reason: str,
        expected: object,
        got: object,
        *,
        path: str = "",
        workload: str = "",
        log: str = "",
        parameters: Mapping[str, object] | None = None,
    ) -> None:
        """Record a finding, once; long values are truncated."""
        finding = Finding(
            severity,
            self.contender,
            operation,
            path,
            f"{self.step}: {reason}" if self.step and severity == "error" else reason,
            *brief(expected, got),
            workload,
            parameters=brief_parameters(parameters or {}),
            request=self._request(),
            log=log,
        )
        if finding not in self.findings:
            self.findings.append(finding)

    def compare(
        self,
        operation: Operation,
        parameters: dict[str, object],
        theirs: dict[str, object] | None = None,
        same: Collection[tuple[object, object]] = (),
        answered: Transaction | None = None,
    ) -> Agreement | None:
        """Call both; return what they agree on, or record why they do not.

        `theirs` are the contender's parameters if its ids differ from the reference's; `same` are
        the pairs of such ids. `answered` is the contender's answer, if it has already been called.
        Raises `GivenUpError`.
        """
        self.calls[operation.name] += 1
        refusal, expected = None, None
        try:
            expected = self.reference.call(operation.name, parameters)
        except Refused as refused:
            refusal = refused.kind
        sent = theirs or parameters
        transaction = answered or self._carry_out(operation, sent, refusal, expected)
        if transaction is None:
            return None
        if transaction.rounds:
            self.asked = transaction.rounds[-1][-1].request
        try:
            return self._agree(operation, transaction, refusal, expected, same, sent=sent)
        finally:
            self.asked = None

    def _agree(
        self,
        operation: Operation,
        transaction: Transaction,
        refusal: str | None,
        expected: object,
        same: Collection[tuple[object, object]],
        *,
        sent: Mapping[str, object],
    ) -> Agreement | None:
        if isinstance(transaction.outcome, Refusal):
            agreed = self._same_refusal(
                operation, transaction.outcome, refusal, expected, sent=sent
            )
            return Agreement(refusal, None, None, transaction) if agreed else None
        agreed = self._same_answer(operation, transaction, refusal, expected, same, sent=sent)
        got = transaction.outcome.value
        return Agreement(None, expected, got, transaction) if agreed else None

    def compare_until_equal(
        self,
        operation: Operation,
        parameters: dict[str, object],
        theirs: dict[str, object],
        same: Collection[tuple[object, object]],
        *,
        within_s: float,
    ) -> Agreement | None:
        """Call both until they agree or the time is over; then do as `compare`.

        The call must not change the reference, unless `within_s` is zero.
        """
        deadline = time.monotonic() + within_s
        while time.monotonic() < deadline:
            trial = replace(self, findings=[], calls=Counter())
            if agreed := trial.compare(operation, parameters, theirs, same):
                self.findings += [each for each in trial.findings if each not in self.findings]
                return agreed
            time.sleep(POLL_S)
        return self.compare(operation, parameters, theirs, same)

    def repeat(
        self, operation: Operation, parameters: dict[str, object], first: Transaction
    ) -> Transaction | None:
        """Call an operation once more; return None if the contender's answer is wrong this time.

        If the bytes are the same as the first time, they are not compared again: comparing a large
        answer takes seconds.
        """
        again = self._carry_out(operation, parameters, None, None)
        if again is None or _bodies(again) == _bodies(first):
            return again
        agreed = self.compare(operation, parameters, answered=again)
        return agreed.transaction if agreed else None

    def send(self, operation: Operation, request: WireRequest, what: str) -> WireReply | None:
        """Send a request that is not in any binding; record a missing reply."""
        try:
            return self.client.send(request)
        except NoReplyError as error:
            self._no_reply(operation, f"no reply to {what}", error)
            return None

    def _carry_out(
        self,
        operation: Operation,
        parameters: dict[str, object],
        refusal: str | None,
        expected: object,
    ) -> Transaction | None:
        try:
            return plan_transaction(self.client, self.codec, operation, parameters)
        except NoReplyError as error:
            self._no_reply(operation, "no reply", error, parameters)
        except CannotEncodeError as error:
            # Servers need not refuse what the protocol's types already exclude.
            if refusal is None:
                reason, said = "cannot be encoded", str(error)
                self.find("error", operation.name, reason, expected, said, parameters=parameters)
        return None

    def _same_refusal(
        self,
        operation: Operation,
        got: Refusal,
        refusal: str | None,
        expected: object,
        *,
        sent: Mapping[str, object],
    ) -> bool:
        name = operation.name
        if got.kind != refusal:
            wanted = f"refused as {refusal}" if refusal else expected
            reason = f"refused as {got.kind}"
            log = self._log(operation, reason) if got.kind in FAULTS else ""
            self.find("error", name, reason, wanted, got.detail, log=log, parameters=sent)
        elif got.remark:
            self.find("warning", name, got.remark, None, got.detail, parameters=sent)
        return got.kind == refusal

    def _same_answer(
        self,
        operation: Operation,
        transaction: Transaction,
        refusal: str | None,
        expected: object,
        same: Collection[tuple[object, object]],
        *,
        sent: Mapping[str, object],
    ) -> bool:
        assert not isinstance(transaction.outcome, Refusal), "it is an answer"
        name, got = operation.name, transaction.outcome.value
        if refusal is not None:
            reason = "answered where it must refuse"
            self.find("error", name, reason, f"refused as {refusal}", got, parameters=sent)
            return False
        masked = operation.masked
        both = canonical(expected, masked), canonical(got, masked)
        differs = difference(*both, same)
        if differs:
            path, right, wrong = differs
            reason = "the answer differs from the reference"
            if unordered(both[0]) == unordered(both[1]):
                reason = "the answer has the same items as the reference in another order"
            elif got is None and (pointer := _unanswered(transaction)):
                reason = f"the response has no value at {pointer}"
            self.find("error", name, reason, right, wrong, path=path, parameters=sent)
        return differs is None

    def _no_reply(
        self,
        operation: Operation,
        reason: str,
        error: NoReplyError,
        sent: Mapping[str, object] | None = None,
    ) -> None:
        if ended := self._why_ended():
            what, _, log = ended.removeprefix(f"{self.contender} ").partition("; ")
            self.find("error", operation.name, what, None, None, log=log, parameters=sent)
            raise GivenUpError
        reason = f"{reason}: {error}"
        log = self._log(operation, reason)
        self.find("error", operation.name, reason, None, None, log=log, parameters=sent)
        self.patience -= 1
        if self.patience == 0:
            reason = f"given up after {PATIENCE} requests without a reply"
            self.find("error", operation.name, reason, None, None)
            raise GivenUpError

    def _request(self) -> str:
        if self.asked is None or self.codec.transport not in ("http1", "http2", "http3"):
            return ""
        return f"{self.asked.method} {self.asked.path}"

    def _why_ended(self) -> str | None:
        """Return why the server has ended; None while it runs."""
        deadline = time.monotonic() + END_S
        while self.server and time.monotonic() < deadline:
            if reason := self.server.why_ended():
                return reason
            time.sleep(POLL_S)
        return None

    def _log(self, operation: Operation, reason: str) -> str:
        """Quote the end of the server's log, once for each operation and reason."""
        known = any((it.operation, it.reason) == (operation.name, reason) for it in self.findings)
        if known or self.server is None:
            return ""
        time.sleep(LOGGED_S)
        return self.server.end_of_log()


def _unanswered(transaction: Transaction) -> str:
    """Return the pointer to the answer in the response; "" if it has several, or none is needed."""
    exchanges = [exchange for round_ in transaction.rounds for exchange in round_]
    return exchanges[0].template.answer if len(exchanges) == 1 else ""


def _bodies(transaction: Transaction) -> list[list[tuple[int | None, bytes]]]:
    return [
        [(exchange.reply.status, exchange.reply.body) for exchange in exchanges]
        for exchanges in transaction.rounds
    ]
