"""`wirelab capacity`: the highest rate that servers sustain within an objective."""

from dataclasses import asdict, replace
from pathlib import Path

from wirelab.analysis import Analysis
from wirelab.analysis.answers.capacities import SUSTAINED
from wirelab.bundle import default_folder
from wirelab.commands.own_api.own_servers import queried_sides
from wirelab.commands.progress import ProgressBar
from wirelab.commands.resumption import after_interruption, saying_how_to_resume
from wirelab.commands.studies.report import publish
from wirelab.compare.budget import Spending
from wirelab.compare.command_line import CapacityOptions
from wirelab.compare.options import CapacityRequest
from wirelab.compare.world import write_world
from wirelab.experiment.study import run_study
from wirelab.lab.stores.store_url import recorded_command
from wirelab.planning.plan import plan_study
from wirelab.report import terminal_view
from wirelab.study import OF_CAPACITY
from wirelab.terminal.console import error, note, print_json, show
from wirelab.terminal.exit_codes import ExitCode

SPENDING = Spending(operations=1, permutations=20, transactions=20, seconds=0.0)
"""For the timed turns, at half of the lowest rate that a side sustains."""
OF_ONE = replace(SPENDING, permutations=10, seconds=140.0)
"""For one server, unless --blocks is given: within three minutes, with starting and the report."""


def capacity_command(request: CapacityRequest) -> ExitCode:
    """Measure, print the sustained rates, and return the exit code."""
    with queried_sides(request, "wirelab-capacity-") as (scratch, found):
        offer, *others = found.offers
        if others:
            left = ", ".join(each.shown for each in others)
            note(f"{offer.shown} is measured; left out: {left}. Choose with --only")
        is_alone = len(found.sides) == 1 and request.options.blocks == CapacityOptions.blocks
        study = write_world(
            scratch,
            found.sides,
            [offer],
            found.parameters,
            common=found.common,
            terms=request.terms,
            spending=OF_ONE if is_alone else SPENDING,
        )
        return _measure(request, study)


def _measure(request: CapacityRequest, study: Path) -> ExitCode:
    options = request.options
    planned = plan_study(study, OF_CAPACITY, options.seed, blocks=options.blocks)
    folder = options.output or default_folder("capacity")
    can_resume = not any(side.version for side in request.sides)  # they are removed at the end
    with ProgressBar() as bar, saying_how_to_resume(folder, can_resume=can_resume):
        outcome = run_study(planned, folder, observer=bar, command=recorded_command())
    for finding in outcome.refused:
        error(str(finding))
    if outcome.interrupted and not outcome.bundle.finished_block_ids():
        note(after_interruption(folder, can_resume=can_resume))
        return ExitCode.INTERRUPTED
    files, analysis = publish(folder)
    if options.json:
        print_json({"bundle": str(folder), **_summary(analysis)})
    else:
        show(terminal_view(analysis))
    note(f"report: {files['html']}")
    if outcome.interrupted:
        note(after_interruption(folder, can_resume=can_resume))
        return ExitCode.INTERRUPTED
    if outcome.refused:
        return ExitCode.VERIFY_FAILED
    known = {row.summary.cell.contender for setting in analysis.settings for row in setting.rows}
    return ExitCode.OK if known == {*analysis.study.contenders} else ExitCode.FAULTS


def _summary(analysis: Analysis) -> dict[str, object]:
    """Return the results for programs; the folder has all trials."""
    rows = [row for setting in analysis.settings for row in setting.rows]
    return {
        "contenders": {
            row.summary.cell.contender: {"blocks": row.summary.runs, "capacity": asdict(sustained)}
            for row in rows
            if (sustained := row.summary.sustained) is not None
        },
        "not_found": [
            each.sentence
            for each in analysis.answers
            if each.question == SUSTAINED and not each.decided
        ],
        "against_first": {
            row.summary.cell.contender: {
                "ratio": judged.comparison.ratio,
                "interval": judged.comparison.interval95,
                "verdict": judged.verdict and judged.verdict.words,
                "reason": judged.verdict and judged.verdict.reason,
            }
            for row in rows
            if (judged := row.against_baseline) is not None
        },
        "cautions": [f"{each.title}: {each.detail}" for each in analysis.cautions],
    }
