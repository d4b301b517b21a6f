"""`wirelab report`: render a bundle again."""

from pathlib import Path

from wirelab.analysis import analyse
from wirelab.bundle import Bundle
from wirelab.console import note, print_json, show
from wirelab.report import terminal_view, write_report


def report_command(bundle: Path, *, output: Path | None, as_json: bool) -> None:
    """Write the report's files and print the answer."""
    opened = Bundle.open(bundle)
    for mismatch in opened.check():
        note(f"warning: {mismatch}")
    files = publish(bundle, output)
    if as_json:
        print_json({kind: str(path) for kind, path in files.items()})
    else:
        show(terminal_view(analyse(opened)))
        note(f"report: {files['html']}")


def publish(bundle: Path, output: Path | None = None) -> dict[str, Path]:
    """Write every form of the report and return where each one is, by its kind."""
    return write_report(Bundle.open(bundle), output)
