"""What verification refused, in sentences that name both answers."""

import json
import re
from collections.abc import Sequence

from wirelab.bundle import Finding
from wirelab.study import Study

REFUSED = "Verification refused a contender or a workload"
"""The title of the caution about what verification refused."""
_DIFFERS = re.compile(r"differs from the answers? of (?P<others>.+), (?P<often>in \d.+)")


def refusals(study: Study, findings: Sequence[Finding]) -> tuple[str, ...]:
    """Return a sentence without full stop for each finding that refuses a contender."""
    return tuple(_sentence(each, study) for each in findings if each.severity == "error")


def answers_differ(findings: Sequence[Finding]) -> bool:
    """Return whether one contender is refused for an answer that differs from another's."""
    return any(map(is_difference, findings))


def is_difference(finding: Finding) -> bool:
    """Return whether a finding refuses a contender for an answer that differs from another's."""
    return finding.severity == "error" and _DIFFERS.match(finding.reason) is not None


def differing_answers(study: Study, findings: Sequence[Finding]) -> tuple[str, ...]:
    """Return a sentence without full stop for each such finding."""
    return refusals(study, list(filter(is_difference, findings)))


def _sentence(finding: Finding, study: Study) -> str:
    title, contender = _title(finding, study), finding.contender
    found = _DIFFERS.match(finding.reason)
    if found is None:
        return ": ".join(filter(None, (title, contender, finding.reason)))
    other, own = (
        json.dumps(value, ensure_ascii=False) for value in (finding.expected, finding.got)
    )
    part = f"the value at {finding.path}" if finding.path else "the answer"
    both = f"{found['others']}, and" if " and " in found["others"] else f"{found['others']} and"
    return f"{title}: {part} is {other} from {both} {own} from {contender}, {found['often']}"


def _title(finding: Finding, study: Study) -> str:
    """Return the title of the only workload that a finding can concern, else its operation."""
    titles = [
        workload.title
        for name, workload in study.workloads.items()
        if finding.workload in ("", name) and workload.operation == finding.operation
    ]
    return titles[0] if len(titles) == 1 else finding.operation
