"""A replication: the designs that decide the papers' claims, their compact results, one page."""

from wirelab.replication.parts import Part, minutes_of, parts_of, replicable_studies
from wirelab.replication.results import RESULTS, Results, export, load_results

__all__ = [
    "RESULTS",
    "Part",
    "Results",
    "export",
    "load_results",
    "minutes_of",
    "parts_of",
    "replicable_studies",
]
