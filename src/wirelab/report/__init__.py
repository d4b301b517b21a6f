"""Reports: the findings of a bundle as a page, as Markdown, CSV and JSON, and in a terminal."""

from pathlib import Path

from wirelab.analysis import Analysis, analyse
from wirelab.bundle import Bundle
from wirelab.bundle.files import is_private, write_atomically
from wirelab.report.data import to_csv, to_json
from wirelab.report.markdown import render_markdown
from wirelab.report.page import render_html
from wirelab.report.terminal import terminal_view

__all__ = [
    "render_html",
    "render_markdown",
    "terminal_view",
    "to_csv",
    "to_json",
    "write_report",
]


def write_report(
    bundle: Bundle, folder: Path | None = None, analysis: Analysis | None = None
) -> dict[str, Path]:
    """Write a bundle's report in every format, from the bundle alone; older files are replaced.

    `folder` is the bundle's own `report` folder unless given; `analysis` saves analysing again.
    Returns the paths: html, markdown, csv, json, and by their names the files that the study's
    extension adds. If only its owner may read the bundle, the same holds for the report. Raises
    `ProblemsError` if the bundle is invalid.
    """
    findings = analysis or analyse(bundle)
    folder = folder or bundle.report_folder
    folder.mkdir(parents=True, exist_ok=True)
    written = {}
    for kind, ending, render in (
        ("html", "html", render_html),
        ("markdown", "md", render_markdown),
        ("csv", "csv", to_csv),
        ("json", "json", to_json),
    ):
        written[kind] = folder / f"report.{ending}"
        write_atomically(written[kind], render(findings).encode())
    for added in findings.extension.additions.files:
        path = folder / Path(added.name).name
        written[path.stem] = path
        write_atomically(path, added.text().encode())
    if is_private(bundle.path):
        for path in written.values():
            path.chmod(0o600)
    return written
