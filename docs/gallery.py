"""The gallery of reports: a card for each in docs/examples, with its finding as title.

`python docs/gallery.py BUNDLE …` (or `make examples BUNDLES=…`) writes the reports of bundles to
docs/examples, and takes the pictures of the home page from the first. The site builds the cards
from whatever reports are there.
"""

import html
import re
import shutil
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lxml import html as pages

DOCS = Path(__file__).resolve().parent
EXAMPLES = DOCS / "examples"
STYLES = {"▼": "good", "▽": "good", "=": "even", "△": "bad", "▲": "bad", "?": "unsure"}
"""The style of a verdict's sign, in the order of ratios, as in a report's matrix."""
WORDS = {"good": "better", "even": "practically the same", "bad": "worse", "unsure": "cannot tell"}
_OPEN = re.compile(r"^[^;]*(distinguished|decided|too early)|^Not answered")
SCHEMES = ("light", "dark")
WIDTH_PX, SCALE = 1000, 1.5


@dataclass(frozen=True, slots=True)
class Card:
    """A report: its path in docs/examples, and what it found, as it says itself."""

    path: str
    finding: str
    title: str
    facts: tuple[str, ...]
    """Date, version and design."""
    verdicts: Counter[str]
    """How many cells of the matrix have each style."""

    def render(self) -> str:
        """Render the card; the picture shows the verdicts in proportion."""
        total = sum(self.verdicts.values())
        parts = [(style, self.verdicts[style]) for style in WORDS if self.verdicts[style]]
        said = ", ".join(f"{count} {WORDS[style]}" for style, count in parts)
        bars = "".join(f'<i class="{style}" style="flex: {count}"></i>' for style, count in parts)
        picture = f'<span class="tally" role="img" aria-label="{said}" title="{said}">{bars}</span>'
        return (
            f'<li class="card"><a href="{html.escape(self.path)}">'
            f"<strong>{html.escape(self.finding)}</strong></a>"
            f"<span>{html.escape(self.title)}</span>{picture if total else ''}"
            f"<small>{html.escape(' · '.join(self.facts))}</small></li>"
        )


def gallery(folder: Path = EXAMPLES) -> str:
    """Render the cards of a folder, the newest report first."""
    cards = sorted(_cards(folder), key=lambda card: card.facts, reverse=True)
    key = ", ".join(f'<i class="{style}"></i>{words}' for style, words in WORDS.items())
    return (
        f'<p class="key">Each bar counts verdicts: {key}.</p>\n'
        f'<ul class="gallery">{"".join(card.render() for card in cards)}</ul>\n'
    )


def _cards(folder: Path) -> Iterator[Card]:
    """Yield a card for each report; of one that is there twice, for the page."""
    for own in sorted(path for path in folder.iterdir() if path.is_dir()):
        found = [card for path in sorted(own.glob("*.html")) if (card := _of_page(path, folder))]
        yield from found or map(_of_markdown, sorted(own.glob("report.md")))


def _of_page(path: Path, folder: Path) -> Card | None:
    page = pages.document_fromstring(path.read_text(encoding="utf-8"))
    made_by = "".join(page.xpath("//meta[@name='generator']/@content"))
    if not made_by.startswith("wirelab"):
        return None
    title = _text(page.xpath("//h1")[0])
    sentences = page.xpath("//li[@class='sentence']") or page.xpath("//p[@class='lead']")
    above = _text(page.xpath("//*[@class='overline']")[0]).split(" · ")
    facts = " ".join(_text(each) for each in page.xpath("//header//li"))
    cells = page.xpath("//section[@id='answer']//td[@data-contender]/@class")
    return Card(
        path=path.relative_to(folder).as_posix(),
        finding=_finding(map(_text, sentences) if len(above) < 3 else ()) or title,
        title=above[2] if len(above) > 2 else title,
        facts=_facts(facts, made_by),
        verdicts=Counter(word for cell in cells for word in cell.split() if word in WORDS),
    )


def _of_markdown(path: Path) -> Card:
    text = path.read_text(encoding="utf-8")
    title = text.partition("\n")[0].removeprefix("# ")
    answer = text.partition("\n## The answer\n")[2].partition("\n## ")[0]
    sentences = re.findall(r"^- (.+)$", answer, re.MULTILINE)
    signs = re.findall(r"\| ([▼▽=△▲?]) ", answer)
    made_by = re.search(r"^wirelab [\d.]+\d", text, re.MULTILINE)
    about = next(line for line in text.splitlines() if line.startswith("Study "))
    return Card(
        path=f"{path.parent.name}/report.html",  # the site makes a page of it
        finding=_finding(sentences) or title,
        title=title,
        facts=_facts(about, made_by[0] if made_by else ""),
        verdicts=Counter(STYLES[sign] for sign in signs),
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
    from wirelab.analysis import analyse  # noqa: PLC0415 - the site needs only the cards
    from wirelab.bundle import Bundle  # noqa: PLC0415
    from wirelab.report import render_html, render_markdown  # noqa: PLC0415

    for path in bundles:
        page = EXAMPLES / re.sub(r"-\d{8}-\d{6}$", "", path.name) / "report.html"
        page.parent.mkdir(exist_ok=True)
        analysis = analyse(Bundle.open(path))
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
