"""A real browser for the tests of pages."""

import shutil
from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, sync_playwright

PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser")
"""The first takes a third of the CPU time for a page: it has no windows, and the same engine."""
CHROMIUM = next(filter(None, map(shutil.which, PROGRAMS)), None)


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


def serious_violations(page: Page) -> list[tuple[str, str, str]]:
    """Return what axe finds that is serious: the rule, an element, and why it violates the rule."""
    return [
        (each["id"], each["nodes"][0]["html"][:200], each["nodes"][0]["failureSummary"])
        for each in Axe().run(page).response["violations"]
        if each["impact"] in ("serious", "critical")
    ]
