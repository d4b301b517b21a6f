"""The records of a bundle about verification: findings, and the sizes of correct answers."""

from collections.abc import Iterable, Iterator

from wirelab.bundle import AnswerRecord
from wirelab.bundle import Finding as FindingRecord
from wirelab.verify import Finding, Plan


def finding_records(findings: Iterable[Finding]) -> Iterator[FindingRecord]:
    """Return a record for every finding."""
    for finding in findings:
        yield FindingRecord(
            severity=finding.severity,
            reason=finding.why(),
            contender=finding.contender,
            workload=finding.workload,
            operation=finding.operation,
            path=finding.path,
            symptom=finding.symptom,
            expected=finding.expected,
            got=finding.got,
            parameters=finding.parameters,
            times=finding.times,
            calls=finding.calls,
        )


def answer_records(planned: Iterable[Iterable[Plan]]) -> Iterator[AnswerRecord]:
    """Return the sizes of the correct answers, once each: they are the same for all contenders."""
    plans = {(plan.workload, plan.parameter_set): plan for each in planned for plan in each}
    for plan in plans.values():
        yield AnswerRecord(
            workload=plan.workload,
            operation=plan.operation,
            parameter_set=plan.parameter_set,
            leaves=plan.leaves,
        )
