"""The page in a real browser: it fits a phone and a desktop, and can be read in light and dark."""

from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser

from tests.replication.conftest import Replicated
from tests.support.chromium import on_phone_and_desktop, violations
from wirelab.replication.agreement import agreement_with
from wirelab.replication.page import Replication, write_page


@pytest.fixture(scope="module")
def file(once: Replicated, tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = [once.findings]
    page = Replication(
        found, {"sliwa-2021": "no java"}, ["muppaneni"], "wirelab replicate",
        agreement_with(found, found, "first"),
    )  # fmt: skip
    return write_page(page, tmp_path_factory.mktemp("page"))["html"]


@on_phone_and_desktop
def test_everything_can_be_read_and_nothing_is_too_wide(
    browser: Browser, file: Path, width: int, scheme: Literal["light", "dark"]
) -> None:
    context = browser.new_context(
        offline=True, viewport={"width": width, "height": 800}, color_scheme=scheme
    )
    page = context.new_page()
    trouble: list[str] = []
    page.on("console", lambda message: trouble.append(message.text))
    page.goto(file.as_uri())

    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for state in ("false", "true"):
        page.evaluate(f"document.querySelectorAll('details').forEach(d => d.open = {state})")
        assert violations(page) == [], state
    assert trouble == []
    context.close()
