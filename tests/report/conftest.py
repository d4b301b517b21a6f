"""Synthetic bundles and what is made of them, once for all tests."""

from pathlib import Path

import pytest

from tests.support.bundles.fixtures import (
    Shared,
    analysis,
    both,
    both_analysis,
    bundle,
    faulty,
    few,
    few_analysis,
    many,
    page,
    shared,
    three,
    throughput,
)
from tests.support.bundles.hostile import write_hostile
from tests.support.chromium import browser
from wirelab.analysis import Analysis, analyse
from wirelab.bundle import Bundle
from wirelab.report import render_html

__all__ = [
    "analysis",
    "both",
    "both_analysis",
    "browser",
    "bundle",
    "faulty",
    "few",
    "few_analysis",
    "many",
    "page",
    "shared",
    "three",
    "throughput",
]


@pytest.fixture(scope="session")
def hostile(shared: Shared, bundle: Bundle) -> Bundle:
    """The six blocks, with texts that would like to be programs."""
    return shared.once("hostile", lambda folder: write_hostile(bundle, folder / "bundle"))


@pytest.fixture(scope="session")
def hostile_analysis(shared: Shared, hostile: Bundle) -> Analysis:
    """What is found in them."""
    return shared.once("hostile_analysis", lambda _: analyse(hostile))


@pytest.fixture(scope="session")
def hostile_page(shared: Shared, hostile_analysis: Analysis) -> str:
    """What is made of them."""
    return shared.once("hostile_page", lambda _: render_html(hostile_analysis))


@pytest.fixture(scope="session")
def page_file(page: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page as a file for a browser."""
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(page, encoding="utf-8")
    return path
