"""Reports: the findings of a bundle as a page, as Markdown, as CSV, as JSON, in a terminal."""

from dataclasses import dataclass
from pathlib import Path

from wirelab.analysis import Analysis, analyse
from wirelab.bundle import Bundle
from wirelab.bundle.files import write_atomically
from wirelab.report.data import to_csv, to_json
from wirelab.report.markdown import render_markdown
from wirelab.report.page import render_html
from wirelab.report.terminal import AnswerView

__all__ = [
    "AnswerView",
    "ReportFiles",
    "render_html",
    "render_markdown",
    "to_csv",
    "to_json",
    "write_report",
]


@dataclass(frozen=True, slots=True)
class ReportFiles:
    """Where a report was written."""

    html: Path
    markdown: Path
    csv: Path
    json: Path


def write_report(
    bundle: Bundle, folder: Path | None = None, analysis: Analysis | None = None
) -> ReportFiles:
    """Write a bundle's report in every format, from the bundle alone; older files are replaced.

    `folder` is the bundle's own `report` folder unless given; `analysis` saves analysing again.
    Raises `ProblemsError` where the bundle is broken.
    """
    findings = analysis or analyse(bundle)
    folder = folder or bundle.report_folder
    folder.mkdir(parents=True, exist_ok=True)
    files = ReportFiles(*(folder / f"report.{ending}" for ending in ("html", "md", "csv", "json")))
    for path, text in (
        (files.html, render_html(findings)),
        (files.markdown, render_markdown(findings)),
        (files.csv, to_csv(findings)),
        (files.json, to_json(findings)),
    ):
        write_atomically(path, text.encode())
    return files
