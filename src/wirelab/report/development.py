"""Several bundles of one study side by side: as a page, in a terminal, as JSON."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup
from pydantic_core import to_json as to_json_bytes
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult

from wirelab.analysis.development import Agreement, Development, Edition, MetricCourse
from wirelab.analysis.synopsis import CellSynopsis
from wirelab.bundle.files import write_atomically
from wirelab.report.environment import environment
from wirelab.report.page import page_style
from wirelab.report.palette import Palette
from wirelab.report.strip import strips
from wirelab.report.terminal_matrix import COLOURS, GAP, fitting, fixed_table
from wirelab.report.unbroken import Text
from wirelab.terminal import words

DATE = 10
"""Width in characters of a date, and minimum width of a bundle's column."""

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
    settings: dict[str, list[tuple[MetricCourse, Markup]]] = {}
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
    """Show one line per cell: ratio and verdict in every bundle, and what changed.

    A narrow terminal gets several tables, each with as many bundles as fit.
    """
    return _View(found)


@dataclass(frozen=True, slots=True)
class _View:
    """The bundles as an object of rich, which provides the available width."""

    found: Development

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        found = self.found
        yield Text(found.title, style="bold")
        bundles = words.plural(len(found.editions), "bundle")
        yield Text(
            f"{words.capital(found.metric)} relative to {found.baseline_label}, over {bundles}"
        )
        name = max((len(each.label) for each in found.courses), default=0) + 2 * GAP
        change = max((len(each.change) for each in found.courses), default=0)
        widths = [max(DATE, len(each.design)) for each in found.editions]
        for first, last in fitting(widths, options.max_width - change, name):
            changes = [change] if last == len(widths) else []
            yield Text()
            yield from _table(found, range(first, last), name, widths[first:last] + changes)
        agreements = ", ".join(f"{count} {what}" for what, count in found.agreements.items())
        sentences = [found.sentence, words.capital(f"{agreements}.") if agreements else ""]
        yield Text("\n" + " ".join(filter(None, sentences)), style="bold")
        yield from map(Text, found.notes)


def _table(
    found: Development, shown: range, name: int, widths: Sequence[int]
) -> Iterator[RenderableType]:
    """Show some of the bundles; a further column names what changed."""
    heading = fixed_table(name, widths)
    heads = (_head(found.moments[number], found.editions[number]) for number in shown)
    heading.add_row("", *heads)
    yield heading
    by_setting = itertools.groupby(
        (each for each in found.courses if not each.is_baseline), lambda each: each.setting
    )
    for setting, courses in by_setting:
        yield Text(setting, style="bold")
        table = fixed_table(name, widths)
        for course in courses:
            cells = [Text(f"  {course.label}"), *(_cell(course.steps[n]) for n in shown)]
            if len(widths) > len(shown):
                cells.append(Text(course.change, style="bold"))
            table.add_row(*cells)
        yield table


def _head(moment: str, edition: Edition) -> Text:
    when = moment.replace(" ", "\n")
    return Text(f"{when}\n{edition.design}\n{words.plural(edition.blocks, 'block')}", style="dim")


def _cell(step: CellSynopsis | None) -> Text:
    if step is None or step.versus is None:
        return Text(words.MISSING, style="dim")
    said = step.versus.said
    style = COLOURS[said.outcome] if said.outcome else "dim"
    return Text(f"{said.sign or ' '} {said.ratio}", style=style)


def _plain(step: CellSynopsis | None) -> dict[str, object] | None:
    if step is None:
        return None
    plain: dict[str, object] = {"latency_us": step.latency_us}
    if step.versus is not None:
        plain |= {
            "ratio": step.versus.ratio,
            "interval95": step.versus.interval95,
            "blocks": step.versus.blocks,
            "verdict": step.versus.said.words if step.versus.said.outcome else None,
        }
    return plain
