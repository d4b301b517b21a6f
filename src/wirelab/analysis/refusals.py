"""What verification refused, in sentences that name both answers."""

import json
import re
from collections.abc import Sequence

from wirelab.bundle import Finding
from wirelab.study import Study

_DIFFERS = re.compile(r"differs from the answer of (?P<other>\S+), (?P<often>in .+)")


def refusals(study: Study, findings: Sequence[Finding]) -> tuple[str, ...]:
    """Return a sentence without full stop for each finding that refuses a contender."""
    return tuple(_sentence(each, study) for each in findings if each.severity == "error")


def answers_differ(findings: Sequence[Finding]) -> bool:
    """Return whether one contender is refused for an answer that differs from another's."""
    return any(it.severity == "error" and _DIFFERS.match(it.reason) for it in findings)


def _sentence(finding: Finding, study: Study) -> str:
    title, contender = _title(finding, study), finding.contender
    found = _DIFFERS.match(finding.reason)
    if found is None:
        return ": ".join(filter(None, (title, contender, finding.reason)))
    other, own = (
        json.dumps(value, ensure_ascii=False) for value in (finding.expected, finding.got)
    )
    part = f"the value at {finding.path}" if finding.path else "the answer"
    return (
        f"{title}: {part} is {other} from {found['other']} and {own} from {contender},"
        f" {found['often']}"
    )


def _title(finding: Finding, study: Study) -> str:
    """Return the title of the only workload that a finding can concern, else its operation."""
    titles = [
        workload.title
        for name, workload in study.workloads.items()
        if finding.workload in ("", name) and workload.operation == finding.operation
    ]
    return titles[0] if len(titles) == 1 else finding.operation
