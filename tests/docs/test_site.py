"""The documentation as a site: complete, and readable without a network."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Literal

import pytest
from lxml import html
from playwright.sync_api import Browser

from tests.support.chromium import on_phone_and_desktop, violations

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "docs" / "examples"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built strictly: a broken link or a page that no menu has is an error."""
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--site-dir", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder


def test_pages_load_nothing_from_other_hosts(site: Path) -> None:
    reports = {site / "examples" / path.relative_to(EXAMPLES) for path in EXAMPLES.rglob("*.html")}
    pages = [path for path in site.rglob("*.html") if path not in reports]
    assert len(pages) > 30
    for path in pages:
        page = html.document_fromstring(path.read_text(encoding="utf-8"))
        loaded = page.xpath("//script/@src | //link[@rel='stylesheet']/@href | //img/@src")
        assert not [source for source in loaded if re.match(r"(https?:)?//", source)], path


def test_contributor_pages_lead_to_pages_of_the_site(site: Path) -> None:
    page = html.document_fromstring((site / "contributing" / "guide.html").read_text())
    links = page.xpath("//article//a[not(starts-with(@href, '#'))]/@href")

    assert "architecture.html#layers" in links
    for link in links:
        if not link.startswith("http"):
            assert (site / "contributing" / link.partition("#")[0]).exists(), link


def test_the_first_page_shows_a_matrix_and_three_ways_on(site: Path, browser: Browser) -> None:
    for scheme in ("light", "dark"):
        page = browser.new_context(offline=True, color_scheme=scheme).new_page()
        page.goto((site / "index.html").as_uri())
        pictures = page.locator("article p > img >> visible=true")
        assert pictures.count() == 1
        assert pictures.evaluate("it => it.naturalWidth") > 1000
        assert len(page.locator(".ways h2").all()) == 3
        assert violations(page) == []


def test_the_gallery_has_a_card_for_each_report(site: Path, browser: Browser) -> None:
    page = browser.new_context(offline=True).new_page()
    page.goto((site / "examples" / "index.html").as_uri())
    cards = page.locator(".gallery .card")

    assert cards.count() >= len(list(EXAMPLES.glob("*/*.html"))) > 0
    for card in cards.all():
        date, made_by, *_ = card.locator("small").inner_text().split(" · ")
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", date)
        assert made_by.startswith("wirelab ")
        address = str(card.locator("a").get_attribute("href")).partition("#")[0]
        assert (site / "examples" / address).exists()
    assert violations(page) == []


@on_phone_and_desktop
def test_axe_finds_nothing_on_pages_with_tables_and_code(
    site: Path, browser: Browser, width: int, scheme: Literal["light", "dark"]
) -> None:
    for path in ("tutorial.html", "methods.html", "reference/study-file.html"):
        context = browser.new_context(
            offline=True, color_scheme=scheme, viewport={"width": width, "height": 900}
        )
        page = context.new_page()
        page.goto((site / path).as_uri())
        assert violations(page) == [], path
        context.close()


def test_a_command_is_copied_without_its_prompt(site: Path, browser: Browser) -> None:
    allowed = ["clipboard-read", "clipboard-write"]
    page = browser.new_context(offline=True, permissions=allowed).new_page()
    page.goto((site / "tutorial.html").as_uri())
    page.locator(".highlight", has_text="make setup").locator("button").first.click()

    assert page.evaluate("navigator.clipboard.readText()").splitlines() == [
        "make setup",
        ".venv/bin/wirelab doctor",
    ]


def test_the_search_finds_a_word_in_pages_opened_as_files(site: Path, browser: Browser) -> None:
    page = browser.new_context(offline=True).new_page()
    page.goto((site / "index.html").as_uri())
    page.locator("input.md-search__input").first.click()
    page.keyboard.type("coordinated omission")
    found = page.locator(".md-search-result__link[href*='glossary.html']").first
    found.wait_for(timeout=20_000, state="attached")
