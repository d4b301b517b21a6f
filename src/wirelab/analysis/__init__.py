"""From a bundle to findings: summaries, comparisons, verdicts, answers, threats."""

from wirelab.analysis.analysing import analyse
from wirelab.analysis.lint import lint
from wirelab.analysis.model import CellSummary, ComparedPair, QuestionAnswer, Setting, Validity
from wirelab.analysis.result import Analysis

__all__ = [
    "Analysis",
    "CellSummary",
    "ComparedPair",
    "QuestionAnswer",
    "Setting",
    "Validity",
    "analyse",
    "lint",
]
