"""A replication: the designs that decide the papers' claims, their compact results, one page."""

from wirelab.replication.parts import StudyPart, minutes_of, parts_of, replicable_studies
from wirelab.replication.results import RESULTS, Results, export, load_results

__all__ = [
    "RESULTS",
    "Results",
    "StudyPart",
    "export",
    "load_results",
    "minutes_of",
    "parts_of",
    "replicable_studies",
]
