"""The page in a real browser: offline, wide and narrow, light and dark, scripts or none."""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.support import chromium

Opened = AbstractContextManager[tuple[Page, list[str]]]


def opened(browser: Browser, path: Path, **options: Any) -> Opened:
    """Open a page without network; whatever it complains of or asks for is listed."""
    return chromium.opened(browser, path.as_uri(), own=path.as_uri(), offline=True, **options)


def test_the_page_loads_nothing_and_logs_no_errors(browser: Browser, page_file: Path) -> None:
    with opened(browser, page_file) as (page, trouble):
        page.mouse.wheel(0, 20_000)
        page.wait_for_timeout(200)

        assert trouble == []
        assert page.locator("figure svg").count() >= 20
        assert page.locator(".explore").first.is_hidden() is False


def test_charts_become_interactive_on_demand(browser: Browser, page_file: Path) -> None:
    with opened(browser, page_file, viewport={"width": 1400, "height": 900}) as (page, trouble):
        figure = page.locator("#figure-forest")
        assert page.evaluate("typeof window.vegaEmbed") == "undefined"

        figure.hover()
        figure.locator(".explore").click()
        page.wait_for_selector("#figure-forest.alive")
        mark = figure.locator(".drawing.wide path[aria-roledescription=point]").first
        box = mark.bounding_box()
        assert box is not None
        page.mouse.move(box["x"] + box["width"] / 2 + 10, box["y"] + box["height"] / 2)
        page.wait_for_selector("#vg-tooltip-element.visible")

        key, value = (
            page.locator(f"#vg-tooltip-element td.{name}").first for name in ("key", "value")
        )
        beside = (key.bounding_box(), value.bounding_box())
        assert all(beside)
        assert abs(beside[0]["y"] - beside[1]["y"]) < 3  # type: ignore[index]
        tooltip = page.locator("#vg-tooltip-element").inner_text()
        assert "GraphQL" in tooltip
        assert "clearly slower" in tooltip
        assert figure.locator(".explore").count() == 0
        assert trouble == []


def test_all_charts_can_be_made_interactive_at_once(browser: Browser, page_file: Path) -> None:
    with opened(browser, page_file) as (page, trouble):
        figures = page.locator("figure.chart").count()

        page.click("#explore-all")
        page.wait_for_selector("#explore-all", state="hidden")

        assert page.locator("figure.chart.alive").count() == figures
        assert trouble == []


def test_an_interactive_chart_looks_like_the_static_one(browser: Browser, page_file: Path) -> None:
    measure = """() => [...document.querySelectorAll('#figure-forest .drawing.wide svg text')]
        .map(text => [text.textContent, getComputedStyle(text).fill])"""
    with opened(browser, page_file, viewport={"width": 1400, "height": 900}) as (page, _):
        still = page.evaluate(measure)
        page.locator("#figure-forest").hover()
        page.locator("#figure-forest .explore").click()
        page.wait_for_selector("#figure-forest.alive")

        assert sorted(page.evaluate(measure)) == sorted(still)


def test_the_page_can_be_read_without_scripts(browser: Browser, page_file: Path) -> None:
    with opened(browser, page_file, java_script_enabled=False) as (page, _):
        assert page.locator(".sentence").first.is_visible()
        assert page.locator("#figure-forest svg >> visible=true").count() == 1
        assert page.locator(".explore >> visible=true").count() == 0
        assert page.locator("#explore-all >> visible=true").count() == 0


@pytest.mark.parametrize("width", [320, 420, 768, 1100, 1400])
def test_no_window_is_too_narrow(browser: Browser, page_file: Path, width: int) -> None:
    with opened(browser, page_file, viewport={"width": width, "height": 800}) as (page, _):
        page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
        widths = page.evaluate(
            "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
        )

        assert widths[0] <= widths[1]
        drawn = page.locator("#figure-forest svg >> visible=true")
        assert drawn.count() == 1
        box = drawn.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width


def test_the_contents_stay_in_sight_on_wide_windows(browser: Browser, page_file: Path) -> None:
    with opened(browser, page_file, viewport={"width": 1500, "height": 900}) as (page, _):
        page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
        page.evaluate("document.getElementById('claims').scrollIntoView({behavior: 'instant'})")
        page.wait_for_selector(".contents a.here[href='#claims']")
        box = page.locator(".contents").bounding_box()

        assert box is not None
        assert 0 <= box["y"] < 200
        content = page.locator(".page").bounding_box()
        assert content is not None
        assert box["x"] + box["width"] <= content["x"]


CONTRASTS = """() => {
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = ([r, g, b]) => [r, g, b]
    .map(v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const colour = rgba(getComputedStyle(e).backgroundColor);
      if (colour[3] === 255) return colour;
    }
    return [255, 255, 255];
  };
  const worst = {};
  const note = (kind, colour, element) => {
    const [a, b] = [light(rgba(colour)), light(behind(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (!(ratio >= (worst[kind]?.[0] ?? Infinity)))
      worst[kind] = [ratio, colour, element.textContent.slice(0, 40)];
  };
  const all = (selector) => document.querySelectorAll(selector);
  const words = 'p, td, th, li, h1, h2, h3, dd, dt, a, summary, figcaption, span, small, strong';
  const speaks = (e) => [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
  for (const e of all(words)) if (speaks(e)) note('words', getComputedStyle(e).color, e);
  for (const e of all('svg text')) note('charts', getComputedStyle(e).fill, e);
  for (const e of all('.dot')) note('dots', getComputedStyle(e).fill, e.parentElement);
  return worst;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everything_can_be_read_in_light_and_dark(
    browser: Browser, page_file: Path, scheme: str
) -> None:
    with opened(browser, page_file, color_scheme=scheme) as (page, _):
        page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
        worst = page.evaluate(CONTRASTS)
        paper = page.evaluate("getComputedStyle(document.body).backgroundColor")

    assert (paper == "rgb(253, 253, 252)") == (scheme == "light")
    assert worst["words"][0] >= 4.5, worst["words"]
    assert worst["charts"][0] >= 4.0, worst["charts"]  # bold names of lines among them
    assert worst["dots"][0] >= 3.0, worst["dots"]


def test_on_paper_the_page_is_black_on_white_with_claims_and_figures(
    browser: Browser, page_file: Path
) -> None:
    with opened(browser, page_file, color_scheme="dark") as (page, _):
        page.emulate_media(media="print")

        assert page.locator(".contents").is_hidden()
        assert page.locator("#claims .claim").first.is_visible()
        assert page.locator("#tables table").first.is_visible()
        assert page.locator("#rules").is_hidden()
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == (
            "rgb(255, 255, 255)"
        )
        assert len(page.pdf()) > 50_000


def test_hostile_text_runs_nothing(browser: Browser, hostile_page: str, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(hostile_page, encoding="utf-8")

    with opened(browser, path) as (page, trouble):
        page.click("#explore-all")
        page.wait_for_selector("#explore-all", state="hidden")

        assert trouble == []
        assert page.title().startswith("<script>")
        assert page.locator("figure.chart.alive").count() > 20
