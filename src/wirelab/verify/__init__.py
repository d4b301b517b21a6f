"""Verification that a contender returns the same answers as the reference."""

from wirelab.verify.check import verify
from wirelab.verify.equality import Equality, records
from wirelab.verify.findings import Finding, Plan, PlannedRequest, Verification, Workload
from wirelab.verify.interference import changed_reads
from wirelab.verify.ready import NotReadyError, readiness

__all__ = [
    "Equality",
    "Finding",
    "NotReadyError",
    "Plan",
    "PlannedRequest",
    "Verification",
    "Workload",
    "changed_reads",
    "readiness",
    "records",
    "verify",
]
