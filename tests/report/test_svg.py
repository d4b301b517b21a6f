"""The SVG of a chart is made small for the page, and looks the same."""

import base64
import re
from pathlib import Path

import pytest
from lxml import etree
from playwright.sync_api import Browser, Page

from tests.support.bundles.capacities import write_capacities
from wirelab.analysis import Analysis, analyse
from wirelab.report.charts.forest import forest, panels_of
from wirelab.report.charts.scales import Picture
from wirelab.report.charts.session import drift, schedule_grid
from wirelab.report.palette import Palette
from wirelab.report.svg import tidy
from wirelab.report.vega import to_svg

RAW = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 80" width="120" height="80"
 class="marks">
<g fill="none"><g transform="translate(0,0)"><g class="mark-symbol" role="graphics-object">
<path role="graphics-symbol" aria-label="contender: REST; value: 3; block: 2"
 transform="translate(10.123,20.987)"
 d="M2.5,0A2.5,2.5,0,1,1,-2.5,0A2.5,2.5,0,1,1,2.5,0"
 fill="var(--c1)" stroke-width="2" opacity="1"/>
<path role="graphics-symbol" aria-label="contender: gRPC; value: 4"
 transform="translate(30,-0.04)"
 d="M2.5,0A2.5,2.5,0,1,1,-2.5,0A2.5,2.5,0,1,1,2.5,0"
 fill="var(--c1)" stroke-width="2" opacity="0.5"/>
</g><g><path d="M0,0" opacity="0" fill="red"/></g>
<g><line x2="5.555" stroke="var(--line)" stroke-width="1"/></g></g></g></svg>"""


SIDES = ("width", "height")
STYLE = """* { margin: 0; font-family: sans-serif; --ink: #111; --ink-soft: #555; --line: #ccc;
  --paper: #fff; --zone: #eee; --c0: #c00; --c1: #080; --c2: #00c; --c3: #990; --c4: #099; }
svg { display: block; }"""
DIFFERENT = """async (images) => {
  const [one, other] = await Promise.all(images.map(async (image) => {
    const drawn = new Image();
    drawn.src = `data:image/png;base64,${image}`;
    await drawn.decode();
    const context = new OffscreenCanvas(drawn.width, drawn.height).getContext("2d");
    context.drawImage(drawn, 0, 0);
    return context.getImageData(0, 0, drawn.width, drawn.height).data;
  }));
  const differ = (place) => [0, 1, 2].some((c) => Math.abs(one[place + c] - other[place + c]) > 60);
  const pixels = Array.from({ length: one.length / 4 }, (_, pixel) => 4 * pixel);
  return pixels.filter(differ).length / pixels.length;
}"""
"""The share of pixels in which two images clearly differ."""


def test_attributes_that_a_page_does_not_need_are_left_out() -> None:
    svg, width = tidy(RAW, "name", "what it shows", {"contender", "value"})

    assert width == 120
    assert re.sub(r">\s+<", "><", svg) == (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 80" role="img"'
        ' aria-label="what it shows">'
        '<g fill="none"><g fill="var(--c1)">'
        '<circle transform="translate(10.1,21)" r="2.5"><title>contender: REST\nvalue: 3</title>'
        "</circle>"
        '<circle transform="translate(30,0)" opacity="0.5" r="2.5">'
        "<title>contender: gRPC\nvalue: 4</title></circle></g>"
        '<line x2="5.6" stroke="var(--line)"/></g></svg>'
    )


def test_words_at_the_edges_widen_the_drawing() -> None:
    raw = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 50" width="100" height="50">
    <g transform="translate(80,10)"><text font-size="10px" font-weight="600">clearly slower</text>
    </g><text text-anchor="end" transform="translate(30,10)" font-size="10px">WebSocket</text>
    <text text-anchor="end" transform="translate(5,40)rotate(-90)" font-size="10px">time</text>
    </svg>"""

    svg, width = tidy(raw, "name", "what it shows", set())

    left, _, wide, height = map(float, re.findall(r'viewBox="([^"]*)"', svg)[0].split())
    assert (left, height) == (-26, 50)
    assert left + wide == width + left == 181


def pictures(analysis: Analysis) -> dict[str, Picture]:
    palette = Palette.from_analysis(analysis)
    panels = panels_of(analysis.settings, palette)
    return {
        "forest": forest(panels, palette, 0.05, 470, is_wide=True),
        "schedule": schedule_grid(analysis, palette, 760),
        "drift": drift(analysis, palette, 760),
    }


def test_rates_are_less_or_more_in_narrow_windows_too(tmp_path: Path) -> None:
    analysis = analyse(write_capacities(tmp_path / "bundle"))
    palette = Palette.from_analysis(analysis)
    drawn = forest(panels_of(analysis.settings, palette), palette, 0.05, 200, is_wide=False)

    shown = re.findall(r'"verdict": "([^"]*)"', drawn.to_json())
    assert set(shown) == {"clearly less", "clearly more"}


@pytest.mark.parametrize("name", ["forest", "schedule", "drift"])
def test_it_looks_as_before_and_is_smaller(browser: Browser, analysis: Analysis, name: str) -> None:
    spec = pictures(analysis)[name].to_dict()
    raw = to_svg(spec)
    small, _ = tidy(raw, name, name, set())
    drawn = etree.fromstring(raw.encode())
    drawn.set("viewBox", etree.fromstring(small.encode()).get("viewBox"))
    raw = etree.tostring(drawn, encoding="unicode")
    width, height = (round(float(etree.fromstring(raw.encode()).get(side))) for side in SIDES)
    sized = small.replace("<svg ", f'<svg width="{width}" height="{height}" ', 1)

    with browser.new_page(viewport={"width": width, "height": height}) as page:
        images = [screenshot(page, svg) for svg in (raw, sized)]
        different = page.evaluate(DIFFERENT, images)

    assert len(small) < 0.75 * len(raw)
    assert different < 0.005


def screenshot(page: Page, svg: str) -> str:
    page.set_content(f"<style>{STYLE}</style>{svg}")
    return base64.b64encode(page.screenshot()).decode()
