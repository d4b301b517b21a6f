"""What machines receive: the study with its domain and data, the schedule, known results."""

from collections.abc import Mapping
from pathlib import Path

from wirelab.bundle import Bundle
from wirelab.cluster.packed_files import MADE, pack, pack_files
from wirelab.cluster.station_messages import Assignment, StudyFiles
from wirelab.domain_file import find_domain_of
from wirelab.errors import LabError
from wirelab.installation.resources import resource_folder
from wirelab.planning.plan import PlannedStudy
from wirelab.study import Study


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


def refuse_shared(plan: PlannedStudy, stores: Mapping[str, str]) -> None:
    """Raise `LabError` for resources that all machines would share: blocks must be independent."""
    hint = "leave it out, or measure on one machine, without --cluster"
    shared = [kind for kind, written in stores.items() if "://" in written]
    if shared:
        raise LabError(f"--store {shared[0]} is one database for all machines of the cluster", hint)
    for name in dict.fromkeys(cell.contender for cell in plan.schedule.cells):
        if plan.contenders[name].address is not None:
            what = f"{name} is one running server for all machines of the cluster"
            raise LabError(what, hint)
