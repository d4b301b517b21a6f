"""Run or resume a study: from a plan to a sealed bundle."""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path

from wirelab.bundle import Bundle, BundleInfo
from wirelab.bundle.damage import require_undamaged
from wirelab.domain import Domain
from wirelab.domain_file import is_there, packaged_domain
from wirelab.experiment.execution import Execution, Outcome
from wirelab.experiment.laboratory import Laboratory
from wirelab.experiment.observer import Observer
from wirelab.experiment.place import Place
from wirelab.experiment.preparation.contender_records import contender_records
from wirelab.lab.contenders.build import require_programs
from wirelab.lab.contenders.contender import Contender
from wirelab.lab.credentials import has_secrets, redact_file
from wirelab.lab.environments.kinds import is_native
from wirelab.lab.host import Host, read_host
from wirelab.lab.processes.cpu import plan_cpus
from wirelab.lab.processes.process import stopping_everything
from wirelab.lab.stores.store_url import contains_user
from wirelab.measure.qualification import QualifiedSetting, load_qualification
from wirelab.planning.duration import search_seconds
from wirelab.planning.plan import PlannedStudy, load_world
from wirelab.study import load_study

TEXTS = {".log", ".json", ".jsonl", ".toml", ".md", ".txt"}
"""The extensions of files that may contain text from a server."""
OWN = {"bundle.json", "contenders.json", "domain", "host.json", "schedule.json", "study"}
"""Files without such text: wirelab wrote them before any server was started."""

CarryOut = Callable[[PlannedStudy, Bundle, Observer, Outcome], None]


@dataclass(frozen=True, slots=True)
class RemoteMachines:
    """Other machines that run a study instead of this one.

    `host` describes the first of them; each has a record in the bundle.
    """

    host: Host
    carry_out: CarryOut


def run_study(
    plan: PlannedStudy,
    folder: Path,
    *,
    observer: Observer,
    command: Sequence[str] = (),
    stores: Mapping[str, str] | None = None,
    data: Path | None = None,
    remote: RemoteMachines | None = None,
) -> Outcome:
    """Run a study and write a bundle to `folder`.

    `stores` gives URLs of stores to use instead of the embedded ones, by kind; `data` is a file of
    real data to use instead of generated rows. Ctrl-C ends the study cleanly: the bundle contains
    everything measured so far, and everything that was started is stopped. With `remote`, this
    process only keeps the bundle; the machines have their own stores and data.

    Raises `ProblemsError`, before the folder is created, if commands name missing programs.
    """
    schedule = plan.schedule
    if remote is None:
        _require_programs(plan, observer)
    cpus = plan_cpus()
    host = read_host(cpus) if remote is None else remote.host
    bundle = Bundle.create(
        folder,
        info=BundleInfo(
            id=folder.name,
            study=plan.study.id,
            domain=plan.study.domain,
            design=schedule.design,
            seed=schedule.seed,
            created_utc=datetime.now(UTC).isoformat(timespec="seconds"),
            wirelab_version=version("wirelab"),
            command=tuple(command),
        ),
        schedule=schedule,
        contenders=contender_records(plan),
        host=host.model_dump(mode="json"),
        study_files=plan.study.files,
        domain_files=_domain_files(plan.domain, plan.contenders.values()),
    )
    if remote is None:
        qualification, why_none = load_qualification(QualifiedSetting.read(host, cpus))
        if qualification is not None:
            bundle.write_qualification(qualification)
        else:
            observer.note(why_none)
    return _execute(plan, bundle, observer, _runner(remote, stores or {}, data), stores or {})


def _require_programs(plan: PlannedStudy, observer: Observer) -> None:
    placements = dict.fromkeys(Place.of(cell).placement for cell in plan.schedule.cells)
    native = [plan.contenders[it.contender] for it in placements if is_native(it.environment)]
    for missing in require_programs(native):
        observer.note(missing)


def resume_study(
    folder: Path,
    *,
    observer: Observer,
    stores: Mapping[str, str] | None = None,
    data: Path | None = None,
    accept_changes: bool = False,
    remote: RemoteMachines | None = None,
) -> Outcome:
    """Resume an interrupted bundle: verify again, then measure what is left.

    Study and schedule are the bundle's own; domain and contenders are the current ones. Raises
    `ProblemsError` if they no longer fit together, if a file of the bundle is damaged, or if it was
    altered after it was sealed (unless `accept_changes`); the bundle then remains unchanged.
    """
    bundle = Bundle.resume(folder, accept_changes=accept_changes)
    try:
        study = load_study(bundle.study_folder).in_design(bundle.schedule.design)
        study = study.model_copy(update={"domain": _domain_of(bundle)})
        domain, contenders = load_world(study)
        plan = PlannedStudy(study, domain, contenders, bundle.schedule)
        require_undamaged(bundle)
    except BaseException:
        bundle.close()
        raise
    bundle.unseal()
    bundle.append_event("resumed")
    return _execute(plan, bundle, observer, _runner(remote, stores or {}, data), stores or {})


def _domain_of(bundle: Bundle) -> str:
    """Return the name or path of a bundle's domain as it is now, or else of the bundle's copy."""
    named, kept = bundle.info.domain, bundle.domain_folder
    if packaged := packaged_domain(named):
        return str(packaged)
    return named if is_there(named) or not kept.is_dir() else str(kept)


def _runner(
    remote: RemoteMachines | None,
    stores: Mapping[str, str],
    data: Path | None,
) -> CarryOut:
    """Return the function that runs a study: on other machines, or on this one."""
    if remote is not None:
        return remote.carry_out
    return partial(_carry_out_here, stores=stores, data=data)


def _carry_out_here(
    plan: PlannedStudy,
    bundle: Bundle,
    observer: Observer,
    outcome: Outcome,
    *,
    stores: Mapping[str, str],
    data: Path | None,
) -> None:
    laboratory = Laboratory.of(
        plan.domain,
        plan.contenders,
        plan.data_seed,
        bundle.path / "logs",
        store_addresses=stores,
        data=data,
        patience_s=plan.study.request_timeout_s,
        limits=plan.study.limits,
    )
    with stopping_everything(), laboratory:
        execution = Execution(plan, bundle, laboratory, observer, outcome)
        execution.set_up()
        execution.verify()
        execution.find_rates(bundle.finished_block_ids())
        execution.count_bytes()
        execution.count_calls()
        execution.measure()


def _expected(plan: PlannedStudy, finished: Collection[str]) -> tuple[float, bool]:
    """Return how long the remaining blocks will take, and whether that is a lower bound.

    It is one until searches for capacities, which are not included, show the duration of trials.
    """
    schedule = plan.schedule
    searches_s = sum(search_seconds(plan.study, cell) for cell in schedule.cells)
    left = len(schedule.remaining(finished)) / max(1, len(schedule.blocks))
    return (schedule.estimated_seconds - searches_s) * left, searches_s > 0


def _execute(
    plan: PlannedStudy,
    bundle: Bundle,
    observer: Observer,
    carry_out: CarryOut,
    stores: Mapping[str, str],
) -> Outcome:
    outcome = Outcome(bundle)
    bundle.set_status("running")
    expected_s, at_least = _expected(plan, bundle.finished_block_ids())
    observer.bundle_opened(
        bundle.path, expected_s=expected_s, at_least=at_least, titles=plan.study.titles
    )
    # The command line does not contain an address from a file or a variable, but logs may.
    is_private = contains_user(" ".join((*bundle.info.command, *stores.values())))
    if is_private:
        bundle.make_private()
    try:
        with bundle:
            with redacted(bundle.path):
                carry_out(plan, bundle, observer, outcome)
            bundle.seal()  # no process writes to a log any more
    except BaseException as error:
        is_sealed = bundle.digest is not None  # last: from now on nothing may change
        if not is_sealed:
            with suppress(OSError):  # for example a full disk: it must not hide the original error
                bundle.append_event("interrupted", reason=f"{type(error).__name__}: {error}")
                bundle.set_status("interrupted")
        if not isinstance(error, KeyboardInterrupt):
            raise
        outcome.interrupted = not is_sealed
    finally:
        if is_private:
            bundle.make_private()
    return outcome


@contextmanager
def redacted(folder: Path) -> Iterator[None]:
    """Redact credentials in the texts of a bundle, in case a server has repeated them.

    Names remain, since a password may equal a name in the schedule, which reading a bundle needs.
    """
    try:
        yield
    finally:
        if has_secrets():
            names = frozenset(_strings(json.loads((folder / "schedule.json").read_bytes())))
            for path in sorted(folder.rglob("*")):
                is_own = path.relative_to(folder).parts[0] in OWN
                if path.suffix in TEXTS and path.is_file() and not is_own:
                    redact_file(path, names)


def _strings(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case Mapping():
            for it in value.values():
                yield from _strings(it)
        case list():
            for it in value:
                yield from _strings(it)


def _domain_files(domain: Domain, contenders: Collection[Contender]) -> dict[str, Path]:
    """Return the files that describe the domain and its contenders, for the bundle's copy."""
    described = [domain.folder / "domain.toml", *domain.interface.files.values()]
    if domain.parameter_file is not None:
        described.append(domain.parameter_file)
    for operation in domain.operations.values():
        for binding in operation.bindings.values():
            documents = (
                getattr(it, "document", None) for round_ in binding.rounds for it in round_
            )
            described += [document for document in documents if document is not None]
    manifests = {contender.folder / "contender.toml" for contender in contenders}
    root = domain.folder.resolve()
    return {
        str(path.resolve().relative_to(root)): path
        for path in (*described, *sorted(manifests))
        if path.resolve().is_relative_to(root)
    }
