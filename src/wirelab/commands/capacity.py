"""`wirelab capacity`: how many requests a second servers sustain under an objective."""

from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

from wirelab.bundle import require_new_folder
from wirelab.bundle.files import write_atomically
from wirelab.capacity.judging import Capacities, judge
from wirelab.capacity.measuring import Measurement
from wirelab.capacity.options import CapacityRequest
from wirelab.capacity.record import CAPACITY, CapacityRecord
from wirelab.capacity.view import markdown, terminal
from wirelab.commands.logs import log_folder
from wirelab.commands.progress import LiveView
from wirelab.compare.budget import Spending
from wirelab.compare.git_trees import checked_out
from wirelab.compare.offers import Asked as Offered
from wirelab.compare.offers import find_offers
from wirelab.compare.probe import shown_first
from wirelab.compare.sides import read_sides
from wirelab.compare.world import write_world
from wirelab.console import error, note, print_json, show
from wirelab.exit_codes import ExitCode
from wirelab.experiment import plan_study, run_study
from wirelab.lab.process import nothing_outlives
from wirelab.lab.store_url import recorded_command

PAGE = "capacity.md"
SPENDING = Spending(operations=1, permutations=1, transactions=1, seconds=60.0)
"""Of the study that the laboratory is set up for; its own turns are not taken."""


def capacity_command(wanted: CapacityRequest) -> ExitCode:
    """Measure, print what is sustained, and return what it says to a script."""
    request = wanted.request
    if request.output is not None:
        require_new_folder(request.output)
    sides = read_sides(request.sides, request.start, least=1)
    for line in shown_first(sides):
        note(line)
    with ExitStack() as ends:
        scratch = ends.enter_context(log_folder("wirelab-capacity-")).path
        ends.enter_context(nothing_outlives())
        offered = Offered(
            description=request.description,
            path=request.path,
            csv=request.csv,
            only=tuple(request.only),
            seed=request.seed,
        )
        with LiveView() as view:
            sides = ends.enter_context(checked_out(sides, request.build, scratch, view))
            found = find_offers(sides, request.terms, offered, scratch, view)
        for line in found.notes:
            note(line)
        offer, *others = found.offers
        if others:
            left = ", ".join(it.shown for it in others)
            note(f"{offer.shown} is asked for; left out: {left}. Choose with --only")
        study = write_world(
            scratch,
            found.sides,
            [offer],
            found.parameters,
            spoken=found.spoken,
            terms=request.terms,
            spending=SPENDING,
        )
        return _carry_out(wanted, study)


def _carry_out(wanted: CapacityRequest, study: Path) -> ExitCode:
    request = wanted.request
    planned = plan_study(study, "compare", request.seed, blocks=wanted.blocks)
    folder = request.output or _default_folder()
    with LiveView() as view:
        outcome = run_study(
            planned,
            folder,
            observer=view,
            command=recorded_command(),
            measure=lambda execution: Measurement(execution, wanted.asked).carry_out(),
        )
    for finding in outcome.refused:
        error(str(finding))
    record = CapacityRecord.read(folder)
    if record is None:
        note(f"nothing was measured; what happened is in {folder}")
        return _code_without(interrupted=outcome.interrupted, refused=bool(outcome.refused))
    found = judge(record)
    page = outcome.bundle.report_folder / PAGE
    page.parent.mkdir(exist_ok=True)
    write_atomically(page, markdown(record, found).encode())
    if request.as_json:
        print_json(_summary(record, found, folder))
    else:
        show(terminal(record, found))
    note(f"all trials: {folder / CAPACITY}; this as Markdown: {page}")
    if outcome.interrupted:
        return ExitCode.INTERRUPTED
    if outcome.refused:
        return ExitCode.VERIFY_FAILED
    is_known = all(it.rate is not None for it in found.sustained)
    return ExitCode.OK if is_known else ExitCode.FAULTS


def _code_without(*, interrupted: bool, refused: bool) -> ExitCode:
    if interrupted:
        return ExitCode.INTERRUPTED
    return ExitCode.VERIFY_FAILED if refused else ExitCode.FAULTS


def _summary(record: CapacityRecord, found: Capacities, folder: Path) -> dict[str, object]:
    """Return what a program wants to know; all trials are in the folder."""
    return {
        "folder": str(folder),
        "objective": record.objective,
        "blocks": len(record.blocks),
        "contenders": {
            it.contender: {
                "rate_per_s": it.rate,
                "interval": it.interval,
                "blocks": it.blocks,
                "overload": {
                    f"{each.times:g}": {
                        "good_share": each.good_share,
                        "failed_share": each.failed_share,
                        "failed": each.failed,
                        "never_sent_share": each.never_sent_share,
                        "recovery_s": each.recovery_s,
                    }
                    for each in it.overload
                },
            }
            for it in found.sustained
        },
        "against_first": {
            it.contender: {
                "ratio": it.ratio,
                "interval": it.interval,
                "verdict": it.words,
                "reason": it.reason,
            }
            for it in found.against
        },
        "cautions": found.cautions,
    }


def _default_folder() -> Path:
    moment = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    return Path("bundles") / f"capacity-{moment}"
