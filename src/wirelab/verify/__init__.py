"""Verification that a contender returns the same answers as the reference."""

from wirelab.verify.check import verify
from wirelab.verify.consistency import require_consistent
from wirelab.verify.equality import Equality
from wirelab.verify.findings import Finding
from wirelab.verify.interference import changed_reads
from wirelab.verify.plans import Plan, PlannedRequest, Sent, UsedOperation, Verification
from wirelab.verify.proof import records
from wirelab.verify.queries import Connection
from wirelab.verify.read_after_write import OneBackend

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
