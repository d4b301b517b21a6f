"""Find all errors of a contender in one pass.

The store must be in the state that the data set describes. Operations that change it come last, so
that they do not affect other checks.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from wirelab.domain.checks import Sequence
from wirelab.domain.dataset import Dataset
from wirelab.domain.model import Operation
from wirelab.domain.reference import load_reference
from wirelab.domain.rows import DatasetError
from wirelab.lab.contenders.running import RunningContender
from wirelab.protocol.base import Codec
from wirelab.protocol.clients.base import Client
from wirelab.protocol.message import Answer, CannotEncodeError
from wirelab.verify.findings.finding_reasons import (
    BytesVary,
    FindingReason,
    MishandledMalformed,
    NoRows,
    NotBound,
    OtherRequests,
    WrongParameters,
)
from wirelab.verify.findings.grouping import grouped
from wirelab.verify.known import KnownAnswer, reference_differ
from wirelab.verify.plans import (
    Plan,
    PlannedRequest,
    Sent,
    UsedOperation,
    Verification,
    drop_varying_bytes,
    leaves,
)
from wirelab.verify.reference.comparison import AgreedCall, GivenUpError, ReferenceComparison
from wirelab.verify.reference.remembered import Remembered
from wirelab.verify.servers.faults import ServerFaults
from wirelab.verify.tasks import Task, tasks_of


def verify(
    contender: str,
    codec: Codec[Any],
    client: Client,
    dataset: Dataset,
    workloads: Mapping[str, UsedOperation],
    *,
    seed: int = 1,
    age_s: float = 0.0,
    server: RunningContender | None = None,
) -> Verification:
    """Compare a running contender with the domain's reference, and plan the workloads.

    `workloads` are those that start from the current state of the store; every other operation of
    the domain is tried as well. `age_s` is how long caches may return old answers after a change.
    `server` is the contender if wirelab started it, for its log.
    The data set must be consistent (see consistency.py). Raises `ProblemsError` for a defect of
    the reference.
    """
    reference = load_reference(dataset.domain, dataset)
    comparison = ReferenceComparison(
        contender,
        codec,
        client,
        reference,
        ServerFaults(server),
        spelled_in=dataset.domain.spelled_in,
    )
    check = _Check(comparison, dataset, seed, age_s)
    with suppress(GivenUpError):  # The findings contain it, and earlier findings remain valid.
        check.run(workloads)
    calls = comparison.calls - comparison.inexpressible
    check.sent.operations = len(calls)
    findings = grouped(comparison.findings, calls)
    return Verification(tuple(findings), drop_varying_bytes(check.plans), check.sent)


@dataclass(slots=True)
class _Check:
    comparison: ReferenceComparison
    dataset: Dataset
    seed: int
    age_s: float = 0.0
    plans: list[Plan] = field(default_factory=list)
    sent: Sent = field(default_factory=Sent)

    def run(self, workloads: Mapping[str, UsedOperation]) -> None:
        tasks = list(self._bound(tasks_of(self.dataset.domain.operations, workloads)))
        operations = {task.operation.name: task.operation for task in tasks}
        self._try(task for task in tasks if task.operation.effect != "write")
        for operation in operations.values():
            self._errors(operation)
            self._malformed(operation)
        for name, sequence in self.dataset.domain.sequences.items():
            self._walk(name, sequence)
            self.comparison.step = ""
        self._try(task for task in tasks if task.operation.effect == "write")

    def _bound(self, tasks: Iterable[Task]) -> Iterable[Task]:
        protocol = self.comparison.codec.protocol
        for task in tasks:
            name = task.operation.name
            if protocol in task.operation.bindings:
                yield task
            else:
                key = f"[operation.{name}.{protocol}] in {self.dataset.domain.spelled_in}"
                self.comparison.find("note", name, NotBound(protocol=protocol), key)

    def _try(self, tasks: Iterable[Task]) -> None:
        for task in tasks:
            planned = 0
            for number, parameters in enumerate(self._draw(task)):
                if planned == task.sets:
                    break
                agreed = self.comparison.compare(task.operation, parameters)
                if agreed is None or not task.workload:
                    continue
                if agreed.refusal and task.instances:
                    continue  # Instances are generated without knowing the answers: take the next.
                planned += 1
                if agreed.refusal:
                    reason = WrongParameters(
                        workload=task.workload,
                        refusal=agreed.refusal,
                        records=self.dataset.records,
                    )
                    fitting = "parameters that fit the state"
                    self._error(task.operation, reason, fitting, parameters, workload=task.workload)
                else:
                    self._plan(task, number, parameters, agreed)

    def _errors(self, operation: Operation) -> None:
        for case in operation.errors:
            for parameters in self._draw(Task("", operation, 1, case.parameters)):
                before = self.comparison.inexpressible[operation.name]
                self.comparison.compare(operation, parameters)
                inexpressible = self.comparison.inexpressible[operation.name] - before
                self.sent.inexpressible_errors += inexpressible
                self.sent.declared_errors += 1 - inexpressible

    def _malformed(self, operation: Operation) -> None:
        codec = self.comparison.codec
        template = codec.rounds(operation)[0][0]
        for parameters in self._draw(Task("", operation, 1)):
            try:
                cases = codec.malformed(operation, parameters)
            except CannotEncodeError:
                continue  # Already noted when the operation itself was tried.
            for case in cases:
                self.sent.malformed_requests += 1
                reply = self.comparison.send(operation, case.request, case.what)
                if reply is None:
                    continue
                outcome = codec.decode_reply(template, reply)
                right = " or ".join(f"refused as {kind}" for kind in case.refusals)
                if isinstance(outcome, Answer):
                    accepted = MishandledMalformed(what=case.what)
                    self._error(operation, accepted, right, outcome.value)
                elif outcome.kind not in case.refusals:
                    reason = MishandledMalformed(what=case.what, refusal=outcome.kind)
                    self._error(operation, reason, right, outcome.detail)

    def _walk(self, name: str, sequence: Sequence) -> None:
        """Run a sequence on both sides, each with the ids that it created itself."""
        remembered = Remembered()
        for number, step in enumerate(sequence.steps):
            after = f", after {sequence.steps[number - 1].operation}" if number else ""
            self.comparison.step = f"in sequence {name}, step {number + 1}{after}"
            operation = self.dataset.domain.operations[step.operation]
            if self.comparison.codec.protocol not in operation.bindings:
                return
            # Each step draws its own set, so that an update does not write the existing values.
            sets = len(sequence.steps)
            mine, other = (
                self._draw(Task("", operation, sets, filled))
                for filled in remembered.filled(step.parameters)
            )
            if not mine:
                return
            call = operation, mine[number], other[number], remembered.same
            # After a change, caches may return old answers for a while.
            reads = operation.effect != "write"
            agreed = self.comparison.compare_until_equal(
                *call, within_s=self.age_s if reads else 0.0
            )
            if agreed is None:
                return
            remembered.keep(step.remember, agreed)
        self.sent.sequences += 1

    def _plan(
        self, task: Task, number: int, parameters: dict[str, object], agreed: AgreedCall
    ) -> None:
        """Plan a transaction; call read-only operations twice, to see whether the bytes vary."""
        first = agreed.transaction
        operation, again = task.operation, first
        if operation.effect != "write":
            repeated = self.comparison.repeat(operation, parameters, first)
            if repeated is None:
                return
            again = repeated
        shapes = [[len(round_) for round_ in done.rounds] for done in (first, again)]
        if shapes[0] != shapes[1]:
            self._error(operation, OtherRequests(), *shapes)
            return
        rounds = []
        for exchanges, repeats in zip(first.rounds, again.rounds, strict=True):
            planned = []
            for one, two in zip(exchanges, repeats, strict=True):
                codec = self.comparison.codec
                expected = codec.expectation(operation, one.reply, two.reply)
                known = KnownAnswer.create(operation, codec, one, reference_differ(operation))
                if operation.effect != "write" and expected.body_xxh3 is None:
                    reason = BytesVary(
                        checked="status" if expected.body_length is None else "length",
                        is_sampled=known is not None,
                    )
                    bodies = one.reply.body, two.reply.body
                    self.comparison.find("warning", operation.name, reason, *bodies)
                planned.append(PlannedRequest(one.request, expected, known))
            rounds.append(tuple(planned))
        size = leaves(agreed.expected)
        alone_us = 1e6 * min(first.seconds, again.seconds)
        self.plans.append(
            Plan(task.workload, operation.name, number, tuple(rounds), size, alone_us)
        )

    def _draw(self, task: Task) -> list[dict[str, object]]:
        """Draw parameters; a lack of rows to draw from is an error only for a workload."""
        try:
            return task.draw(self.dataset, self.seed)
        except DatasetError as error:
            if task.workload:
                reason, rows = NoRows(problem=str(error)), "rows to draw from"
                self._error(task.operation, reason, rows, None, workload=task.workload)
            return []

    def _error(
        self,
        operation: Operation,
        reason: FindingReason,
        expected: object,
        got: object,
        *,
        workload: str = "",
    ) -> None:
        self.comparison.find("error", operation.name, reason, expected, got, workload=workload)
