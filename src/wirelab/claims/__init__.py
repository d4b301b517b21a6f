"""Check published claims against the paper's own tables, and against the measurement."""

from wirelab.claims.arithmetic import Line
from wirelab.claims.check import (
    ClaimCheck,
    ElementaryResult,
    by_other_metrics,
    check,
    check_claims,
    names_in,
    not_measured,
)
from wirelab.claims.consistency import ConsistencyFinding, check_consistency
from wirelab.claims.evidence import AdjustedP, ClaimEvidence, LogRatios, Values
from wirelab.claims.hypotheses import Decision, decide_hypotheses
from wirelab.statistics import ClaimVerdict
from wirelab.study.claim import Claim, ClaimsFile
from wirelab.study.published import Published, PublishedFigure

__all__ = [
    "AdjustedP",
    "Claim",
    "ClaimCheck",
    "ClaimEvidence",
    "ClaimVerdict",
    "ClaimsFile",
    "ConsistencyFinding",
    "Decision",
    "ElementaryResult",
    "Figure",
    "Line",
    "LogRatios",
    "Published",
    "PublishedFigure",
    "Values",
    "by_other_metrics",
    "check",
    "check_claims",
    "check_consistency",
    "decide_hypotheses",
    "names_in",
    "not_measured",
]
