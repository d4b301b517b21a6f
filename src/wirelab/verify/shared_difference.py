"""Find answers in which all contenders differ alike: then the reference is probably wrong."""

import re
from collections.abc import Collection, Iterable

from wirelab.domain.refusal import FAULTS
from wirelab.terminal import words
from wirelab.verify.findings import Finding

_DIFFERS = re.compile(r"(?:^|: )(the answer |answered, but must refuse|refused as (?P<kind>\w+)$)")
"""The reasons of findings about a call that the reference answers otherwise."""


def shared_difference(findings: Iterable[Finding], contenders: Collection[str]) -> str:
    """Return a remark if all contenders, and at least two, differ alike from the reference.

    `contenders` are all that were verified. Returns "" if there is no such call. A server's fault
    is no answer, and refusals are alike if they are of the same kind.
    """
    whose: dict[tuple[str, ...], set[str]] = {}
    for each in findings:
        found = _DIFFERS.search(each.reason) if each.severity == "error" else None
        if found and found["kind"] not in FAULTS:
            got = "" if found["kind"] else repr(each.got)
            call = each.operation, each.path, each.reason, repr(each.expected), got
            whose.setdefault(call, set()).add(each.contender)
    alike = dict.fromkeys(call[0] for call, them in whose.items() if them >= set(contenders))
    if not alike or len(contenders) < 2:
        return ""
    who = "both contenders" if len(contenders) == 2 else f"all {len(contenders)} contenders"
    return (
        f"{who} agree on an answer to {words.listed(alike)} that differs"
        " from the reference: check reference.py and the generator"
    )
