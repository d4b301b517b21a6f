"""`wirelab run`: run a study and print its findings."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

from wirelab.analysis.extension_loading import check_extension
from wirelab.bundle import default_folder, require_new_folder
from wirelab.cluster.fleet import Fleet, fleet_at
from wirelab.commands.progress import ProgressBar
from wirelab.commands.resumption import (
    after_interruption,
    how_to_resume,
    require_same_sources,
    saying_how_to_resume,
)
from wirelab.commands.studies.plan import describe
from wirelab.commands.studies.report import publish
from wirelab.errors import LabError
from wirelab.experiment.context import StudyOutcome
from wirelab.experiment.events import Observer, Observers, StudyEnded
from wirelab.experiment.study import ThisMachine, resume_study, run_study
from wirelab.inputs.problems import (
    add_problem,
    collected_problems,
    noting_problems,
)
from wirelab.lab.stores.store_url import recorded_command
from wirelab.live.feed import LivePage
from wirelab.planning.plan import PlannedStudy, plan_study, unavailable_here
from wirelab.report import terminal_view
from wirelab.terminal import words
from wirelab.terminal.console import error, note, print_json, show, stderr
from wirelab.terminal.exit_codes import ExitCode
from wirelab.web import LoopbackError


def run_command(
    study: str | None,
    *,
    typed: Mapping[str, object],
    design: str | None,
    only: Sequence[str],
    output: Path | None,
    seed: int,
    blocks: int | None,
    budget_s: float | None,
    stores: Mapping[str, str],
    data: Path | None,
    resume: Path | None,
    accept_changes: bool,
    strict: bool,
    as_json: bool,
    live_port: int | None = None,
    cluster: str | None = None,
) -> ExitCode:
    """Run a study, or resume one, and print the answer.

    Raises `ProblemsError` with what is wrong with the options, before anything is started.

    `typed`: the options about the plan that the user typed, which `resume` refuses. `budget_s`: the
    longest time for measuring, in all; by default the design's, or what the bundle began with.
    `strict`: a disturbed measurement is a failure, too. `live_port`: the port of the live page.
    `cluster`: the address of a Ray cluster whose machines run the study.
    """
    with collected_problems():
        if (study is None) == (resume is None):
            add_problem("wirelab run", "STUDY", study, "either a study or --resume BUNDLE")
        if resume is not None:
            _refuse_changes(typed)
            with noting_problems():
                require_same_sources(resume, stores, data)
        if output is not None:
            with noting_problems():
                require_new_folder(output)
    with _fleet(cluster, stores, data) as fleet:
        machines = fleet or ThisMachine(stores, data)
        planned, folder = None, resume
        if folder is None:
            assert study is not None
            planned = _planned(
                study, design, seed, only=only, blocks=blocks, budget_s=budget_s, fleet=fleet
            )
            machines.check(planned, Observer())
            folder = output or default_folder(f"{planned.study.id}-{planned.schedule.design}")
        with live_page(live_port, folder) as page:
            with ProgressBar() as bar, saying_how_to_resume(folder):
                observer = Observers(bar, page) if page else bar
                if planned is None:
                    outcome = resume_study(
                        folder,
                        observer=observer,
                        accept_changes=accept_changes,
                        budget_minutes=None if budget_s is None else budget_s / 60,
                        machines=machines,
                    )
                else:
                    command = recorded_command()
                    outcome = run_study(
                        planned, folder, observer=observer, command=command, machines=machines
                    )
            trusted_study = None if planned is None else planned.study.folder
            code = _conclude(outcome, trusted_study, strict=strict, as_json=as_json)
            if page is not None:
                report = outcome.bundle.report_folder / "report.html"
                status = outcome.bundle.info.status
                if outcome.interrupted:
                    page.on(StudyEnded(status, resume=how_to_resume(folder)))
                else:
                    page.on(StudyEnded(status, report.resolve()))
                    note(f"the live page remains at {page.address} until Ctrl-C")
                    page.stay()
    return code


def _refuse_changes(typed: Mapping[str, object]) -> None:
    """Note options that have no effect on a resumed study."""
    for option, value in typed.items():
        shown = ", ".join(value) if isinstance(value, list) else str(value)
        expected = "no value with --resume, since the bundle determines folder and plan"
        add_problem("wirelab run", option, shown, expected)


def _fleet(
    cluster: str | None, stores: Mapping[str, str], data: Path | None
) -> AbstractContextManager[Fleet | None]:
    """Return the machines of a cluster; None if this machine measures."""
    return nullcontext() if cluster is None else fleet_at(cluster, stores, data)


def _planned(
    study: str,
    design: str | None,
    seed: int,
    *,
    only: Sequence[str],
    blocks: int | None,
    budget_s: float | None,
    fleet: Fleet | None,
) -> PlannedStudy:
    """Plan a study with the levels that this machine, or the cluster, offers; show the plan."""
    offered = unavailable_here if fleet is None else fleet.unavailable
    planned = plan_study(study, design, seed, only, blocks=blocks, unavailable=offered)
    check_extension(planned.study)
    planned = planned.within(None if budget_s is None else budget_s / 60)
    stderr.print(describe(planned))
    if not planned.schedule.runs:
        raise LabError("nothing to measure", _what_to_do(planned))
    return planned


def _what_to_do(planned: PlannedStudy) -> str:
    """Return the hint for an empty plan: variables to set if they would fill it."""
    left_out = {level for levels in planned.schedule.left_out.values() for level in levels}
    unset = dict.fromkeys(
        contender.address
        for name, contender in planned.contenders.items()
        if name in left_out and contender.address and not contender.written_address()
    )
    if unset:
        return f"set {words.listed(unset)} to SCHEME://HOST:PORT of a running server"
    return "the plan above says what was left out and why; choose other levels with --only"


@contextmanager
def live_page(port: int | None, folder: Path) -> Iterator[LivePage | None]:
    """Serve a live page in the block; without a page if its port is not available.

    `folder` is that of the bundle, which the page tells how to resume if the block fails.
    """
    if port is None:
        yield None
        return
    try:
        page = LivePage(port, note)
    except (LoopbackError, OSError) as failed:
        note(f"no live page; the study continues without it: {failed}")
        yield None
        return
    note(f"live page: {page.address}")
    with page:
        try:
            yield page
        except BaseException as fault:
            resume = how_to_resume(folder) if (folder / "bundle.json").is_file() else ""
            interrupted = isinstance(fault, KeyboardInterrupt)
            page.on(StudyEnded("interrupted" if interrupted else "failed", resume=resume))
            raise


def _conclude(
    outcome: StudyOutcome, trusted_study: Path | None, *, strict: bool, as_json: bool
) -> ExitCode:
    path = outcome.bundle.path
    if outcome.interrupted and not outcome.has_verdicts:
        note(after_interruption(path))
        return ExitCode.INTERRUPTED
    for finding in outcome.refused:
        error(str(finding))
    files, analysis = publish(path, trusted_study=trusted_study)
    if as_json:
        print_json({"bundle": str(path), "report": {k: str(v) for k, v in files.items()}})
    else:
        show(terminal_view(analysis))
        note(f"report: {files['html']}")
    if outcome.interrupted:
        note(after_interruption(path))
        return ExitCode.INTERRUPTED
    if outcome.refused:
        return ExitCode.VERIFY_FAILED
    disturbance = analysis.disturbance
    failed = disturbance.lost_runs or (strict and disturbance.is_notable)
    return ExitCode.FAULTS if failed else ExitCode.OK
