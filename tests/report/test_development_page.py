"""The page of several bundles in a real browser: its words keep apart, however many there are."""

from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from wirelab.analysis import Analysis
from wirelab.analysis.development import development
from wirelab.analysis.synopsis import synopsis_of
from wirelab.report.development import development_page
from wirelab.report.palette import Palette

from .test_browser import opened


def written(analysis: Analysis, folder: Path, count: int) -> Path:
    """Write the page of a bundle that was repeated twice a day."""
    synopsis = synopsis_of(analysis)
    moments = [f"2026-11-{10 + n // 2}T{9 + n % 2:02}:00:00Z" for n in range(count)]
    several = [
        replace(synopsis, info=synopsis.info.model_copy(update={"created_utc": moment}))
        for moment in moments
    ]
    page = folder / "development.html"
    content = development_page(development(several), Palette.of_several(several))
    page.write_text(content, encoding="utf-8")
    return page


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("count", [2, 8, 12])
def test_figures_and_dates_of_many_bundles_keep_apart(
    browser: Browser, analysis: Analysis, tmp_path: Path, count: int, width: int
) -> None:
    run_over = """() => [...document.querySelectorAll(
        '.courses :is(thead th, tbody th, .who, .what, .how)')]
      .filter(it => getComputedStyle(it.closest('thead') ?? it).position !== 'absolute')
      .filter(it => it.clientWidth && it.scrollWidth > it.clientWidth + 1)
      .map(it => it.textContent.trim())"""
    path = written(analysis, tmp_path, count)
    with opened(browser, path, viewport={"width": width, "height": 900}) as (page, trouble):
        assert page.locator(".courses td .what >> visible=true").count() == 3 * 5 * count
        assert page.evaluate(run_over) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        strips = """new Set([...document.querySelectorAll('.courses .strip')]
          .map(it => Math.round(it.getBoundingClientRect().x))).size"""
        assert page.evaluate(strips) == 1  # all have one axis
        assert trouble == []
