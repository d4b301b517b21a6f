"""Check published claims against the paper's own tables, and against the measurement."""

from wirelab.claims.arithmetic import Line
from wirelab.claims.check import (
    by_other_metrics,
    check,
    check_claims,
    names_in,
    not_measured,
)
from wirelab.claims.consistency import ConsistencyFinding, check_consistency
from wirelab.claims.evidence import ClaimEvidence, LogRatios, Values
from wirelab.claims.hypotheses import Decision, decide_hypotheses
from wirelab.claims.results import ClaimCheck, ElementaryResult
from wirelab.statistics import ClaimVerdict
from wirelab.study.claim import Claim, ClaimsFile
from wirelab.study.published import Published, PublishedFigure

__all__ = [
    "Claim",
    "ClaimCheck",
    "ClaimEvidence",
    "ClaimVerdict",
    "ClaimsFile",
    "ConsistencyFinding",
    "Decision",
    "ElementaryResult",
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
