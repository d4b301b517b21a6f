"""Compare the answers of two contenders to the same requests."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from wirelab.verify.equality.common_shape import ShapeDifference, shape_differences
from wirelab.verify.equality.proof import ContenderAnswers, Proof
from wirelab.verify.findings.equality_reasons import (
    HeaderDiffers,
    OneRefuses,
    OtherHeaders,
    RefusesAlso,
)
from wirelab.verify.findings.finding import Severity
from wirelab.verify.findings.finding_reasons import FindingReason

Differing = tuple[ShapeDifference, int, int]
"""The first difference between answers of two contenders, and how many of all sets differ."""


@dataclass(frozen=True, slots=True)
class PairFinding:
    """What was found beside differences of values; `values` are those that differ."""

    severity: Severity
    reason: FindingReason
    values: tuple[object, object] = (None, None)


def first_difference(
    proof: Proof, mine: ContenderAnswers, other: ContenderAnswers
) -> Differing | None:
    """Return the first difference from another contender's answers, and how many differ."""
    common, quarantined = proof.operation.common, proof.quarantined
    shared = sorted(mine.shapes.keys() & other.shapes.keys())
    if proof.operation.effect == "write" and "" in quarantined:
        shared = []
    pairs = [(other.shapes[number], mine.shapes[number]) for number in shared]
    firsts = [next(shape_differences(common, *pair, quarantined), None) for pair in pairs]
    differing = list(filter(None, firsts))
    return (differing[0], len(differing), len(shared)) if differing else None


def pair_findings(
    proof: Proof, mine: ContenderAnswers, other: ContenderAnswers
) -> Iterator[PairFinding]:
    """Yield where two contenders refuse differently, or answer with other headers."""
    for refusing, answering in ((mine, other), (other, mine)):
        if only := sorted(refusing.refusals.keys() & answering.shapes.keys()):
            one_refuses = OneRefuses(
                refusing=refusing.contender,
                refusal=refusing.refusals[only[0]],
                answering=answering.contender,
                times=len(only),
            )
            yield PairFinding("error", one_refuses)
    kinds = Counter(
        (kind, other.refusals[number])
        for number, kind in mine.refusals.items()
        if other.refusals.get(number, kind) != kind
    )
    for (refusal, theirs), times in kinds.items():
        both_refuse = RefusesAlso(
            refusal=refusal, other=other.contender, other_refusal=theirs, times=times
        )
        yield PairFinding("error", both_refuse)
    if mine.protocol == other.protocol:
        yield from _other_headers(proof, mine, other)


def _other_headers(
    proof: Proof, mine: ContenderAnswers, other: ContenderAnswers
) -> Iterator[PairFinding]:
    rest = []
    for each in mine.headers.differences(other.headers, proof.operation.common.ignored):
        if each.is_of_answer:
            counts = {"differing": each.differing, "compared": each.compared}
            reason = HeaderDiffers(other=other.contender, name=each.name, **counts)
            yield PairFinding("error", reason, (each.one, each.other))
        else:
            rest.append(each.name)
    if rest:
        yield PairFinding("warning", OtherHeaders(other=other.contender, names=tuple(rest)))
