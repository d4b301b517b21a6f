"""`wirelab run`: carry a study out and say what it found."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from wirelab.analysis import analyse
from wirelab.commands.plan import describe
from wirelab.commands.progress import LiveView
from wirelab.commands.report import publish
from wirelab.console import error, note, print_json, show, talk
from wirelab.errors import LabError
from wirelab.exit_codes import ExitCode
from wirelab.experiment import Outcome, plan_study, resume_study, run_study
from wirelab.lab.store_url import recorded_command
from wirelab.problems import Problem, ProblemsError
from wirelab.report import terminal_view


def run_command(
    study: str | None,
    *,
    design: str,
    only: Sequence[str],
    output: Path | None,
    seed: int,
    stores: Mapping[str, str],
    data: Path | None,
    resume: Path | None,
    accept_changes: bool,
    strict: bool,
    as_json: bool,
) -> ExitCode:
    """Run a study, or go on with one, and print the answer.

    `strict`: a disturbed measurement is a failure, too.
    """
    if (study is None) == (resume is None):
        raise ProblemsError(
            [Problem("wirelab run", "STUDY", study, "a study, or --resume BUNDLE", "not both")]
        )
    if resume is not None:
        with LiveView() as view:
            outcome = resume_study(
                resume, observer=view, stores=stores, data=data, accept_changes=accept_changes
            )
    else:
        assert study is not None
        planned = plan_study(study, design, seed, only)
        talk.print(describe(planned))
        if not planned.schedule.runs:
            raise LabError(
                "nothing is left to be measured",
                "see above what was left out and why, or choose other levels with --only",
            )
        folder = output or _default_folder(planned.study.id, design)
        with LiveView() as view:
            outcome = run_study(
                planned,
                folder,
                observer=view,
                command=recorded_command(),
                stores=stores,
                data=data,
            )
    return _conclude(outcome, strict=strict, as_json=as_json)


def _conclude(outcome: Outcome, *, strict: bool, as_json: bool) -> ExitCode:
    path = outcome.bundle.path
    if outcome.interrupted:
        note(f"interrupted; go on with: wirelab run --resume {path}")
        return ExitCode.INTERRUPTED
    for finding in outcome.refused:
        error(str(finding))
    files = publish(path)
    analysis = analyse(outcome.bundle)
    if as_json:
        print_json({"bundle": str(path), "report": {k: str(v) for k, v in files.items()}})
    else:
        show(terminal_view(analysis))
        note(f"report: {files['html']}")
    if outcome.refused:
        return ExitCode.VERIFY_FAILED
    disturbance = analysis.disturbance
    failed = disturbance.lost_runs or (strict and disturbance.is_notable)
    return ExitCode.FAULTS if failed else ExitCode.OK


def _default_folder(study: str, design: str) -> Path:
    moment = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    return Path("bundles") / f"{study}-{design}-{moment}"
