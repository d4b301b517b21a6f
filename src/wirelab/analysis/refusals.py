"""What verification refused, in sentences that name both answers."""

import json
import re
from collections.abc import Sequence

from wirelab.bundle import Finding
from wirelab.study import Study

_DIFFERS = re.compile(r"differs from the answer of (?P<other>\S+), (?P<often>in .+)")


def refusals(study: Study, findings: Sequence[Finding]) -> tuple[str, ...]:
    """Return a sentence without full stop for each finding that refuses a contender."""
    titles = {each.operation: each.title for each in study.workloads.values()}
    return tuple(_sentence(each, titles) for each in findings if each.severity == "error")


def answers_differ(findings: Sequence[Finding]) -> bool:
    """Tell whether one contender is refused for an answer that differs from another's."""
    return any(it.severity == "error" and _DIFFERS.match(it.reason) for it in findings)


def _sentence(finding: Finding, titles: dict[str, str]) -> str:
    contender, _, rest = finding.where.partition(" ")
    operation, _, path = rest.partition(" ")
    title = titles.get(operation, operation)
    found = _DIFFERS.match(finding.reason)
    if found is None:
        return ": ".join(filter(None, (title, contender, finding.reason)))
    values = finding.model_extra or {}
    theirs, own = (json.dumps(values.get(key), ensure_ascii=False) for key in ("expected", "got"))
    part = f"the value at {path}" if path else "the answer"
    return (
        f"{title}: {part} is {theirs} from {found['other']} and {own} from {contender}, "
        + (found["often"])
    )
