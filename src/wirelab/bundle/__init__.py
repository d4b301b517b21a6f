"""The results folder: write, read, resume, content hashes, data frames."""

from wirelab.bundle.capacity import CapacityRecord, OverloadRecord, TrialRecord
from wirelab.bundle.contents import Contents, attempts_that_count
from wirelab.bundle.folder import Bundle, default_folder, require_new_folder
from wirelab.bundle.frames import SLICES
from wirelab.bundle.link import LinkDirection, LinkRecord
from wirelab.bundle.preparation import (
    AnswerRecord,
    CallRecord,
    ContenderRecord,
    EqualityRecord,
    PilotRecord,
    ReadAfterWriteRecord,
    WireRecord,
)
from wirelab.bundle.records import (
    AcceptedChange,
    BlockRecord,
    BundleInfo,
    BundleStatus,
    MachineRecord,
    RoleUsage,
    RunRecord,
    RunStatus,
    SessionRecord,
)
from wirelab.bundle.seal import AlteredFile
from wirelab.bundle.snapshot import Snapshot

__all__ = [
    "SLICES",
    "AcceptedChange",
    "AlteredFile",
    "AnswerRecord",
    "BlockRecord",
    "Bundle",
    "BundleInfo",
    "BundleStatus",
    "CallRecord",
    "CapacityRecord",
    "ContenderRecord",
    "Contents",
    "EqualityRecord",
    "LinkDirection",
    "LinkRecord",
    "MachineRecord",
    "OverloadRecord",
    "PilotRecord",
    "ReadAfterWriteRecord",
    "RoleUsage",
    "RunRecord",
    "RunStatus",
    "SessionRecord",
    "Snapshot",
    "TrialRecord",
    "WireRecord",
    "attempts_that_count",
    "default_folder",
    "require_new_folder",
]
