"""Domains: small worlds with data and operations, and what is right to answer."""

from wirelab.domain.load import find_domain, load_domain
from wirelab.domain.model import Binding, Domain, Operation, State
from wirelab.domain.refusal import Refused

__all__ = [
    "Binding",
    "Domain",
    "Operation",
    "Refused",
    "State",
    "find_domain",
    "load_domain",
]
