"""The results folder: write, read, resume, content hashes, data frames."""

from wirelab.bundle.folder import Bundle
from wirelab.bundle.records import (
    AnswerRecord,
    BundleInfo,
    BundleStatus,
    ContenderRecord,
    Finding,
    PilotRecord,
    RoleUsage,
    RunRecord,
    RunStatus,
    WireRecord,
)
from wirelab.bundle.seal import Mismatch

__all__ = [
    "AnswerRecord",
    "Bundle",
    "BundleInfo",
    "BundleStatus",
    "ContenderRecord",
    "Finding",
    "Mismatch",
    "PilotRecord",
    "RoleUsage",
    "RunRecord",
    "RunStatus",
    "WireRecord",
]
