"""A real browser for the tests of pages."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, sync_playwright

PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser")
"""The first takes a third of the CPU time for a page: it has no windows, and the same engine."""
CHROMIUM = next(filter(None, map(shutil.which, PROGRAMS)), None)

CONTRAST = "color-contrast"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium, closed with the test's module: its event loop would stop others on the thread."""
    if CHROMIUM is None:
        pytest.skip("no chromium on this machine")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


on_phone_and_desktop = pytest.mark.parametrize(
    ("width", "scheme"), [(360, "light"), (1400, "dark")], ids=["phone-light", "desktop-dark"]
)
"""Both layouts and both colour schemes, each once: axe takes seconds for the contrast of a page."""


@contextmanager
def opened(
    browser: Browser, address: str, *, own: str, patience_ms: float = 30_000, **options: Any
) -> Iterator[tuple[Page, list[str]]]:
    """Open a page; its complaints, and what it requests besides its `own` addresses, are listed."""
    context = browser.new_context(**options)
    page = context.new_page()
    trouble: list[str] = []
    page.on("console", lambda message: trouble.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: trouble.append(f"error: {error}"))
    page.on("dialog", lambda dialog: trouble.append(f"dialog: {dialog.message}"))
    page.on(
        "request",
        lambda request: (
            None
            if request.url.startswith((own, "data:"))
            else trouble.append(f"request: {request.url}")
        ),
    )
    page.goto(address, timeout=patience_ms)
    yield page, trouble
    context.close()


HIDE_ALIKE = """() => {
  const properties = ["color", "backgroundColor", "backgroundImage", "opacity", "fontSize",
    "fontWeight", "display", "visibility"];
  const looks = new Map();
  const lookOf = (element) => {
    const style = getComputedStyle(element);
    const parts = element.tagName === "svg" ? [] : [...element.children].map(lookOf);
    const look = [element.tagName, ...properties.map(name => style[name]), ...parts].join("|");
    looks.set(element, look);
    return look;
  };
  const hidden = [];
  const thin = (element) => {
    const seen = new Set();
    for (const child of element.children) {
      const look = looks.get(child);
      if (look === undefined) continue;
      if (seen.has(look)) hidden.push([child, child.style.cssText]);
      else { seen.add(look); thin(child); }
    }
  };
  lookOf(document.body);
  thin(document.body);
  hidden.forEach(([element]) => element.style.setProperty("display", "none", "important"));
  window.showAlike = () => hidden.forEach(([element, css]) => { element.style.cssText = css; });
}"""
"""Hides siblings that have the colours and fonts of another, as all that they contain has."""


def violations(page: Page) -> list[tuple[str, str, str]]:
    """Return what axe finds of any impact: the rule, an element, and why it violates the rule.

    Among siblings that look alike, it examines the contrast of one: it takes milliseconds each.
    """
    found = _violations(page, {"rules": {CONTRAST: {"enabled": False}}})
    page.evaluate(HIDE_ALIKE)
    found += _violations(page, {"runOnly": [CONTRAST]})
    page.evaluate("showAlike()")
    return found


def _violations(page: Page, options: dict[str, Any]) -> list[tuple[str, str, str]]:
    found = Axe().run(page, options={"resultTypes": ["violations"], **options})
    return [
        (each["id"], each["nodes"][0]["html"][:200], each["nodes"][0]["failureSummary"])
        for each in found.response["violations"]
    ]
