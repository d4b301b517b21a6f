"""Several bundles of one study side by side: as a page, in a terminal, as JSON."""

from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup
from pydantic_core import to_json as to_json_bytes
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from wirelab import words
from wirelab.analysis.development import Agreement, Course, Development
from wirelab.analysis.synopsis import CellSynopsis
from wirelab.analysis.wording import sign
from wirelab.bundle.files import write_atomically
from wirelab.report.environment import environment
from wirelab.report.page import page_style
from wirelab.report.palette import Palette
from wirelab.report.strip import strips
from wirelab.report.terminal_matrix import COLOURS

AGREEMENT_STYLE = {
    Agreement.SAME: "good held",
    Agreement.SOME: "unsure",
    Agreement.OPPOSED: "bad failed",
    Agreement.OPEN: "unsure",
}


def write_development(found: Development, palette: Palette, folder: Path) -> dict[str, Path]:
    """Write development.html and development.json into a folder, and return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    files = {"html": folder / "development.html", "json": folder / "development.json"}
    write_atomically(files["html"], development_page(found, palette).encode())
    write_atomically(files["json"], development_json(found).encode())
    return files


def development_page(
    found: Development, palette: Palette, *, home: str = "", links: Sequence[str] = ()
) -> str:
    """Render the page, which contains no script.

    If served among others, `home` links to their list, and `links` to the bundles' reports.
    """
    jinja = environment()
    jinja.globals |= {"palette": palette}
    rows = [[step.versus if step else None for step in c.steps] for c in found.courses]
    drawn = zip(found.courses, strips(rows, found.margin_ratio), strict=True)
    settings: dict[str, list[tuple[Course, Markup]]] = {}
    for course, strip in drawn:
        settings.setdefault(course.setting, []).append((course, strip))
    return jinja.get_template("development.html").render(
        found=found,
        settings=settings,
        agreement_style=AGREEMENT_STYLE,
        home=home,
        links=links,
        style=Markup(page_style(jinja, palette)),  # noqa: S704 - text of this program
    )


def development_json(found: Development) -> str:
    """Return everything for other programs; unknown numbers are null."""
    courses = [
        {
            "setting": course.setting,
            "contender": course.contender,
            "label": course.label,
            "is_baseline": course.is_baseline,
            "change": course.change,
            "agreement": course.agreement,
            "steps": [_plain(step) for step in course.steps],
        }
        for course in found.courses
    ]
    value = {
        "format": "wirelab-development/1",
        "study": found.study,
        "metric": found.metric,
        "margin_ratio": found.margin_ratio,
        "editions": found.editions,
        "courses": courses,
        "notes": found.notes,
        "differences": found.differences,
        "sentence": found.sentence,
    }
    return to_json_bytes(value, inf_nan_mode="null").decode()


def development_view(found: Development) -> RenderableType:
    """Show one line per cell: ratio and verdict in every bundle, and what changed."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("")
    for edition in found.editions:
        table.add_column(f"{edition.created_utc[:10]}\n{edition.design}", no_wrap=True)
    table.add_column("")
    setting = ""
    for course in found.courses:
        if course.setting != setting:
            setting = course.setting
            table.add_row(Text(setting, style="bold"))
        if not course.is_baseline:
            shown = [_cell(step) for step in course.steps]
            table.add_row(Text(f"  {course.label}"), *shown, Text(course.change, style="bold"))
    heading = Text.assemble(
        (found.title, "bold"),
        f"\n{words.capital(found.metric)} relative to {found.baseline_label}, over"
        f" {words.plural(len(found.editions), 'bundle')}\n",
    )
    agreements = ", ".join(f"{count} {what}" for what, count in found.agreements.items())
    sentences = [found.sentence, words.capital(f"{agreements}.") if agreements else ""]
    summary = Text("\n" + " ".join(filter(None, sentences)), style="bold")
    return Group(heading, table, summary, *map(Text, found.notes))


def _cell(step: CellSynopsis | None) -> Text:
    if step is None or step.versus is None:
        return Text(words.MISSING, style="dim")
    verdict = step.versus.verdict
    ratio = words.times(step.versus.ratio)
    return Text(
        f"{sign(verdict) or ' '} {ratio}", style=COLOURS[verdict.outcome] if verdict else "dim"
    )


def _plain(step: CellSynopsis | None) -> dict[str, object] | None:
    if step is None:
        return None
    plain: dict[str, object] = {"latency_us": step.latency_us}
    if step.versus is not None:
        plain |= {
            "ratio": step.versus.ratio,
            "interval95": step.versus.interval95,
            "blocks": step.versus.blocks,
            "verdict": step.versus.verdict.words if step.versus.verdict else None,
        }
    return plain
