"""Which of a paper's hypotheses holds here: no difference, the one level better, or the other."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from wirelab.claims.evidence import ClaimEvidence
from wirelab.claims.judge import MeasuredPart, judge
from wirelab.statistics import (
    ClaimVerdict,
    Outcome,
    Part,
    Settled,
    decide,
    family_p_values,
)
from wirelab.study import Study
from wirelab.study.claim import DirectionExpectation, Hypotheses
from wirelab.study.elementary import PairTest, elementary_tests

Name = Literal["H0", "H1", "H2"]

SPEAKS_FOR: dict[Outcome | ClaimVerdict, Name] = {
    Outcome.SAME: "H0",
    Outcome.FASTER: "H1",
    Outcome.SLOWER: "H2",
    ClaimVerdict.SAME_WITHIN_MARGIN: "H0",
    ClaimVerdict.REPRODUCED: "H1",
    ClaimVerdict.CONTRADICTED: "H2",
}
"""The hypothesis that each outcome supports if H1's level is expected to be the lower one; counts,
which are not tested, have the verdict of a claim."""


@dataclass(frozen=True, slots=True)
class Decision:
    """The hypothesis that holds on this machine, and why; None if none does, or if undecided."""

    accepted: Name | None
    text: str
    sentence: str


def decide_hypotheses(study: Study, evidence: ClaimEvidence) -> Decision | None:
    """Decide a study's hypotheses by all comparisons of the two levels that were measured.

    They are one family. One that says "faster" or "slower" refutes H0. H1 or H2 holds when all that
    differ do so in its direction and the rest are the same within the margin; none while any of
    them is undecided.
    """
    hypotheses = study.claims.hypotheses
    if hypotheses is None:
        return None
    expected = DirectionExpectation(
        kind="direction",
        metric=hypotheses.metric,
        compare=hypotheses.compare,
        lower=hypotheses.one,
        higher=hypotheses.other,
        where=hypotheses.where,
    )
    tests = [
        test
        for test in elementary_tests(expected, evidence.levels)
        if isinstance(test, PairTest) and not study.workloads[test.a.workload].control
    ]
    judged = [judge(test, evidence) for test in tests]
    missing = dict.fromkeys(reason for each in judged for reason in each.missing)
    votes = Counter(map(SPEAKS_FOR.get, _outcomes(judged)))
    if not votes:
        return Decision(None, "", f"Not decided: {'; '.join(missing) or 'nothing measured'}.")
    return _decided(hypotheses, votes)


def _outcomes(judged: Sequence[MeasuredPart]) -> Iterator[Outcome | ClaimVerdict]:
    """Yield the outcome of each comparison that was measured."""
    compared = [each.part.comparison for each in judged if isinstance(each.part, Part)]
    for comparison, corrected in zip(compared, family_p_values(compared), strict=True):
        yield decide(comparison, corrected).outcome
    for each in judged:
        if isinstance(each.part, Settled) and each.part.verdict is not ClaimVerdict.NOT_MEASURED:
            yield each.part.verdict


def _decided(hypotheses: Hypotheses, votes: Counter[Name | None]) -> Decision:
    both: tuple[Name, Name] = ("H1", "H2")
    differing = [name for name in both if votes[name]]
    texts: dict[Name, str] = {"H0": hypotheses.H0, "H1": hypotheses.H1, "H2": hypotheses.H2}
    words: dict[Name | None, str] = {
        "H1": f"have {hypotheses.one} lower",
        "H2": f"have {hypotheses.other} lower",
        "H0": "are the same within the margin",
        None: "are undecided",
    }
    total = votes.total()
    counted = ", ".join(
        f"{votes[name]} of {total} comparisons {verdicts}"
        for name, verdicts in words.items()
        if votes[name]
    )
    if votes[None] or len(differing) == 2:
        why = "not decided" if votes[None] else "none of them holds everywhere"
        refuted = ", H0 is refuted" if differing else ""
        return Decision(None, "", f"{why.capitalize()}{refuted}: {counted}.")
    accepted: Name = differing[0] if differing else "H0"
    return Decision(accepted, texts[accepted], f"{accepted} holds here: {counted}.")
