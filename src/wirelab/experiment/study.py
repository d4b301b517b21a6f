"""Run or resume a study: from a plan to a sealed bundle."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Protocol

from wirelab.analysis.so_far import IsEnough
from wirelab.bundle import Bundle, BundleInfo
from wirelab.bundle.damage import require_undamaged
from wirelab.bundle.redaction import redacted
from wirelab.domain import Domain
from wirelab.domain_file import is_there, packaged_domain
from wirelab.experiment.blocks.block import measure_blocks
from wirelab.experiment.context import RunContext, StudyOutcome
from wirelab.experiment.events import BundleOpened, Note, Observer
from wirelab.experiment.laboratory import Laboratory
from wirelab.experiment.place import Place
from wirelab.experiment.preparation.calls import count_calls
from wirelab.experiment.preparation.capacities import find_capacities
from wirelab.experiment.preparation.contender_records import contender_records
from wirelab.experiment.preparation.setting_up import set_up
from wirelab.experiment.preparation.verifying import verify
from wirelab.experiment.preparation.wire import count_bytes
from wirelab.experiment.resumed_sequence import keep_one_sequence
from wirelab.lab.contenders.build import require_programs
from wirelab.lab.contenders.contender import Contender
from wirelab.lab.environments.kinds import is_native
from wirelab.lab.host import Host, read_host
from wirelab.lab.processes.cpu import plan_cpus
from wirelab.lab.processes.process import stopping_everything
from wirelab.lab.stores.store_url import contains_user
from wirelab.measure.qualification import CeilingSetting, load_qualification
from wirelab.planning.duration import search_seconds
from wirelab.planning.plan import PlannedStudy, load_world
from wirelab.study import load_study


class StudyMachines(Protocol):
    """The machines that run a study."""

    @property
    def stores(self) -> Mapping[str, str]:
        """URLs of stores to use instead of the embedded ones, or limits of these, by kind."""

    def check(self, plan: PlannedStudy, observer: Observer) -> None:
        """Check, before a bundle is created, that the study can run.

        Raises `ProblemsError` if commands name missing programs, and `LabError`.
        """

    def host(self) -> Host:
        """Describe the machine, or the first one; each has a record in the bundle."""

    def run_stages(
        self, plan: PlannedStudy, bundle: Bundle, observer: Observer, outcome: StudyOutcome
    ) -> None:
        """Run all stages of a study, and write their results to the bundle. Raises `LabError`."""


@dataclass(frozen=True)
class ThisMachine:
    """Runs a study here. `data` is a file of real data to use instead of generated rows.

    `is_enough` ends a study until all is decided when it says so, instead of when all is.
    """

    stores: Mapping[str, str] = field(default_factory=dict)
    data: Path | None = None
    is_enough: IsEnough | None = None

    def check(self, plan: PlannedStudy, observer: Observer) -> None:
        """Check that the programs that native contenders name are installed."""
        places = map(Place.from_cell, plan.schedule.cells)
        placements = dict.fromkeys(place.placement for place in places)
        native = [
            plan.contenders[placement.contender]
            for placement in placements
            if is_native(placement.environment)
        ]
        for missing in require_programs(native):
            observer.on(Note(missing))

    def host(self) -> Host:
        """Describe this machine."""
        return read_host(plan_cpus())

    def run_stages(
        self, plan: PlannedStudy, bundle: Bundle, observer: Observer, outcome: StudyOutcome
    ) -> None:
        """Run all stages in one laboratory, which ends with everything that was started."""
        contenders = bundle.contenders
        laboratory = Laboratory.for_study(plan, bundle.path / "logs", self.stores, self.data)
        with stopping_everything(), laboratory:
            context = RunContext(plan, bundle, laboratory, observer, outcome, self.is_enough)
            set_up(context)
            keep_one_sequence(context, self.host(), contenders)
            if not bundle.finished_block_ids():
                write_qualification(bundle, observer)
            verify(context)
            find_capacities(context, bundle.finished_block_ids())
            count_bytes(context)
            count_calls(context)
            measure_blocks(context)


THIS_MACHINE = ThisMachine()


def write_qualification(bundle: Bundle, observer: Observer) -> None:
    """Write the engine's ceilings on this machine to a bundle, or say why they are not known."""
    cpus = plan_cpus()
    qualification, why_none = load_qualification(CeilingSetting.read(read_host(cpus), cpus))
    if qualification is not None:
        bundle.write_qualification(qualification)
    else:
        observer.on(Note(why_none))


def run_study(
    plan: PlannedStudy,
    folder: Path,
    *,
    observer: Observer,
    command: Sequence[str] = (),
    machines: StudyMachines = THIS_MACHINE,
) -> StudyOutcome:
    """Run a study and write a bundle to `folder`.

    Ctrl-C ends the study cleanly: the bundle contains everything measured so far, and everything
    that was started is stopped.

    Raises `ProblemsError`, before the folder is created, if commands name missing programs.
    """
    schedule = plan.schedule
    machines.check(plan, observer)
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
        host=machines.host().model_dump(mode="json"),
        study_files=plan.study.files,
        domain_files=_domain_files(plan.domain, plan.contenders.values()),
    )
    with keep_bundle(plan, bundle, observer, machines.stores) as outcome:
        machines.run_stages(plan, bundle, observer, outcome)
    return outcome


def resume_study(
    folder: Path,
    *,
    observer: Observer,
    accept_changes: bool = False,
    budget_minutes: float | None = None,
    machines: StudyMachines = THIS_MACHINE,
) -> StudyOutcome:
    """Resume an interrupted bundle: verify again, then measure what is left, if anything is.

    With `budget_minutes`, that is the longest time for measuring from now on, including the time
    that has been measured; one that was used up goes on where a verdict is open.

    Study and schedule are the bundle's own; domain and contenders are the current ones. Raises
    `ProblemsError` if they no longer fit together, if a file of the bundle is damaged, or if it was
    altered after it was sealed (unless `accept_changes`); the bundle then remains unchanged.
    """
    bundle = Bundle.resume(folder, accept_changes=accept_changes)
    try:
        study = load_study(bundle.study_folder).in_design(bundle.schedule.design)
        study = study.model_copy(update={"domain": _domain_of(bundle)})
        domain, contenders = load_world(study)
        schedule = bundle.schedule
        if budget_minutes is not None:
            schedule = replace(schedule, budget_minutes=budget_minutes)
        plan = PlannedStudy(study, domain, contenders, schedule)
        require_undamaged(bundle)
    except BaseException:
        bundle.close()
        raise
    if bundle.info.status == "complete" and schedule == bundle.schedule:
        bundle.close()
        observer.on(Note(f"{folder} is complete: nothing is left to measure"))
        return StudyOutcome(Bundle.open(folder))
    bundle.unseal()
    if schedule != bundle.schedule:
        bundle.write_schedule(schedule)
    bundle.append_event("resumed")
    with keep_bundle(plan, bundle, observer, machines.stores) as outcome:
        machines.run_stages(plan, bundle, observer, outcome)
    return outcome


def _domain_of(bundle: Bundle) -> str:
    """Return the name or path of a bundle's domain as it is now, or else of the bundle's copy."""
    named, kept = bundle.info.domain, bundle.domain_folder
    if packaged := packaged_domain(named):
        return str(packaged)
    return named if is_there(named) or not kept.is_dir() else str(kept)


def _expected(plan: PlannedStudy, finished: Collection[str]) -> tuple[float, bool]:
    """Return how long the remaining blocks will take, and whether that is a lower bound.

    It is one until searches for capacities, which are not included, show the duration of trials.
    """
    schedule = plan.schedule
    searches_s = sum(search_seconds(plan.study, cell) for cell in schedule.cells)
    left = len(schedule.remaining(finished)) / max(1, len(schedule.blocks))
    return (schedule.estimated_seconds - searches_s) * left, searches_s > 0


@contextmanager
def keep_bundle(
    plan: PlannedStudy, bundle: Bundle, observer: Observer, stores: Mapping[str, str]
) -> Iterator[StudyOutcome]:
    """Keep a bundle while its study runs; in the end, seal it, or record what interrupted it.

    An interruption by the user does not raise; the outcome says so.
    """
    outcome = StudyOutcome(bundle)
    bundle.set_status("running")
    expected_s, at_least = _expected(plan, bundle.finished_block_ids())
    observer.on(BundleOpened(bundle.path.resolve(), expected_s, at_least, plan.study.titles))
    # The command line does not contain an address from a file or a variable, but logs may.
    is_private = contains_user(" ".join((*bundle.info.command, *stores.values())))
    if is_private:
        bundle.make_private()
    try:
        with bundle:
            with redacted(bundle.path):
                yield outcome
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


def _domain_files(domain: Domain, contenders: Collection[Contender]) -> dict[str, Path]:
    """Return the files that describe the domain and its contenders, for the bundle's copy."""
    described = [domain.folder / "domain.toml", *domain.interface.files.values()]
    if domain.parameter_file is not None:
        described.append(domain.parameter_file)
    for operation in domain.operations.values():
        for binding in operation.bindings.values():
            templates = [template for round_ in binding.rounds for template in round_]
            documents = (getattr(template, "document", None) for template in templates)
            described += [document for document in documents if document is not None]
    manifests = {contender.folder / "contender.toml" for contender in contenders}
    root = domain.folder.resolve()
    return {
        str(path.resolve().relative_to(root)): path
        for path in (*described, *sorted(manifests))
        if path.resolve().is_relative_to(root)
    }
