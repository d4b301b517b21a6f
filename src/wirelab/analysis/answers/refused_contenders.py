"""What verification refused, in sentences that name both answers."""

import json
from collections.abc import Sequence

from wirelab.study import Study
from wirelab.terminal import words
from wirelab.verify.findings.equality_reasons import (
    DiffersFromOthers,
    HeaderDiffers,
    ReadsOtherwise,
)
from wirelab.verify.findings.finding import Finding

DIFFERENCES = (DiffersFromOthers, HeaderDiffers, ReadsOtherwise)
"""The kinds of findings with two answers that differ."""


def refusals(study: Study, findings: Sequence[Finding]) -> tuple[str, ...]:
    """Return a sentence without full stop for each finding that refuses a contender."""
    return tuple(_sentence(each, study) for each in findings if each.severity == "error")


def answers_differ(findings: Sequence[Finding]) -> bool:
    """Return whether one contender is refused for an answer that differs from another's."""
    return any(map(is_difference, findings))


def is_difference(finding: Finding) -> bool:
    """Return whether a finding refuses a contender for an answer that differs from another's."""
    return finding.severity == "error" and isinstance(finding.reason, DIFFERENCES)


def differing_answers(study: Study, findings: Sequence[Finding]) -> tuple[str, ...]:
    """Return a sentence without full stop for each such finding."""
    return refusals(study, list(filter(is_difference, findings)))


def _sentence(finding: Finding, study: Study) -> str:
    title, contender = _title(finding, study), finding.contender
    match finding.reason:
        case DiffersFromOthers(others=others, often=often):
            pass
        case ReadsOtherwise(other=other, often=often) | HeaderDiffers(other=other, often=often):
            others = (other,)
        case _:
            return ": ".join(filter(None, (title, contender, finding.why())))
    theirs, own = (
        json.dumps(value, ensure_ascii=False) for value in (finding.expected, finding.got)
    )
    part = f"the value at {finding.path}" if finding.path else "the answer"
    if isinstance(finding.reason, HeaderDiffers):
        part = f"the header {finding.reason.name}"
    both = f"{words.listed(others)}{',' if len(others) > 1 else ''} and"
    return f"{title}: {part} is {theirs} from {both} {own} from {contender}, {often}"


def _title(finding: Finding, study: Study) -> str:
    """Return the title of the only workload that a finding can concern, else its operation."""
    titles = [
        workload.title
        for name, workload in study.workloads.items()
        if finding.workload in ("", name) and workload.operation == finding.operation
    ]
    return titles[0] if len(titles) == 1 else finding.operation
