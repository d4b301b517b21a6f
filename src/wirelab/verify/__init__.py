"""Verification that a contender returns the same answers as the reference."""

from wirelab.verify.consistency import require_consistent
from wirelab.verify.equality.equality import Equality
from wirelab.verify.equality.proof import records
from wirelab.verify.equality.queries import Connection
from wirelab.verify.equality.read_after_write import OneBackend
from wirelab.verify.findings.finding import Finding
from wirelab.verify.interference import changed_reads
from wirelab.verify.plans import Plan, PlannedRequest, Sent, UsedOperation, Verification
from wirelab.verify.reference.check import verify

__all__ = [
    "Connection",
    "Equality",
    "Finding",
    "OneBackend",
    "Plan",
    "PlannedRequest",
    "Sent",
    "UsedOperation",
    "Verification",
    "changed_reads",
    "records",
    "require_consistent",
    "verify",
]
