"""The pages in a real browser: wide and narrow, light and dark, by keyboard, without scripts."""

import re
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support import chromium
from tests.support.chromium import on_phone_and_desktop, violations
from wirelab.bundle import Bundle

from .library import another
from .serving import Serving, browsing, ids


@pytest.fixture(scope="module")
def serving(
    bundle: Bundle, slower: Bundle, hostile: Bundle, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Serving]:
    """Two bundles, a hostile one, a broken one and one that was altered; all are read."""
    folder = tmp_path_factory.mktemp("library")
    another(bundle, folder / "first", created_utc="2026-11-20T09:00:00Z")
    another(slower, folder / "second", created_utc="2026-11-21T09:00:00Z")
    another(hostile, folder / "hostile")
    another(bundle, folder / "broken", format="wirelab-bundle/9")
    another(bundle, folder / "altered", seal=False, created_utc="2026-11-19T09:00:00Z")
    with browsing(folder, tmp_path_factory.mktemp("cache")) as serving:
        serving.all_read()
        yield serving


def opened(
    browser: Browser, serving: Serving, path: str = "", **options: Any
) -> AbstractContextManager[tuple[Page, list[str]]]:
    """Open a page; whatever it complains of or asks of others is listed."""
    return chromium.opened(browser, f"{serving.address}{path}", own=serving.address, **options)


def compared(serving: Serving) -> str:
    """Return the address of the two that can be compared."""
    first, second = ids(serving.get("/?q=first")) + ids(serving.get("/?q=second"))
    return f"compare?b={first}&b={second}"


@on_phone_and_desktop
def test_axe_finds_nothing_and_no_window_is_too_narrow(
    browser: Browser, serving: Serving, scheme: str, width: int
) -> None:
    viewport = {"width": width, "height": 800}
    for path in ("", "?q=nothing", compared(serving), "bundle/none"):
        with opened(browser, serving, path, viewport=viewport, color_scheme=scheme) as (page, _):
            widths = page.evaluate(
                "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
            )

            assert widths[0] <= widths[1], path
            assert violations(page) == [], path


def test_pages_load_nothing_from_other_servers_and_log_no_errors(
    browser: Browser, serving: Serving
) -> None:
    for path in ("", compared(serving)):
        with opened(browser, serving, path) as (page, trouble):
            page.wait_for_load_state("networkidle")

            assert trouble == []


def test_a_report_opens_becomes_interactive_and_links_back(
    browser: Browser, serving: Serving
) -> None:
    with opened(browser, serving) as (page, trouble):
        page.click("text=first >> xpath=ancestor::li >> h2 a")
        page.wait_for_selector("#figure-forest", timeout=120_000)
        figure = page.locator("#figure-forest")
        figure.hover()
        figure.locator(".explore").click()
        page.wait_for_selector("#figure-forest.alive")
        assert trouble == []

        page.click("text=All results")
        page.wait_for_selector("ol.entries")
        assert page.url == serving.address


def test_two_bundles_are_compared_by_keyboard_alone(browser: Browser, serving: Serving) -> None:
    with opened(browser, serving) as (page, _):
        for name in ("first", "second"):
            page.locator(f"[aria-label='Compare {name}']").focus()
            page.keyboard.press("Space")
        for _ in range(60):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.textContent") == "Compare":
                break
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
        page.keyboard.press("Enter")
        page.wait_for_selector("table.courses")

        assert "verdict changed in 1" in page.locator(".lead").inner_text()


def test_the_bar_does_not_cover_the_focused_element(browser: Browser, serving: Serving) -> None:
    size = {"width": 360, "height": 500}
    with opened(browser, serving, viewport=size, reduced_motion="reduce") as (page, _):
        bar = page.locator(".together")
        for link in page.locator(".entry h2 a").all():
            link.focus()
            page.wait_for_timeout(50)
            boxes = [link.bounding_box(), bar.bounding_box()]
            assert boxes[0] is not None
            assert boxes[1] is not None
            assert boxes[0]["y"] + boxes[0]["height"] <= boxes[1]["y"] + 1
            assert boxes[1]["y"] + boxes[1]["height"] <= 501


def test_search_and_compare_work_without_scripts(browser: Browser, serving: Serving) -> None:
    with opened(browser, serving, java_script_enabled=False) as (page, _):
        page.fill("input[name=q]", "clearly")
        page.click("text=Show")
        page.wait_for_url(re.compile(r"q=clearly"))
        for name in ("first", "second"):
            page.check(f"[aria-label='Compare {name}']")
        page.click(".together button")
        page.wait_for_selector("table.courses")


def test_bundles_appear_in_the_list_as_they_are_read(
    browser: Browser, bundle: Bundle, tmp_path: Path
) -> None:
    another(bundle, tmp_path / "library" / "only")
    with (
        browsing(tmp_path / "library", tmp_path / "cache") as serving,
        opened(browser, serving) as (page, trouble),
    ):
        box = page.locator("[aria-label='Compare only']")
        box.check()
        expect(page.locator(".glance")).to_be_visible(timeout=60_000)

        assert page.locator("[aria-label='Compare only']").is_checked()
        expect(page.locator("#progress")).to_have_text("", timeout=10_000)
        assert trouble == []


def test_a_comparison_waits_for_unread_bundles_and_continues_by_itself(
    browser: Browser, bundle: Bundle, slower: Bundle, tmp_path: Path
) -> None:
    another(bundle, tmp_path / "library" / "a")
    another(slower, tmp_path / "library" / "b")
    with browsing(tmp_path / "library", tmp_path / "cache") as serving:
        names = ids(serving.get("/"))
        path = f"compare?b={names[0]}&b={names[1]}"
        with opened(browser, serving, path) as (page, _):
            page.wait_for_selector("table.courses", timeout=60_000)


def test_hostile_text_runs_nothing(browser: Browser, serving: Serving) -> None:
    (name,) = ids(serving.get("/?q=hostile"))
    (whole,) = ids(serving.get("/?q=first"))
    serving.ready(f"/bundle/{name}")
    for path in ("", f"bundle/{name}", f"compare?b={name}&b={whole}"):
        with opened(browser, serving, path) as (page, trouble):
            page.wait_for_timeout(200)

            assert trouble == []
            assert page.title() != "owned"
            assert page.url.startswith(serving.address)


def test_a_report_cannot_reach_the_pages_around_it(browser: Browser, serving: Serving) -> None:
    (name,) = ids(serving.get("/?q=first"))
    serving.ready(f"/bundle/{name}")
    with opened(browser, serving, f"bundle/{name}") as (page, _):
        assert page.evaluate("window.origin") == "null"


def test_ten_browsers_at_once(browser: Browser, serving: Serving) -> None:
    contexts = [browser.new_context() for _ in range(10)]
    pages = [context.new_page() for context in contexts]
    for page in pages:
        page.goto(serving.address, wait_until="commit")
    for page in pages:
        expect(page.locator("li.entry")).to_have_count(5)
    for context in contexts:
        context.close()


def test_the_page_reports_a_server_that_ended(
    browser: Browser, bundle: Bundle, tmp_path: Path
) -> None:
    many = tmp_path / "library"
    for number in range(30):
        another(bundle, many / f"{number}")
    with browsing(many, tmp_path / "cache") as serving:
        context = browser.new_context()
        page = context.new_page()
        page.goto(serving.address)
        page.wait_for_selector("[data-unread]")
    expect(page.locator("#progress")).to_contain_text("The server has ended", timeout=20_000)
    context.close()
