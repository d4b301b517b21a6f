"""`wirelab report`: render a bundle again."""

from pathlib import Path

from wirelab.analysis import analyse
from wirelab.bundle import Bundle
from wirelab.console import error, note, print_json, show
from wirelab.exit_codes import ExitCode
from wirelab.report import terminal_view, write_report


def report_command(bundle: Path, *, output: Path | None, as_json: bool) -> ExitCode:
    """Write the report's files and print the answer; say so if the bundle was altered."""
    opened = Bundle.open(bundle)
    alterations = opened.alterations()
    files = publish(bundle, output)
    if as_json:
        print_json({kind: str(path) for kind, path in files.items()})
    else:
        show(terminal_view(analyse(opened)))
        note(f"report: {files['html']}")
    for alteration in alterations:
        error(f"the bundle was altered after it was sealed: {alteration}")
    return ExitCode.ALTERED if alterations else ExitCode.OK


def publish(bundle: Path, output: Path | None = None) -> dict[str, Path]:
    """Write every form of the report and return where each one is, by its kind."""
    return write_report(Bundle.open(bundle), output)
