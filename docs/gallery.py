"""The gallery: a card for each page in docs/examples and each paper of a replication.

A card's title is what was found. `python docs/gallery.py BUNDLE …` (or `make examples BUNDLES=…`)
writes the reports of bundles to docs/examples, and takes the pictures of the home page from the
first. The site builds the cards from whatever pages are there, and the pages of replications from
the compact results in replications/NAME/results.
"""

import html
import re
import shutil
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lxml import html as pages

from wirelab.analysis import analyse
from wirelab.bundle import Bundle
from wirelab.replication.findings import StudyFindings, read_findings
from wirelab.replication.page import Replication, kinds_of, page_html
from wirelab.report import render_html, render_markdown

DOCS = Path(__file__).resolve().parent
EXAMPLES, REPLICATIONS = DOCS / "examples", DOCS.parent / "replications"
WORDS = {"good": "better", "even": "practically the same", "bad": "worse", "unsure": "cannot tell"}
CLAIMS = {"good": "reproduced", "even": "in part", "bad": "contradicted", "unsure": "undecided"}
"""What the style of a verdict means: of a comparison, and of a paper's claim."""
_OPEN = re.compile(r"^[^;]*(distinguished|decided|too early)|^Not answered")
SCHEMES = ("light", "dark")
WIDTH_PX, SCALE = 1000, 1.5


@dataclass(frozen=True, slots=True)
class Card:
    """A page: its address from docs/examples, and what it found, as it says itself."""

    address: str
    finding: str
    title: str
    facts: tuple[str, ...]
    """Date, version and design."""
    verdicts: Counter[str]
    """How many verdicts have each style."""
    words: Mapping[str, str] = field(default_factory=lambda: WORDS)

    def render(self) -> str:
        """Render the card; the picture shows the verdicts in proportion."""
        parts = [(style, self.verdicts[style]) for style in self.words if self.verdicts[style]]
        said = ", ".join(f"{count} {self.words[style]}" for style, count in parts)
        bars = "".join(f'<i class="{style}" style="flex: {count}"></i>' for style, count in parts)
        picture = f'<span class="tally" role="img" aria-label="{said}" title="{said}">{bars}</span>'
        return (
            f'<li class="card"><a href="{html.escape(self.address)}">'
            f"<strong>{html.escape(self.finding)}</strong></a>"
            f"<span>{html.escape(self.title)}</span>{picture if parts else ''}"
            f"<small>{html.escape(' · '.join(self.facts))}</small></li>"
        )


def gallery(folder: Path = EXAMPLES, replications: Path = REPLICATIONS) -> str:
    """Render the cards: those of replications, then those of reports, each the newest first."""
    papers = [card for page in _replications(replications).items() for card in _of_papers(*page)]
    reports = sorted(map(_of_page, folder.glob("*/*.html")), key=lambda it: it.facts, reverse=True)
    meaning = [words for words, cards in ((WORDS, reports), (CLAIMS, papers)) if cards]
    key = ", ".join(
        f'<i class="{style}"></i>{" or ".join(words[style] for words in meaning)}'
        for style in WORDS
    )
    return (
        f'<p class="key">Each bar counts verdicts: {key}.</p>\n'
        f'<ul class="gallery">{"".join(card.render() for card in (*papers, *reports))}</ul>\n'
    )


def pages_of(replications: Path = REPLICATIONS) -> dict[str, str]:
    """Return the page of each replication, by its address in the site."""
    return {
        f"{replications.name}/{name}/replication.html": page_html(page)
        for name, page in _replications(replications).items()
    }


def _replications(folder: Path) -> dict[str, Replication]:
    """Judge all claims of each replication from its compact results, the newest first."""
    found = {path.name: read_findings(path) for path in sorted(folder.glob("*/"), reverse=True)}
    again = "wirelab report replications/{}"
    return {
        name: Replication(studies, {}, (), again.format(name))
        for name, studies in found.items()
        if studies
    }


def _of_papers(name: str, page: Replication) -> Iterator[Card]:
    address = f"../{REPLICATIONS.name}/{name}/replication.html"
    newest = max(found.days[-1] for found in page.studies)
    versions = dict.fromkeys(f"wirelab {it}" for found in page.studies for it in found.versions)
    facts = (newest, *versions, name)
    yield Card(address, page.headline, "All papers", facts, _claims(page.studies), CLAIMS)
    for found in page.studies:
        study = found.study
        facts = (found.days[-1], *(f"wirelab {each}" for each in found.versions), study.id)
        finding = _finding(found.answers) or study.title
        yield Card(f"{address}#{study.id}", finding, study.title, facts, _claims([found]), CLAIMS)


def _claims(studies: Sequence[StudyFindings]) -> Counter[str]:
    counted = sum((Counter(kinds_of(found)) for found in studies), Counter[str]())
    return Counter({style: counted[kind] for style, kind in CLAIMS.items()})


def _of_page(path: Path) -> Card:
    page = pages.document_fromstring(path.read_text(encoding="utf-8"))
    title = _text(page.xpath("//h1")[0])
    sentences = page.xpath("//li[@class='sentence']") or page.xpath("//p[@class='lead']")
    above = _text(page.xpath("//*[@class='overline']")[0]).split(" · ")
    facts = " ".join(_text(each) for each in page.xpath("//header//li"))
    cells = page.xpath("//section[@id='answer']//td[@data-contender]/@class")
    return Card(
        address=f"{path.parent.name}/{path.name}",
        finding=_finding(map(_text, sentences) if len(above) < 3 else ()) or title,
        title=above[2] if len(above) > 2 else title,
        facts=_facts(facts, "".join(page.xpath("//meta[@name='generator']/@content"))),
        verdicts=Counter(word for cell in cells for word in cell.split() if word in WORDS),
    )


def _facts(text: str, made_by: str) -> tuple[str, ...]:
    date = re.search(r"\d{4}-\d\d-\d\d", text)
    design = re.search(r"design `?([\w-]+)", text)
    found = (date and date[0], made_by, design and f"design {design[1]}")
    return tuple(each for each in found if each)


def _finding(sentences: Iterable[str]) -> str:
    """Return the first sentence that orders something, else the first, without its figures."""
    short = [re.sub(r" \([^()]*\)", "", each).removesuffix(".") for each in sentences]
    decided = [each for each in short if not _OPEN.search(each)]
    return next(iter(decided or short), "").partition(";")[0]


def _text(element: pages.HtmlElement) -> str:
    return " ".join(element.text_content().split())


def _write(bundles: Sequence[Path]) -> None:
    for path in bundles:
        analysis = analyse(Bundle.open(path))
        page = EXAMPLES / f"{analysis.study.id}-{analysis.info.design}" / "report.html"
        page.parent.mkdir(exist_ok=True)
        page.write_text(render_html(analysis), encoding="utf-8")
        page.with_suffix(".md").write_text(render_markdown(analysis), encoding="utf-8")
        if path == bundles[0]:
            _photograph(page)


def _photograph(page: Path) -> None:
    """Take the matrix of a report for the home page, for light and dark pages."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415

    with sync_playwright() as playwright:
        program = shutil.which("chromium-headless-shell") or shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for scheme in SCHEMES:
            size = {"width": WIDTH_PX, "height": 900}
            tab = browser.new_page(viewport=size, color_scheme=scheme, device_scale_factor=SCALE)
            tab.goto(page.as_uri())
            picture = DOCS / "images" / f"matrix-{scheme}.png"
            tab.locator("#answer .sheet").first.screenshot(path=picture)
        browser.close()


if __name__ == "__main__":
    _write([Path(each) for each in sys.argv[1:]])
