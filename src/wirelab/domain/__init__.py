"""Domains: data, the operations that servers offer on it, and their right answers."""

from wirelab.domain.canonical import ValueDifference, canonical, difference
from wirelab.domain.dataset import Dataset
from wirelab.domain.model import Binding, Domain, Operation
from wirelab.domain.reference import Reference, load_reference
from wirelab.domain.refusal import Refused
from wirelab.domain.rows import DatasetError
from wirelab.domain.stores import State

__all__ = [
    "Binding",
    "Dataset",
    "DatasetError",
    "Domain",
    "Operation",
    "Reference",
    "Refused",
    "State",
    "ValueDifference",
    "canonical",
    "difference",
    "load_reference",
]
