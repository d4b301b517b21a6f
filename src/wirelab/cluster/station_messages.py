"""The messages of the head and the stations of a study: plain values, see `messages`."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wirelab.bundle import (
    AnswerRecord,
    BlockRecord,
    Bundle,
    BundleInfo,
    CallRecord,
    ContenderRecord,
    EqualityRecord,
    PilotRecord,
    WireRecord,
)
from wirelab.bundle.run_reasons import RunReason
from wirelab.cluster.packed_files import MADE, PackedFiles, pack, pack_files
from wirelab.domain_file import find_domain_of
from wirelab.installation.resources import resource_folder
from wirelab.planning.plan import PlannedStudy
from wirelab.planning.schedule import Schedule
from wirelab.study import Cell, Study
from wirelab.verify import Finding

Event = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class StudyFiles:
    """A study and its domain as they are sent. `domain`: its name if it comes with wirelab.

    `data` is a file of real data instead of generated rows; empty without one.
    """

    study: PackedFiles
    domain: PackedFiles | str
    data: PackedFiles


@dataclass(frozen=True, slots=True)
class Assignment:
    """What a machine has to set up, and the known results: capacities, bytes, calls."""

    files: StudyFiles
    info: BundleInfo
    schedule: Schedule
    stores: Mapping[str, str]
    pilot: tuple[PilotRecord, ...]
    wire: tuple[WireRecord, ...]
    calls: tuple[CallRecord, ...]


@dataclass(frozen=True, slots=True)
class SetupResult:
    """The findings of a machine after building, starting and verifying everything.

    `folder` is its working folder, to which paths in its messages refer.
    """

    folder: str
    contenders: Mapping[str, ContenderRecord]
    environments: Mapping[str, Mapping[str, str]]
    findings: tuple[Finding, ...]
    refused: tuple[Finding, ...]
    answers: tuple[AnswerRecord, ...]
    equality: tuple[EqualityRecord, ...]
    unusable: Mapping[Cell, RunReason]
    notes: tuple[str, ...]
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Preparation:
    """The measurements of one machine for all of them: capacities, bytes, calls between services.

    `unusable`: cells whose capacity could not be measured, and why.
    """

    pilot: tuple[PilotRecord, ...]
    wire: tuple[WireRecord, ...]
    calls: tuple[CallRecord, ...]
    unusable: Mapping[Cell, RunReason]
    files: PackedFiles
    notes: tuple[str, ...]
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Delivery:
    """A finished block: its record, and all of its other files."""

    record: BlockRecord
    files: PackedFiles
    notes: tuple[str, ...]
    events: tuple[Event, ...]


def files_of(study: Study, data: Path | None) -> StudyFiles:
    """Collect a study's files. Raises `LabError` if they are too large to be sent.

    A domain that comes with wirelab is on every machine already.
    """
    domain = find_domain_of(study.folder, study.domain).resolve()
    is_packaged = domain == (resource_folder("domains") / domain.name).resolve()
    return StudyFiles(
        study=pack_files(study.files),
        domain=domain.name if is_packaged else pack(domain, MADE),
        data={} if data is None else pack_files({data.name: data}),
    )


def assignment_of(
    plan: PlannedStudy, bundle: Bundle, stores: Mapping[str, str], data: Path | None
) -> Assignment:
    """Return what machines have to set up for a study, new or resumed."""
    return Assignment(
        files=files_of(plan.study, data),
        info=bundle.info,
        schedule=plan.schedule,
        stores=stores,
        pilot=tuple(bundle.pilot_records),
        wire=tuple(bundle.wire_records),
        calls=tuple(bundle.call_records),
    )
