"""Equality without a reference: whether answers are equal, and whether that is conclusive.

Every contender is called twice for each operation with the same parameters. Parts that differ
between two answers of one contender cannot be compared with other contenders: they are quarantined
and named. Everything else must be equal in its common shape for all pairs of contenders.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from wirelab.domain.model import Domain, Operation
from wirelab.domain.parameter_sets import parameter_sets
from wirelab.domain.parameters import ValueCycle
from wirelab.domain.refusal import FAULTS
from wirelab.lab.contenders.running import RunningContender
from wirelab.lab.credentials import redact, redact_values
from wirelab.protocol.base import Codec
from wirelab.protocol.clients.base import Client, NoReplyError
from wirelab.protocol.message import CannotEncodeError, Refusal
from wirelab.protocol.plan import Exchange, Transaction, plan_transaction
from wirelab.terminal.words import listed, plural
from wirelab.verify.common_shape import ShapeDifference, ShapeError, shape, shape_differences
from wirelab.verify.findings import (
    Finding,
    Plan,
    PlannedRequest,
    Severity,
    Verification,
    Workload,
    brief,
)
from wirelab.verify.known import KnownAnswer, shape_differ
from wirelab.verify.leaves import leaves
from wirelab.verify.obstacles import concerns_everything, obstacle_of
from wirelab.verify.proof import Answers, Proof
from wirelab.verify.server_faults import ServerFaults
from wirelab.verify.varying import drop_varying_bytes
from wirelab.verify.wrong_pointer import wrong_in_all

SETS = 30
"""The maximum number of parameter sets with which contenders are compared."""

PATIENCE = 3


_Differing = tuple[ShapeDifference, str]
"""The first difference between answers of two contenders, and in how many parameter sets."""


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
        workloads: Mapping[str, Workload],
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

    def writes(self, workloads: Iterable[Workload]) -> list[str]:
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

    def workload(self, name: str, workload: Workload) -> None:
        """Call the operation of one workload."""
        domain = self.equality.domain
        operation = domain.operations[workload.operation]
        proof = self.equality.proofs.setdefault(name, Proof(name, operation))
        if self.codec.protocol not in operation.bindings:
            proof.left_out.append(self.contender)
            reason = f"not offered over {self.codec.protocol}: left out"
            self._find(operation, "warning", reason, workload=name)
            return
        fixed = {
            key: ValueCycle(tuple(value)) if isinstance(value, list | tuple) else value
            for key, value in workload.parameters.items()
        }
        count = max(SETS, workload.parameter_sets)
        sets = parameter_sets(domain, operation, count, fixed, seed=self.equality.seed)
        proof.sets = len(sets)
        answers = Answers(self.contender, self.codec.protocol)
        first = {n: self._query(operation, each, name) for n, each in enumerate(sets)}
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
        for number in list(answers.shapes)[: workload.parameter_sets]:
            one, two = first[number], again[number]
            assert one is not None
            assert two is not None
            self._plan(proof, answers, number, one, two)

    def _take(
        self,
        operation: Operation,
        workload: str,
        answers: Answers,
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
                reason = f"its answer over {self.codec.protocol} has no common shape: {error}"
                self._find(operation, "error", reason, workload=workload)
                answers.shapes.clear()
                return
            answers.shapes[number] = one
            answers.varying |= {each.part for each in shape_differences(common, one, two)}
        sent = len(first)
        file = self.equality.domain.spelled_in
        if wrong := wrong_in_all(file, self.codec, operation, first.values()):
            self._find(operation, "error", wrong, workload=workload)
            answers.shapes.clear()
            return
        if not answers.shapes:
            reason = f"none of {plural(sent, 'request')} was answered"
            self._find(operation, "error", reason, workload=workload)
        elif refused:
            reason = f"{sent - refused} of {sent} parameter sets are answered, the others refused"
            self._find(operation, "warning", reason, workload=workload)
        for part in sorted(answers.varying):
            reason = "differs between two answers to the same request: not compared"
            self._find(operation, "warning", reason, path=f"/{part}", workload=workload)

    def _prove(self, proof: Proof, mine: Answers) -> None:
        """Compare with all previous contenders, and check whether equality is conclusive."""
        operation = proof.operation
        comparable = mine.comparable({*operation.common.ignored, *proof.quarantined})
        if operation.effect == "write" and comparable == 0:
            reason = (
                "only the status of its answers is compared: they are empty, differ each time, or"
                " come only once"
            )
            self._find(operation, "warning", reason, workload=proof.workload)
        elif mine.leaves == 0:
            reason = "all answers are empty: two empty answers are equal and prove nothing"
            self._find(operation, "error", reason, workload=proof.workload)
        elif comparable == 0:
            because = "all else is ignored or differs between two answers to the same request"
            if all(isinstance(value, str) for value in mine.shapes.values()):
                reason = f"only the status is compared, and that the answer is text: {because}"
                self._find(operation, "warning", reason, workload=proof.workload)
            else:
                reason = (
                    f"nothing of its answers can be compared but the status: {because}; choose"
                    " what to compare with `common` (project, ignored, ordered)"
                )
                self._find(operation, "error", reason, workload=proof.workload)
        elif mine.distinct == 1 and proof.sets > 1:
            reason = f"all {proof.sets} parameter sets have the same answer, which proves little"
            self._find(operation, "warning", reason, workload=proof.workload)
        if operation.parameters and proof.sets < SETS:
            reason = f"compared with {plural(proof.sets, 'parameter set')} instead of {SETS}"
            self._find(operation, "warning", reason, workload=proof.workload)
        alike: list[tuple[_Differing, list[str]]] = []
        for other in (each for each in proof.answers if each is not mine):
            if differing := self._differing(proof, mine, other):
                same = next((names for known, names in alike if known == differing), None)
                if same is None:
                    same = []
                    alike.append((differing, same))
                same.append(other.contender)
            for refusing, answering in ((mine, other), (other, mine)):
                self._find_refused(proof, refusing, answering)
        for (first, times), names in alike:
            reason = f"differs from the {'answer' if len(names) == 1 else 'answers'} of"
            self._find(
                operation,
                "error",
                f"{reason} {listed(names)}, {times}",
                first.one,
                first.other,
                path=first.path,
                workload=proof.workload,
            )

    def _differing(self, proof: Proof, mine: Answers, other: Answers) -> _Differing | None:
        """Return the first difference from another contender's answers, and how many differ."""
        common, quarantined = proof.operation.common, proof.quarantined
        shared = sorted(mine.shapes.keys() & other.shapes.keys())
        if proof.operation.effect == "write" and "" in quarantined:
            shared = []
        pairs = [(other.shapes[number], mine.shapes[number]) for number in shared]
        firsts = [next(shape_differences(common, *pair, quarantined), None) for pair in pairs]
        differing = list(filter(None, firsts))
        times = f"in {len(differing)} of {len(shared)} parameter sets"
        return (differing[0], times) if differing else None

    def _find_refused(self, proof: Proof, refusing: Answers, answering: Answers) -> None:
        """Note that one contender refuses what another one answers."""
        only = sorted(refusing.refusals.keys() & answering.shapes.keys())
        if only:
            kind = refusing.refusals[only[0]]
            reason = (
                f"{refusing.contender} refuses as {kind} what {answering.contender}"
                f" answers, {plural(len(only), 'time')}"
            )
            self._find(proof.operation, "error", reason, workload=proof.workload)

    def _plan(
        self, proof: Proof, answers: Answers, number: int, one: Transaction, two: Transaction
    ) -> None:
        """Plan a transaction answered twice; the engine will expect what was the same in both."""
        workload, operation = proof.workload, proof.operation
        if [len(each) for each in one.rounds] != [len(each) for each in two.rounds]:
            reason = "needs other requests when it is repeated"
            self._find(operation, "error", reason, workload=workload)
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
        known = KnownAnswer.of(operation, self.codec, one, differ)
        return PlannedRequest(one.request, expected, known)

    def _query(
        self, operation: Operation, parameters: Mapping[str, object], workload: str
    ) -> Transaction | None:
        try:
            return plan_transaction(self.client, self.codec, operation, parameters)
        except CannotEncodeError as error:
            self._find(operation, "error", f"cannot be encoded: {error}", workload=workload)
            return None
        except NoReplyError as error:
            if ended := self.faults.ended():
                what, log = ended
                self._find(operation, "error", what, log=log)
                raise _GivenUpError from None
            reason = f"no reply: {self.faults.why_silent(error)}"
            self._find(operation, "error", reason, log=self.faults.log())
            self.patience -= 1
            if self.patience == 0:
                raise _GivenUpError from None
            return None

    def _refused(self, operation: Operation, workload: str, done: Transaction) -> None:
        """Explain a refusal, once per workload. One that concerns all requests ends the check."""
        assert isinstance(done.outcome, Refusal)
        reply = done.rounds[-1][-1].reply
        why, log = obstacle_of(reply), ""
        if concerns_everything(reply):
            self._find(operation, "error", why)
            raise _GivenUpError
        if not why and done.outcome.kind in FAULTS:
            why = f"it fails: {done.outcome.detail}"
            log = self.faults.log() if workload not in self.explained else ""
        if why and workload not in self.explained:
            self.explained.add(workload)
            self._find(operation, "error", why, workload=workload, log=log)

    def _find(
        self,
        operation: Operation,
        severity: Severity,
        reason: str,
        expected: object = None,
        got: object = None,
        *,
        path: str = "",
        workload: str = "",
        log: str = "",
    ) -> None:
        expected_text, found = map(_without_secrets, brief(expected, got))
        finding = Finding(
            severity,
            self.contender,
            operation.name,
            path,
            redact(reason),
            expected_text,
            found,
            workload,
            log=redact(log),
        )
        if finding not in self.findings:
            self.findings.append(finding)


def _is_possible_once(operation: Operation, repeated: Transaction | None) -> bool:
    """Return whether an operation refuses a repetition, as a deletion may."""
    if operation.effect != "write" or repeated is None or not isinstance(repeated.outcome, Refusal):
        return False
    obstacle = obstacle_of(repeated.rounds[-1][-1].reply)
    return not obstacle and repeated.outcome.kind not in FAULTS


def _without_secrets(value: object) -> object:
    return redact_values(json.loads(json.dumps(value, default=str)))
