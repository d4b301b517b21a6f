"""Send the same requests to several contenders: common shapes, refusals, findings."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from wirelab.domain.model import Operation
from wirelab.protocol.base import Codec
from wirelab.protocol.clients.base import Client, NoReplyError
from wirelab.protocol.message import CannotEncodeError, Refusal
from wirelab.protocol.plan import plan_transaction
from wirelab.verify.equality.common_shape import ShapeError, shape, shape_differences
from wirelab.verify.findings.equality_reasons import NoCommonShape, Varies
from wirelab.verify.findings.finding import Finding, Severity, brief
from wirelab.verify.findings.finding_reasons import FindingReason, NoReply, NotEncoded


class NoAnswerError(Exception):
    """A contender gave neither an answer nor a refusal; the findings contain the reason."""


@dataclass(frozen=True, slots=True)
class Connection:
    """An open connection to a contender."""

    contender: str
    codec: Codec[Any]
    client: Client

    def speaks(self, operations: Iterable[Operation]) -> bool:
        """Return whether the contender's protocol offers all of these operations."""
        return all(self.codec.protocol in operation.bindings for operation in operations)


class Queries:
    """Queries contenders, and keeps the findings.

    `varying`: for each operation that was examined before, the parts that differ between two
    answers of one contender.
    """

    def __init__(self, varying: Mapping[str, Collection[str]]) -> None:
        self.varying = {operation: set(parts) for operation, parts in varying.items()}
        self.findings: list[Finding] = []
        self._examined = frozenset(varying)

    def query(
        self, connection: Connection, operation: Operation, parameters: Mapping[str, object]
    ) -> object:
        """Return the common shape of a contender's answer, or its refusal.

        Raises `NoAnswerError`.
        """
        try:
            done = plan_transaction(connection.client, connection.codec, operation, parameters)
            if isinstance(done.outcome, Refusal):
                return done.outcome
            return shape(operation.common, connection.codec.protocol, done.outcome.value)
        except CannotEncodeError as error:
            reason: FindingReason = NotEncoded(detail=str(error))
        except NoReplyError as error:
            reason = NoReply(detail=str(error))
        except ShapeError as error:
            reason = NoCommonShape(detail=str(error))
        self.find("error", connection, operation, reason)
        raise NoAnswerError

    def query_all(
        self,
        connections: Collection[Connection],
        operation: Operation,
        parameters: Mapping[str, object],
    ) -> dict[str, object]:
        """Return the answers to a read, by contender.

        An operation that was not examined before is called twice; parts that differ are noted, and
        are `varying` from now on. Raises `NoAnswerError`.
        """
        answers = {}
        varying = self.varying.setdefault(operation.name, set())
        for connection in connections:
            answer = answers[connection.contender] = self.query(connection, operation, parameters)
            if operation.name in self._examined or isinstance(answer, Refusal):
                continue
            again = self.query(connection, operation, parameters)
            if isinstance(again, Refusal):
                continue
            differences = shape_differences(operation.common, answer, again, varying)
            for part in sorted({each.part for each in differences}):
                self.find("warning", connection, operation, Varies(), path=f"/{part}")
                varying.add(part)
        return answers

    def find(
        self,
        severity: Severity,
        connection: Connection,
        operation: Operation,
        reason: FindingReason,
        *,
        path: str = "",
        values: tuple[object, object] = (None, None),
    ) -> None:
        """Record a finding about a contender, once."""
        expected, got = brief(*values)
        finding = Finding(
            severity=severity,
            reason=reason,
            contender=connection.contender,
            operation=operation.name,
            path=path,
            expected=expected,
            got=got,
        ).without_secrets()
        if finding not in self.findings:
            self.findings.append(finding)
