"""`wirelab compare`: compare two or more servers, from the command line alone."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from wirelab.analysis.cautions.budget import omitted
from wirelab.bundle import default_folder
from wirelab.commands.logs import log_folder
from wirelab.commands.own_api.own_servers import announce_writes, queried_sides
from wirelab.commands.progress import ProgressBar
from wirelab.commands.resumption import after_interruption, saying_how_to_resume
from wirelab.commands.studies.report import publish
from wirelab.compare.baseline import against_baseline, check_baseline
from wirelab.compare.budget import START_S, Spending, spend
from wirelab.compare.options import CompareRequest, check_names
from wirelab.compare.protocols import find_protocol_comparison, write_study
from wirelab.compare.verdict import exit_code, markdown, what_to_do_about_differences
from wirelab.compare.world import LONGEST_REHEARSAL_S, write_world
from wirelab.experiment.study import ThisMachine, run_study
from wirelab.inputs.problems import add_problem, collected_problems
from wirelab.lab.host import read_host
from wirelab.lab.stores.store_url import recorded_command
from wirelab.planning.plan import plan_study, unavailable_here
from wirelab.report import terminal_view
from wirelab.report.data import to_json
from wirelab.study import OWN_STORE
from wirelab.terminal.console import error, note, print_json, show
from wirelab.terminal.exit_codes import ExitCode

REQUEST_S = 0.002


def compare_command(request: CompareRequest) -> ExitCode:
    """Compare, print the answer, and return the exit code."""
    if request.domain:
        return _compare_protocols(request)
    with queried_sides(request, "wirelab-compare-") as (scratch, found):
        started = any(side.command for side in found.sides)
        spending = spend(
            request.seconds,
            len(found.offers),
            len(found.sides) + 1,
            request_s=found.request_s,
            start_s=START_S if started else 0.0,
            rehearsal_s=LONGEST_REHEARSAL_S if started else 0.0,
            interval_s=request.terms.interval_s(found.request_s),
        )
        _announce(spending)
        offers = found.offers[: spending.operations]
        writing = [f"{offer.name} ({offer.shown})" for offer in offers if offer.effect == "write"]
        announce_writes(writing, request.options.reset)
        study = write_world(
            scratch,
            found.sides,
            found.offers,
            found.parameters,
            common=found.common,
            terms=request.terms.for_requests_of(found.request_s),
            spending=spending,
        )
        left_out = _left_out([offer.name for offer in found.offers], spending)
        return _measure(request, study, left_out)


def _compare_protocols(request: CompareRequest) -> ExitCode:
    """Compare protocols of one domain."""
    name, *chosen = request.domain
    options = request.options
    comparison = find_protocol_comparison(
        name, chosen, request.selection.only, allow_writes=options.allow_writes
    )
    with collected_problems():
        if options.reset and comparison.store != OWN_STORE:
            expected = f"no value, since wirelab restores the store of {name}"
            add_problem("--reset", "", options.reset, expected, "use --scratch")
        limited = [limit.contender for limit in request.limits]
        contenders = [contender.id for contender in comparison.contenders]
        check_names("--fail-if", limited, contenders)
    for line in comparison.notes:
        note(line)
    spending = spend(
        request.seconds,
        len(comparison.operations),
        len(comparison.contenders) + 1,
        request_s=REQUEST_S,
        start_s=START_S if any(each.command for each in comparison.contenders) else 0.0,
        rehearsal_s=LONGEST_REHEARSAL_S,
        interval_s=request.terms.interval_s(REQUEST_S),
    )
    _announce(spending)
    measured = comparison.operations[: spending.operations]
    announce_writes([each.name for each in measured if each.effect == "write"], options.reset)
    with log_folder("wirelab-compare-") as scratch:
        study = write_study(scratch.path, comparison, request.terms, spending)
        left_out = _left_out([each.name for each in comparison.operations], spending)
        return _measure(request, study, left_out)


def _announce(spending: Spending) -> None:
    """Print why measuring takes longer than the budget, if it does."""
    if why := spending.why_exceeded():
        note(why)


def _left_out(operations: Sequence[str], spending: Spending) -> dict[str, str]:
    """Return the workloads that do not fit into the time, with the budget that they would need."""
    left = operations[spending.operations :]
    return {f"w-{name}": spending.why_left_out(len(operations)) for name in left}


def _measure(request: CompareRequest, study: Path, left_out: dict[str, str]) -> ExitCode:
    """Run the study of a comparison, print the answer, and return the exit code."""
    options = request.options
    planned = plan_study(
        study,
        "compare",
        options.seed,
        unavailable=lambda *chosen: unavailable_here(*chosen) | left_out,
    )
    if options.baseline is not None:
        check_baseline(options.baseline, planned.study, planned.schedule.cells, read_host())
    folder = options.output or default_folder("compare")
    stores = {"own": f"own?reset={options.reset}"} if options.reset else {}
    # Checked-out versions are removed at the end, and a bundle does not contain the reset command.
    can_resume = not options.reset and not any(side.version for side in request.sides)
    with ProgressBar() as bar, saying_how_to_resume(folder, can_resume=can_resume):
        outcome = run_study(
            planned,
            folder,
            observer=bar,
            command=recorded_command(),
            machines=ThisMachine(stores),
        )
    interrupted = after_interruption(folder, can_resume=can_resume) if outcome.interrupted else ""
    if interrupted and not outcome.has_verdicts:
        note(interrupted)
        return ExitCode.INTERRUPTED
    files, analysis = publish(folder)
    for refused in analysis.refused if options.ci or options.json else ():
        error(refused)  # otherwise, the view below has these sentences
    earlier = (
        against_baseline(outcome.bundle, options.baseline, planned.study)
        if options.baseline
        else []
    )
    breaches = [breach for limit in request.limits for breach in limit.breaches(analysis)]
    code = exit_code(outcome, analysis, breaches, earlier, strict=options.ci)
    code = ExitCode.INTERRUPTED if interrupted else code
    if options.ci:
        sys.stdout.write(markdown(outcome, analysis, breaches, earlier))
    elif options.json:
        print_json(
            {
                "bundle": str(folder),
                "exit_code": int(code),
                "report": {kind: str(path) for kind, path in files.items()},
                "comparisons": json.loads(to_json(analysis))["comparisons"],
                "refused": [
                    each.model_dump(mode="json")
                    for each in outcome.bundle.findings
                    if each.severity == "error"
                ],
                "left_out": [
                    {"operations": titles, "reason": reason}
                    for reason, titles in omitted(analysis.study, analysis.schedule).items()
                ],
            }
        )
    else:
        show(terminal_view(analysis))
        for each in earlier:
            show(each.sentence)
    if analysis.refused:
        note(f"hint: {what_to_do_about_differences(request.domain)}")
    for breach in breaches:
        error(f"--fail-if: {breach.text}")
    note(f"report: {files['html']}")
    if interrupted:
        note(interrupted)
    return code
