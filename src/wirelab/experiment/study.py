"""Carry a study out, or go on with one: from a plan to a sealed bundle."""

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from wirelab.bundle import Bundle, BundleInfo
from wirelab.domain import Domain
from wirelab.experiment.bench import Bench
from wirelab.experiment.observer import Observer
from wirelab.experiment.plan import PlannedStudy, load_world
from wirelab.experiment.walk import Outcome, Walk
from wirelab.lab.contender import Contender
from wirelab.lab.cpu import plan_cpus
from wirelab.lab.host import read_host
from wirelab.lab.process import nothing_outlives
from wirelab.measure.qualification import Setting, kept
from wirelab.study import load_study


def run_study(
    plan: PlannedStudy,
    folder: Path,
    *,
    observer: Observer,
    command: Sequence[str] = (),
    stores: Mapping[str, str] | None = None,
    data: Path | None = None,
) -> Outcome:
    """Carry a study out and leave a bundle in `folder`.

    `stores` gives the URL of a store in place of the embedded one, by kind; `data` a file of real
    data in place of generated rows. Ctrl-C ends it in good
    order: what has been measured is in the bundle, and nothing that was started is left.
    """
    schedule = plan.schedule
    cpus = plan_cpus()
    host = read_host(cpus)
    bundle = Bundle.create(
        folder,
        info=BundleInfo(
            id=folder.name,
            study=plan.study.id,
            design=schedule.design,
            seed=schedule.seed,
            created_utc=datetime.now(UTC).isoformat(timespec="seconds"),
            wirelab_version=version("wirelab"),
            command=tuple(command),
        ),
        schedule=schedule,
        contenders=plan.contender_records(),
        host=host.model_dump(mode="json"),
        study_files=plan.study.files,
        domain_files=_domain_files(plan.domain, plan.contenders.values()),
    )
    qualification, why_none = kept(Setting.read(host, cpus))
    if qualification is not None:
        bundle.write_qualification(qualification)
    else:
        observer.note(why_none)
    return _walk(plan, bundle, observer, stores or {}, data)


def resume_study(
    folder: Path,
    *,
    observer: Observer,
    stores: Mapping[str, str] | None = None,
    data: Path | None = None,
) -> Outcome:
    """Go on with a bundle that was interrupted: verify again, then walk what is left.

    Study and schedule are the bundle's own; domain and contenders are today's. Raises
    `ProblemsError` where they no longer fit together.
    """
    bundle = Bundle.resume(folder)
    study = load_study(bundle.study_folder).in_design(bundle.schedule.design)
    domain, contenders = load_world(study)
    bundle.append_event("resumed")
    plan = PlannedStudy(study, domain, contenders, bundle.schedule)
    return _walk(plan, bundle, observer, stores or {}, data)


def _walk(
    plan: PlannedStudy,
    bundle: Bundle,
    observer: Observer,
    store_addresses: Mapping[str, str],
    data: Path | None,
) -> Outcome:
    outcome = Outcome(bundle)
    bundle.set_status("running")
    bench = Bench(
        plan.domain,
        plan.contenders,
        plan.data_seed,
        bundle.path / "logs",
        store_addresses=store_addresses,
        data=data,
        patience_s=plan.study.request_timeout_s,
    )
    try:
        with bundle:
            with nothing_outlives(), bench:
                walk = Walk(plan, bundle, bench, observer, outcome)
                walk.stand_up()
                walk.verify()
                walk.find_rates()
                walk.count_bytes()
                walk.measure()
            bundle.seal()  # now that nothing writes to a log any more
    except BaseException as error:
        bundle.append_event("interrupted", reason=f"{type(error).__name__}: {error}")
        bundle.set_status("interrupted")
        if not isinstance(error, KeyboardInterrupt):
            raise
        outcome.interrupted = True
    return outcome


def _domain_files(domain: Domain, contenders: Collection[Contender]) -> dict[str, Path]:
    """List what describes the domain and its contenders, for the bundle's copy."""
    described = [domain.folder / "domain.toml", *domain.interface.files.values()]
    manifests = {contender.folder / "contender.toml" for contender in contenders}
    root = domain.folder.resolve()
    return {
        str(path.resolve().relative_to(root)): path for path in (*described, *sorted(manifests))
    }
