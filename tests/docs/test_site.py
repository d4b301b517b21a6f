"""The documentation as a site: complete, and readable without a network."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from lxml import html
from playwright.sync_api import Browser

ROOT = Path(__file__).resolve().parents[2]


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
    example = site / "examples" / "kaminski-2022-smoke" / "report.html"
    pages = [path for path in site.rglob("*.html") if path != example]
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


def test_the_search_finds_a_word_in_pages_opened_as_files(site: Path, browser: Browser) -> None:
    page = browser.new_context(offline=True).new_page()
    page.goto((site / "index.html").as_uri())
    page.locator("input.md-search__input").first.click()
    page.keyboard.type("coordinated omission")
    found = page.locator(".md-search-result__link[href*='glossary.html']").first
    found.wait_for(timeout=20_000, state="attached")
