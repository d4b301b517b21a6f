"""`wirelab report`: render a bundle again, or compare several bundles of one study."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import wirelab
from wirelab.analysis import Analysis, analyse
from wirelab.analysis.development import development
from wirelab.analysis.extension_loading import check_extension
from wirelab.analysis.synopsis import synopsis_of
from wirelab.bundle import Bundle
from wirelab.commands.progress import ProgressBar
from wirelab.experiment.events import StageStarted, StepStarted
from wirelab.inputs.output_folder import create_folder
from wirelab.inputs.problems import Problem, ProblemsError, collected_problems, noting_problems
from wirelab.inputs.python_file import raised_at
from wirelab.report import terminal_view, write_report
from wirelab.report.development import development_json, development_view, write_development
from wirelab.report.palette import Palette
from wirelab.study import load_study
from wirelab.terminal import words
from wirelab.terminal.console import error, note, print_json, show
from wirelab.terminal.exit_codes import ExitCode


def report_command(
    bundle: Path,
    *,
    output: Path | None,
    study: Path | None,
    as_json: bool,
) -> ExitCode:
    """Write the report's files and print the answer; warn if the bundle was altered.

    `study` is the study's folder if the user trusts the extension in it.
    """
    (opened,) = _opened([bundle])
    alterations = opened.alterations()
    trusted = None if study is None else _trusted_folder(opened, study)
    files, analysis = publish(bundle, output, trusted)
    if as_json:
        print_json({kind: str(path) for kind, path in files.items()})
    else:
        show(terminal_view(analysis))
        note(f"report: {files['html']}")
    for alteration in alterations:
        error(f"the bundle was altered after it was sealed: {alteration}")
    return ExitCode.ALTERED if alterations else ExitCode.OK


def _trusted_folder(bundle: Bundle, named: Path) -> Path:
    """Return the folder of a bundle's study that the user has named.

    Raises `ProblemsError` if it has another study, or an extension that cannot be loaded.
    """
    study = load_study(named)
    if study.id != bundle.info.study:
        expected = f"the folder of {bundle.info.study}, the bundle's study"
        raise ProblemsError([Problem("wirelab report", "--study", study.id, expected)])
    check_extension(study)
    return study.folder


def _opened(bundles: Sequence[Path]) -> list[Bundle]:
    """Open bundles. Raises `ProblemsError` with all that cannot be read."""
    opened = []
    with collected_problems():
        for bundle in bundles:
            with noting_problems():
                opened.append(Bundle.open(bundle))
    return opened


def development_command(bundles: Sequence[Path], *, output: Path | None, as_json: bool) -> ExitCode:
    """Write how cells developed over several bundles of one study, and print it."""
    opened = _opened(bundles)
    synopses = []
    with ProgressBar() as bar:
        bar.on(StageStarted("Reading", len(opened)))
        for each in opened:
            bar.on(StepStarted(str(each.path)))
            with explained(each.path):
                synopses.append(synopsis_of(analyse(each)))
    alterations = [
        f"{bundle.path}: {text}"
        for bundle, synopsis in zip(opened, synopses, strict=True)
        for text in synopsis.alterations
    ]
    developed = development(synopses)
    newest = max(synopses, key=lambda synopsis: synopsis.info.created_utc)
    folder = output or opened[synopses.index(newest)].report_folder
    create_folder(folder)
    files = write_development(developed, Palette.of_several(synopses), folder)
    if as_json:
        print_json(json.loads(development_json(developed)))
    else:
        show(development_view(developed))
        note(f"report: {files['html']}")
    for alteration in alterations:
        error(f"the bundle was altered after it was sealed: {alteration}")
    return ExitCode.ALTERED if alterations else ExitCode.OK


def publish(
    bundle: Path, output: Path | None = None, trusted_study: Path | None = None
) -> tuple[dict[str, Path], Analysis]:
    """Write the report in every format; return the paths by format, and the analysis.

    The extension in the folder `trusted_study` may be executed.
    """
    opened = Bundle.open(bundle)
    command = words.command("wirelab", "report", bundle)
    try:
        with ProgressBar() as bar, explained(bundle):
            bar.on(StageStarted("Report", 2))
            bar.on(StepStarted("computing the results"))
            analysis = analyse(opened, trusted_study)
            bar.on(StepStarted("drawing figures and writing files"))
            create_folder(output or opened.report_folder)
            return write_report(opened, output, analysis), analysis
    except ProblemsError:
        raise
    except Exception:
        note(f"{bundle} contains all that was measured; continue with: {command}")
        raise
    except KeyboardInterrupt:
        what = f"interrupted; what was measured is kept: {command}"
        raise KeyboardInterrupt(what) from None


@contextmanager
def explained(bundle: Path) -> Iterator[None]:
    """Turn an error about the values of a bundle, which may come from anywhere, into a message.

    It names the line of wirelab that failed, since the values may also be those of a real study.
    """
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        place = raised_at(error, Path(wirelab.__file__).parent)
        where = f" (in {place[0].name}, line {place[1]})" if place else ""
        what = f"cannot analyse {bundle}: {type(error).__name__}: {error}{where}"
        hint = "check whether its files were changed; if not, report this message as a defect"
        raise ProblemsError([Problem.stated(what, hint)]) from error
