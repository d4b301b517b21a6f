"""Equality without a reference: whether answers are equal, and whether that is conclusive.

Every contender is called twice for each operation with the same parameters. Parts that differ
between two answers of one contender cannot be compared with other contenders: they are quarantined
and named. Everything else must be equal in its common shape for all pairs of contenders.
"""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from wirelab.domain.model import Domain, Operation
from wirelab.domain.parameter_sets import parameter_sets
from wirelab.domain.parameters import ValueCycle
from wirelab.domain.refusal import FAULTS
from wirelab.errors import Log
from wirelab.lab.contenders.running import RunningContender
from wirelab.protocol.base import Codec
from wirelab.protocol.clients.base import Client, NoReplyError
from wirelab.protocol.message import CannotEncodeError, Refusal
from wirelab.protocol.plan import Exchange, Transaction, plan_transaction
from wirelab.verify.equality.common_shape import (
    ShapeError,
    shape,
    shape_differences,
)
from wirelab.verify.equality.pairs import Differing, first_difference, pair_findings
from wirelab.verify.equality.proof import ContenderAnswers, Proof
from wirelab.verify.findings.equality_reasons import (
    AllAlike,
    AllEmpty,
    DiffersFromOthers,
    FewSets,
    NoCommonShape,
    NothingAnswered,
    OnlyStatusCompared,
    SomeRefused,
    Varies,
)
from wirelab.verify.findings.finding import Finding, Severity, brief
from wirelab.verify.findings.finding_reasons import (
    Fails,
    FindingReason,
    NoReply,
    NotEncoded,
    NotOffered,
    Obstructed,
    OtherRequests,
    WrongPointer,
)
from wirelab.verify.known import KnownAnswer, shape_differ
from wirelab.verify.plans import (
    Plan,
    PlannedRequest,
    UsedOperation,
    Verification,
    drop_varying_bytes,
    leaves,
)
from wirelab.verify.servers.faults import ServerFaults
from wirelab.verify.servers.obstacles import obstacle_of
from wirelab.verify.wrong_pointer import wrong_in_all

SETS = 30
"""The usual number of parameter sets with which contenders are compared."""
MOST_SETS = 250
"""The maximum number of them: those beyond `SETS` only while the first contender is fast."""
LONGEST_S = 5.0
"""Maximum duration of querying one contender with more sets than `SETS`."""

PATIENCE = 3


class _GivenUpError(Exception):
    """This contender cannot be examined any further."""


@dataclass
class Equality:
    """Compares contenders of a domain without a reference, one after the other."""

    domain: Domain
    seed: int = 1
    proofs: dict[str, Proof] = field(default_factory=dict)

    def verify(
        self,
        contender: str,
        codec: Codec[Any],
        client: Client,
        workloads: Mapping[str, UsedOperation],
        server: RunningContender | None = None,
    ) -> Verification:
        """Call all operations of a contender twice, and compare it with all previous contenders.

        `server` is the contender if wirelab started it, for its log.
        """
        check = _Check(self, contender, codec, client, ServerFaults(server))
        try:
            for name, workload in workloads.items():
                check.workload(name, workload)
        except _GivenUpError:
            pass  # The findings contain it.
        self._forget_refused(contender, check.findings)
        return Verification(tuple(check.findings), drop_varying_bytes(check.plans))

    def writes(self, workloads: Iterable[UsedOperation]) -> list[str]:
        """Return the operations of workloads that change data, each once."""
        operations = self.domain.operations
        names = dict.fromkeys(workload.operation for workload in workloads)
        return [name for name in names if operations[name].effect == "write"]

    def unproved(self) -> Iterator[tuple[str, Proof]]:
        """Yield contenders with the proof of an operation that no other accepted one answers."""
        for proof in self.proofs.values():
            if len(proof.answers) == 1:
                yield proof.answers[0].contender, proof

    def compared(self) -> set[str]:
        """Return the contenders that were compared with another one."""
        return {name for proof in self.proofs.values() for pair in proof.pairs for name in pair}

    def _forget_refused(self, contender: str, findings: Iterable[Finding]) -> None:
        """Remove the answers of workloads for which a contender is refused.

        Others must not be compared with it. An error without a workload refuses it for all.
        """
        refused = {each.workload for each in findings if each.severity == "error"}
        for name, proof in self.proofs.items():
            if refused & {"", name}:
                names = {each.contender for each in proof.answers}
                if contender in names and len(names) > 1:
                    proof.refused.append(contender)
                proof.answers = [each for each in proof.answers if each.contender != contender]


@dataclass
class _Check:
    equality: Equality
    contender: str
    codec: Codec[Any]
    client: Client
    faults: ServerFaults = field(default_factory=ServerFaults)
    findings: list[Finding] = field(default_factory=list)
    plans: list[Plan] = field(default_factory=list)
    patience: int = PATIENCE
    explained: set[str] = field(default_factory=set)
    """Workloads with a finding that explains why a request was refused."""

    def workload(self, name: str, workload: UsedOperation) -> None:
        """Call the operation of one workload."""
        domain = self.equality.domain
        operation = domain.operations[workload.operation]
        proof = self.equality.proofs.setdefault(name, Proof(name, operation))
        if self.codec.protocol not in operation.bindings:
            proof.left_out.append(self.contender)
            self._find(
                operation, "warning", NotOffered(protocol=self.codec.protocol), workload=name
            )
            return
        fixed = {
            key: ValueCycle(tuple(value)) if isinstance(value, list | tuple) else value
            for key, value in workload.parameters.items()
        }
        sets = parameter_sets(domain, operation, MOST_SETS, fixed, seed=self.equality.seed)
        answers = ContenderAnswers(self.contender, self.codec.protocol)
        first = self._query_all(operation, sets, proof, workload.parameter_sets)
        again = {
            number: self._query(operation, sets[number], name)
            for number, done in first.items()
            if done is not None and not isinstance(done.outcome, Refusal)
        }
        once = {number for number, done in again.items() if _is_possible_once(operation, done)}
        again |= {number: first[number] for number in once}
        self._take(operation, name, answers, first, again)
        if once:  # no second answer shows which parts vary
            answers.varying.add("")
        if not answers.shapes:
            return
        proof.answers.append(answers)
        self._prove(proof, answers)
        for number in sorted(answers.shapes)[: workload.parameter_sets]:
            one, two = first[number], again[number]
            assert one is not None
            assert two is not None
            self._plan(proof, answers, number, one, two)

    def _query_all(
        self,
        operation: Operation,
        sets: Sequence[Mapping[str, object]],
        proof: Proof,
        needed: int,
    ) -> dict[int, Transaction | None]:
        """Query with as many sets as the first contender was queried with, or else decide that."""
        began = time.monotonic()
        done: dict[int, Transaction | None] = {}
        for number, each in enumerate(sets[: proof.sets or MOST_SETS]):
            is_late = time.monotonic() - began > LONGEST_S / 2  # all are repeated
            if not proof.sets and is_late and number >= max(SETS, needed):
                break
            done[number] = self._query(operation, each, proof.workload)
        proof.sets = proof.sets or len(done)
        return done

    def _take(
        self,
        operation: Operation,
        workload: str,
        answers: ContenderAnswers,
        first: Mapping[int, Transaction | None],
        again: Mapping[int, Transaction | None],
    ) -> None:
        """Store the shapes of the answers, and the parts that vary between two answers."""
        common, refused = operation.common, 0
        for number, done in first.items():
            if done is None:
                continue
            if isinstance(done.outcome, Refusal):
                answers.refusals[number] = done.outcome.kind
                refused += 1
                self._refused(operation, workload, done)
                continue
            repeated = again.get(number)
            if repeated is None or isinstance(repeated.outcome, Refusal):
                if repeated is not None:
                    self._refused(operation, workload, repeated)
                continue
            try:
                one = shape(common, self.codec.protocol, done.outcome.value)
                two = shape(common, self.codec.protocol, repeated.outcome.value)
            except ShapeError as error:
                reason = NoCommonShape(protocol=self.codec.protocol, detail=str(error))
                self._find(operation, "error", reason, workload=workload)
                answers.shapes.clear()
                return
            answers.shapes[number] = one
            answers.sample.add(done.outcome.value)
            if len(done.exchanges) == len(repeated.exchanges) == 1:
                answers.headers.add(number, done.exchanges[0].reply, repeated.exchanges[0].reply)
            answers.varying |= {each.part for each in shape_differences(common, one, two)}
        sent = len(first)
        file = self.equality.domain.spelled_in
        if wrong := wrong_in_all(file, self.codec, operation, first.values()):
            self._find(operation, "error", WrongPointer(problem=wrong), workload=workload)
            answers.shapes.clear()
            return
        if not answers.shapes:
            self._find(operation, "error", NothingAnswered(requests=sent), workload=workload)
        elif refused:
            some = SomeRefused(answered=sent - refused, sent=sent)
            self._find(operation, "warning", some, workload=workload)
        for part in sorted(answers.varying):
            self._find(operation, "warning", Varies(), path=f"/{part}", workload=workload)

    def _prove(self, proof: Proof, mine: ContenderAnswers) -> None:
        """Compare with all previous contenders, and check whether equality is conclusive."""
        operation = proof.operation
        comparable = mine.comparable(proof.beside)
        reason: FindingReason | None = None
        severity: Severity = "warning"
        if operation.effect == "write" and comparable == 0:
            reason = OnlyStatusCompared(of="write")
        elif mine.leaves == 0:
            reason, severity = AllEmpty(), "error"
        elif comparable == 0 and all(isinstance(value, str) for value in mine.shapes.values()):
            reason = OnlyStatusCompared(of="text")
        elif comparable == 0:
            reason, severity = OnlyStatusCompared(of="values"), "error"
        elif (
            mine.distinct(proof.beside) == 1 and len(mine.shapes) > 1 and operation.effect == "read"
        ):
            reason, severity = AllAlike(parameter_sets=len(mine.shapes)), "error"
        if reason:
            self._find(operation, severity, reason, workload=proof.workload)
        if operation.parameters and proof.sets < SETS:
            few = FewSets(parameter_sets=proof.sets, usual=SETS)
            self._find(operation, "warning", few, workload=proof.workload)
        alike: list[tuple[Differing, list[str]]] = []
        for other in (each for each in proof.answers if each is not mine):
            if differing := first_difference(proof, mine, other):
                same = next((names for known, names in alike if known == differing), None)
                if same is None:
                    same = []
                    alike.append((differing, same))
                same.append(other.contender)
            for each in pair_findings(proof, mine, other):
                self._find(
                    operation,
                    each.severity,
                    each.reason,
                    values=each.values,
                    workload=proof.workload,
                )
        for (first, differ, compared), names in alike:
            self._find(
                operation,
                "error",
                DiffersFromOthers(others=tuple(names), differing=differ, compared=compared),
                values=(first.one, first.other),
                path=first.path,
                workload=proof.workload,
            )

    def _plan(
        self,
        proof: Proof,
        answers: ContenderAnswers,
        number: int,
        one: Transaction,
        two: Transaction,
    ) -> None:
        """Plan a transaction answered twice; the engine will expect what was the same in both."""
        workload, operation = proof.workload, proof.operation
        if [len(each) for each in one.rounds] != [len(each) for each in two.rounds]:
            self._find(operation, "error", OtherRequests(), workload=workload)
            return
        rounds = tuple(
            tuple(
                self._planned(operation, exchange, repeat, answers.varying)
                for exchange, repeat in zip(exchanges, repeats, strict=True)
            )
            for exchanges, repeats in zip(one.rounds, two.rounds, strict=True)
        )
        assert not isinstance(one.outcome, Refusal)
        size = leaves(one.outcome.value)
        alone_us = 1e6 * min(one.seconds, two.seconds)
        self.plans.append(Plan(workload, operation.name, number, rounds, size, alone_us))

    def _planned(
        self, operation: Operation, one: Exchange, two: Exchange, varying: set[str]
    ) -> PlannedRequest:
        expected = self.codec.expectation(operation, one.reply, two.reply)
        protocol = self.codec.protocol
        # The common shape is defined for whole operations only, not for parts of one.
        if operation.bindings[protocol].composed:
            return PlannedRequest(one.request, expected)
        differ = shape_differ(operation, protocol, varying)
        known = KnownAnswer.create(operation, self.codec, one, differ)
        return PlannedRequest(one.request, expected, known)

    def _query(
        self, operation: Operation, parameters: Mapping[str, object], workload: str
    ) -> Transaction | None:
        try:
            return plan_transaction(self.client, self.codec, operation, parameters)
        except CannotEncodeError as error:
            self._find(operation, "error", NotEncoded(detail=str(error)), workload=workload)
            return None
        except NoReplyError as error:
            if ended := self.faults.ended():
                self._find(operation, "error", *ended)
                raise _GivenUpError from None
            reason = NoReply(detail=self.faults.why_silent(error))
            self._find(operation, "error", reason, self.faults.log())
            self.patience -= 1
            if self.patience == 0:
                raise _GivenUpError from None
            return None

    def _refused(self, operation: Operation, workload: str, done: Transaction) -> None:
        """Explain a refusal, once per workload. One that concerns all requests ends the check."""
        assert isinstance(done.outcome, Refusal)
        reply = done.rounds[-1][-1].reply
        obstacle = obstacle_of(reply)
        if obstacle and obstacle.concerns_everything:
            self._find(operation, "error", Obstructed(obstacle=obstacle))
            raise _GivenUpError
        if workload in self.explained:
            return
        if obstacle:
            self._find(operation, "error", Obstructed(obstacle=obstacle), workload=workload)
        elif done.outcome.kind in FAULTS:
            fails = Fails(detail=done.outcome.detail)
            self._find(operation, "error", fails, self.faults.log(), workload=workload)
        else:
            return
        self.explained.add(workload)

    def _find(
        self,
        operation: Operation,
        severity: Severity,
        reason: FindingReason,
        log: Log | None = None,
        *,
        values: tuple[object, object] = (None, None),
        path: str = "",
        workload: str = "",
    ) -> None:
        expected, got = brief(*values)
        finding = Finding(
            severity=severity,
            reason=reason,
            contender=self.contender,
            operation=operation.name,
            path=path,
            expected=expected,
            got=got,
            workload=workload,
            log=log,
        ).without_secrets()
        if finding not in self.findings:
            self.findings.append(finding)


def _is_possible_once(operation: Operation, repeated: Transaction | None) -> bool:
    """Return whether an operation refuses a repetition, as a deletion may."""
    if operation.effect != "write" or repeated is None or not isinstance(repeated.outcome, Refusal):
        return False
    obstacle = obstacle_of(repeated.rounds[-1][-1].reply)
    return not obstacle and repeated.outcome.kind not in FAULTS
