"""What head and machines tell each other: plain values, since both have the same wirelab."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wirelab.bundle import (
    AnswerRecord,
    BlockRecord,
    BundleInfo,
    CallRecord,
    ContenderRecord,
    EqualityRecord,
    PilotRecord,
    WireRecord,
)
from wirelab.bundle import Finding as FindingRecord
from wirelab.cluster.parcel import Parcel
from wirelab.lab.host import Host
from wirelab.measure.result import EngineResult
from wirelab.schedule import Schedule
from wirelab.study import Cell
from wirelab.verify import Finding

Event = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Introduction:
    """What a machine says of itself.

    `free_bytes`: of the disk where it works. `niceness`: how far behind other programs Ray puts
    what it runs there, where that could not be taken back.
    """

    host: Host
    free_bytes: int
    niceness: int


@dataclass(frozen=True, slots=True)
class StudyFiles:
    """A study and its domain, as they are sent. `domain`: its name where wirelab brings it along.

    `data` is a file of real data in place of generated rows; empty without one.
    """

    study: Parcel
    domain: Parcel | str
    data: Parcel


@dataclass(frozen=True, slots=True)
class Assignment:
    """What a machine is to stand up, and what is known already: capacities, bytes, calls."""

    files: StudyFiles
    info: BundleInfo
    schedule: Schedule
    stores: Mapping[str, str]
    pilot: tuple[PilotRecord, ...]
    wire: tuple[WireRecord, ...]
    calls: tuple[CallRecord, ...]


@dataclass(frozen=True, slots=True)
class Standing:
    """What a machine found when it had built, started and verified everything.

    `folder` is where it works: its messages name files there.
    """

    folder: str
    contenders: Mapping[str, ContenderRecord]
    environments: Mapping[str, Mapping[str, str]]
    findings: tuple[FindingRecord, ...]
    refused: tuple[Finding, ...]
    answers: tuple[AnswerRecord, ...]
    equality: tuple[EqualityRecord, ...]
    unusable: Mapping[Cell, str]
    notes: tuple[str, ...]
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Preparation:
    """What one machine measures for all of them: capacities, bytes, calls between services.

    `unusable`: cells whose capacity could not be measured, and why.
    """

    pilot: tuple[PilotRecord, ...]
    wire: tuple[WireRecord, ...]
    calls: tuple[CallRecord, ...]
    unusable: Mapping[Cell, str]
    files: Parcel
    notes: tuple[str, ...]
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Delivery:
    """A block that was carried out: its record, and every other file of it."""

    record: BlockRecord
    files: Parcel
    notes: tuple[str, ...]
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class AgentReport:
    """What an agent has measured, and the files that its engine left."""

    result: EngineResult
    files: Parcel


@dataclass(frozen=True, slots=True)
class ServerUse:
    """What a server used between two times, and the memory it had at the second."""

    cpu_us: float
    memory_bytes: int
