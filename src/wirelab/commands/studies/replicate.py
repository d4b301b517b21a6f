"""`wirelab replicate`: measure what decides the claims of papers, and write one page about it."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from rich.table import Table

from wirelab.analysis.extension_loading import check_extension
from wirelab.bundle import Bundle
from wirelab.bundle.folder import INFO
from wirelab.bundle.records import BUDGET_SPENT, ENDED_EVENTS
from wirelab.cluster.fleet import Fleet, fleet_at
from wirelab.commands.progress import ProgressBar
from wirelab.commands.resumption import require_same_sources, sources_in
from wirelab.commands.studies.plan import describe
from wirelab.commands.studies.report import publish
from wirelab.errors import CommandError, LabError
from wirelab.experiment.context import StudyOutcome
from wirelab.experiment.events import Observer
from wirelab.experiment.study import ThisMachine, resume_study, run_study
from wirelab.inputs.output_folder import create_folder
from wirelab.inputs.problems import Problem, ProblemsError
from wirelab.lab.stores.store_url import recorded_command
from wirelab.planning.plan import plan_study, unavailable_here
from wirelab.replication import RESULTS, StudyPart, export, minutes_of, parts_of, replicable_studies
from wirelab.replication.agreement import agreement_with
from wirelab.replication.findings import read_findings
from wirelab.replication.page import Replication, write_page
from wirelab.replication.results import FACTS, load_results
from wirelab.terminal import words
from wirelab.terminal.console import error, note, print_json, show, stderr
from wirelab.terminal.exit_codes import ExitCode


class PartState(Enum):
    """How far a part is."""

    NEW = "not begun"
    UNFINISHED = "unfinished"
    SPENT = "undecided, and has a larger budget now"
    COMPLETE = "complete"


@dataclass(frozen=True)
class Sources:
    """Where answers come from, and which machines measure; as the options of `wirelab run`."""

    stores: Mapping[str, str] = field(default_factory=dict)
    data: Path | None = None
    cluster: str | None = None
    seed: int = 1

    def fleet(self) -> AbstractContextManager[Fleet | None]:
        """Return the machines of the cluster; None if this machine measures."""
        if self.cluster is None:
            return nullcontext()
        return fleet_at(self.cluster, self.stores, self.data)


def replicate_command(
    studies: Sequence[str],
    *,
    root: Path,
    budget_s: float | None,
    as_published: bool,
    sources: Sources,
    against: Path | None,
    as_json: bool,
) -> ExitCode:
    """Replicate studies one after the other into a folder, and write its page after each.

    `as_published`: follow each paper's own procedure, too, once, for the tables.
    What is complete there stays as it is; what was interrupted is resumed, and so is what a smaller
    budget left undecided. A part that fails does not keep the others from being measured.

    Raises `ProblemsError` for wrong arguments.
    """
    parts = parts_of(studies or replicable_studies(), root, as_published=as_published)
    if against is not None:
        require_replication(against)
    minutes = minutes_of(parts, None if budget_s is None else budget_s / 60)
    create_folder(root)
    for part in parts:
        _drop_unreadable(part)
    read_findings(root)  # what is damaged is refused before anything is measured
    failed: dict[str, str] = {}
    is_interrupted = False
    try:
        for number, part in enumerate(parts, start=1):
            budget = minutes.get(part.bundle)
            try:
                state = state_of(part, budget)
                note(f"{number} of {len(parts)}: {part.name} is {state.value}")
                is_interrupted = _finish(part, state, budget, sources)
            except (CommandError, ProblemsError, OSError) as wrong:
                failed[part.name] = str(wrong)
                error(f"{part.name}: {wrong}")
            if is_interrupted:
                break
            _write(root, parts, failed, against)
    except KeyboardInterrupt:
        is_interrupted = True
    page, files = _write(root, parts, failed, against)
    _present(page, files, as_json=as_json)
    if is_interrupted:
        note(f"interrupted; continue with: {page.again}")
        return ExitCode.INTERRUPTED
    return ExitCode.FAULTS if failed else ExitCode.OK


def page_command(root: Path, *, against: Path | None = None, as_json: bool) -> ExitCode:
    """Write the page of a replication again, from its compact results alone."""
    for folder in filter(None, (root, against)):
        require_replication(folder)
    page, files = _write(root, [], {}, against)
    _present(page, files, as_json=as_json)
    return ExitCode.OK


def is_replication(folder: Path) -> bool:
    """Return whether a folder has compact results of a replication."""
    return any((folder / RESULTS).glob(f"*/*/{FACTS}"))


def require_replication(folder: Path) -> None:
    """Raise `ProblemsError` if a folder has no compact results."""
    if not is_replication(folder):
        hint = "name the folder that `wirelab replicate` wrote"
        raise ProblemsError([Problem.stated(f"no results of a replication in {folder}", hint)])


def state_of(part: StudyPart, minutes: float | None) -> PartState:
    """Return how far a part is, from its bundle; `minutes` is its budget, None if it has none."""
    if not (part.bundle / INFO).is_file():
        return PartState.NEW
    bundle = Bundle.open(part.bundle)
    if bundle.info.status != "complete":
        return PartState.UNFINISHED
    ends = [event["event"] for event in bundle.events() if event.get("event") in ENDED_EVENTS]
    earlier = bundle.schedule.budget_minutes
    if ends[-1:] == [BUDGET_SPENT] and minutes and earlier and minutes > earlier:
        return PartState.SPENT
    return PartState.COMPLETE


def _drop_unreadable(part: StudyPart) -> None:
    """Remove results that are damaged or of another format, if there is a bundle for new ones."""
    if (part.results / FACTS).is_file() and (part.bundle / INFO).is_file():
        try:
            load_results(part.results)
        except ProblemsError:
            (part.results / FACTS).unlink()


def _finish(part: StudyPart, state: PartState, minutes: float | None, sources: Sources) -> bool:
    """Measure what is left of a part, and write its results; return whether it was interrupted."""
    outcome: StudyOutcome | None = None
    if state is not PartState.COMPLETE:
        with sources.fleet() as fleet:
            outcome = _measure(part, state, minutes, sources, fleet)
    if outcome is not None or not (part.results / FACTS).is_file():
        bundle = Bundle.open(part.bundle)
        if bundle.finished_block_ids():
            _, analysis = publish(part.bundle, trusted_study=part.study.folder)
            export(bundle, analysis, part.results)
    return outcome is not None and outcome.interrupted


def _measure(
    part: StudyPart, state: PartState, minutes: float | None, sources: Sources, fleet: Fleet | None
) -> StudyOutcome:
    """Begin a part, or resume it."""
    machines = fleet or ThisMachine(sources.stores, sources.data)
    if state is not PartState.NEW:
        require_same_sources(part.bundle, sources.stores, sources.data)
        with ProgressBar() as bar:
            return resume_study(
                part.bundle, observer=bar, budget_minutes=minutes, machines=machines
            )
    offered = unavailable_here if fleet is None else fleet.unavailable
    planned = plan_study(part.study.folder, part.design, sources.seed, unavailable=offered)
    check_extension(planned.study)
    planned = planned.within(minutes)
    stderr.print(describe(planned))
    if not planned.schedule.runs:
        raise LabError("nothing to measure", "the plan above says what is missing, and why")
    machines.check(planned, Observer())
    typed = [word for option in sources_in(recorded_command()) for word in option]
    by_itself = ("--design", part.design, "--seed", str(sources.seed), *typed)
    command = ("wirelab", "run", part.named, *by_itself)
    with ProgressBar() as bar:
        return run_study(planned, part.bundle, observer=bar, command=command, machines=machines)


def _write(
    root: Path, parts: Sequence[StudyPart], failed: Mapping[str, str], against: Path | None
) -> tuple[Replication, dict[str, Path]]:
    """Write the page about everything that the folder has results of."""
    found = read_findings(root, [part.study.id for part in parts])
    agreement = None
    if against is not None:
        agreement = agreement_with(found, read_findings(against), str(against))
    waiting = [
        part.name
        for part in parts
        if part.name not in failed and not (part.results / FACTS).is_file()
    ]
    again = words.command(*recorded_command()) if parts else f"wirelab report {root}"
    page = Replication(found, dict(failed), waiting, again, agreement)
    return page, write_page(page, root)


def _present(page: Replication, files: Mapping[str, Path], *, as_json: bool) -> None:
    if as_json:
        print_json({kind: str(path) for kind, path in files.items()})
        return
    table = Table(box=None, pad_edge=False, title=page.headline, title_justify="left")
    table.add_column("study", style="bold", no_wrap=True)
    table.add_column("verdicts on claims")
    for found in page.studies:
        counts = (f"{count} {verdict}" for verdict, count in found.tally.items())
        table.add_row(found.study.id, ", ".join(counts))
    show(table)
    if page.agreement is not None and page.agreement.share is not None:
        share = words.percent(page.agreement.share)
        decided = words.plural(len(page.agreement.decided), "claim")
        note(f"of {decided} decided in both, {share} have the verdict of {page.agreement.name}")
    note(f"page: {files['html']}")
