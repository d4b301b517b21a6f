"""Verification: does a contender answer as the reference does."""

from wirelab.verify.check import verify
from wirelab.verify.findings import Finding, Plan, PlannedRequest, Verification, Workload

__all__ = ["Finding", "Plan", "PlannedRequest", "Verification", "Workload", "verify"]
