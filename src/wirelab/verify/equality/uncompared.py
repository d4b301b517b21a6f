"""Name what is not compared of the answers, once all contenders are verified."""

from collections.abc import Collection, Iterable, Iterator

from wirelab.verify.equality.proof import Proof
from wirelab.verify.findings.equality_reasons import PartlyCompared
from wirelab.verify.findings.finding import Finding, Severity

NEGLIGIBLE = 0.1
"""The share of values that need not be compared: more is a warning."""
HALF = 0.5
"""The share of values that need a declaration: more of a read is an error without one."""


def uncompared(proofs: Iterable[Proof], sound: Collection[str]) -> Iterator[Finding]:
    """Yield a finding for each contender and operation that is not compared entirely.

    `sound` are the contenders that were not refused.
    """
    for proof in proofs:
        if len(proof.answers) == 1 or proof.is_of_status:
            continue
        is_read = proof.operation.effect == "read"
        for each in proof.uncompared():
            if each.contender not in sound:
                continue
            is_error = is_read and each.undeclared_share > HALF
            severity: Severity = "warning" if each.share > NEGLIGIBLE else "note"
            yield Finding(
                severity="error" if is_error else severity,
                reason=PartlyCompared(
                    whose=each.contender,
                    share=each.share,
                    only=tuple(each.only),
                    shared=tuple(each.shared),
                    is_error=is_error,
                ),
                contender=each.contender,
                operation=proof.operation.name,
                workload=proof.workload,
            )
