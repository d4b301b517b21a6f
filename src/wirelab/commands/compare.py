"""`wirelab compare`: compare two or more servers, from the command line alone."""

import json
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from wirelab.analysis.cautions.budget import omitted
from wirelab.bundle import default_folder
from wirelab.commands.logs import log_folder
from wirelab.commands.progress import LiveView
from wirelab.commands.report import publish
from wirelab.commands.resumption import after_interruption
from wirelab.commands.writes import announce_writes
from wirelab.compare.baseline import against_baseline, check_baseline
from wirelab.compare.budget import Spending, spend
from wirelab.compare.git_trees import checked_out
from wirelab.compare.offers import find_offers
from wirelab.compare.options import Request, check_names
from wirelab.compare.probe import shown_first
from wirelab.compare.protocols import find_protocol_comparison, write_study
from wirelab.compare.verdict import exit_code, markdown, what_to_do_about_differences
from wirelab.compare.world import LONGEST_REHEARSAL_S, write_world
from wirelab.experiment import plan_study, run_study
from wirelab.inputs.problems import Problems
from wirelab.lab.host import read_host
from wirelab.lab.processes.process import stopping_everything
from wirelab.lab.stores.store_url import recorded_command
from wirelab.planning.plan import unavailable_here
from wirelab.report import terminal_view
from wirelab.report.data import to_json
from wirelab.study import OWN_STORE
from wirelab.terminal.console import error, note, print_json, show
from wirelab.terminal.exit_codes import ExitCode

REQUEST_S = 0.002
START_S = 1.5
"""Typical time that all contenders of a block take to start if some have commands."""


def compare_command(request: Request) -> ExitCode:
    """Compare, print the answer, and return the exit code."""
    if request.domain:
        return _compare_protocols(request)
    for line in shown_first(request.sides):
        note(line)
    with ExitStack() as ends:
        scratch = ends.enter_context(log_folder("wirelab-compare-")).path
        ends.enter_context(stopping_everything())
        with LiveView() as view:
            sides = ends.enter_context(checked_out(request.sides, request.build, scratch, view))
            found = find_offers(sides, request.terms, request.selection, scratch, view)
        for line in found.notes:
            note(line)
        started = any(side.command for side in sides)
        spending = spend(
            request.seconds,
            len(found.offers),
            len(sides) + 1,
            request_s=found.request_s,
            start_s=START_S if started else 0.0,
            rehearsal_s=LONGEST_REHEARSAL_S if started else 0.0,
            interval_s=request.terms.interval_s(found.request_s),
        )
        _announce(spending)
        offers = found.offers[: spending.operations]
        writing = [f"{it.name} ({it.shown})" for it in offers if it.effect == "write"]
        announce_writes(writing, request.reset)
        study = write_world(
            scratch,
            found.sides,
            found.offers,
            found.parameters,
            common=found.common,
            terms=request.terms,
            spending=spending,
        )
        return _carry_out(request, study, _left_out([it.name for it in found.offers], spending))


def _compare_protocols(request: Request) -> ExitCode:
    """Compare protocols of one domain."""
    name, *chosen = request.domain
    writes = request.allow_writes
    comparison = find_protocol_comparison(name, chosen, request.only, allow_writes=writes)
    problems = Problems()
    if request.reset and comparison.store != OWN_STORE:
        expected = f"no value, since wirelab restores the store of {name}"
        problems.add("--reset", "", request.reset, expected, "use --scratch")
    limited = [limit.contender for limit in request.limits]
    check_names("--fail-if", limited, [it.id for it in comparison.contenders], problems)
    problems.raise_if_any()
    for line in comparison.notes:
        note(line)
    spending = spend(
        request.seconds,
        len(comparison.operations),
        len(comparison.contenders) + 1,
        request_s=REQUEST_S,
        start_s=START_S if any(it.command for it in comparison.contenders) else 0.0,
        rehearsal_s=LONGEST_REHEARSAL_S,
        interval_s=request.terms.interval_s(REQUEST_S),
    )
    _announce(spending)
    measured = comparison.operations[: spending.operations]
    announce_writes([it.name for it in measured if it.effect == "write"], request.reset)
    with log_folder("wirelab-compare-") as scratch:
        study = write_study(scratch.path, comparison, request.terms, spending)
        names = [it.name for it in comparison.operations]
        return _carry_out(request, study, _left_out(names, spending))


def _announce(spending: Spending) -> None:
    """Print why measuring takes longer than the budget, if it does."""
    if why := spending.why_exceeded():
        note(why)


def _left_out(operations: Sequence[str], spending: Spending) -> dict[str, str]:
    """Return the workloads that do not fit into the time, with the budget that they would need."""
    left = operations[spending.operations :]
    return {f"w-{name}": spending.why_left_out(len(operations)) for name in left}


def _carry_out(request: Request, study: Path, left_out: dict[str, str]) -> ExitCode:
    planned = plan_study(
        study,
        "compare",
        request.seed,
        unavailable=lambda *chosen: unavailable_here(*chosen) | left_out,
    )
    if request.baseline is not None:
        check_baseline(request.baseline, planned.study, planned.schedule.cells, read_host())
    folder = request.output or default_folder("compare")
    stores = {"own": f"own?reset={request.reset}"} if request.reset else {}
    with LiveView() as view:
        outcome = run_study(
            planned, folder, observer=view, command=recorded_command(), stores=stores
        )
    if outcome.interrupted:
        note(after_interruption(folder, request))
        return ExitCode.INTERRUPTED
    files, analysis = publish(folder)
    for refused in analysis.refused if request.ci or request.as_json else ():
        error(refused)  # otherwise, the view below has these sentences
    earlier = (
        against_baseline(outcome.bundle, request.baseline, planned.study)
        if request.baseline
        else []
    )
    breaches = [breach for limit in request.limits for breach in limit.breaches(analysis)]
    code = exit_code(outcome, analysis, breaches, earlier, strict=request.ci)
    if request.ci:
        sys.stdout.write(markdown(outcome, analysis, breaches, earlier))
    elif request.as_json:
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
    return code
