"""Synthetic bundles and what is made of them, once for all tests."""

import shutil
from pathlib import Path

import pytest

from tests.support.chromium import browser
from wirelab.analysis import Analysis, analyse
from wirelab.bundle import Bundle
from wirelab.report import render_html

from .hostile import write_hostile
from .models import STUDY
from .small import write_small
from .synthetic import write_bundle

__all__ = ["browser"]


@pytest.fixture(scope="session")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    """Five contenders and a twin, four workloads, six blocks."""
    return write_bundle(tmp_path_factory.mktemp("six") / "bundle")


@pytest.fixture(scope="session")
def few(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    """The same with two blocks only, and short runs."""
    return write_bundle(tmp_path_factory.mktemp("two") / "bundle", blocks=2, requests=200)


@pytest.fixture(scope="session")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    """The same with twenty runs that do not count."""
    return write_bundle(tmp_path_factory.mktemp("faulty") / "bundle", invalid=20)


@pytest.fixture(scope="session")
def both(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    """Natively and in a container, with long runs for sharp percentiles left out."""
    environments = ("native", "container")
    return write_bundle(
        tmp_path_factory.mktemp("both") / "bundle", requests=500, environments=environments
    )


@pytest.fixture(scope="session")
def hostile(bundle: Bundle, tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    """The six blocks, with texts that would like to be programs."""
    return write_hostile(bundle, tmp_path_factory.mktemp("hostile") / "bundle")


@pytest.fixture(scope="session")
def hostile_page(hostile: Bundle) -> str:
    """What is made of them."""
    return render_html(analyse(hostile))


@pytest.fixture(scope="session")
def analysis(bundle: Bundle) -> Analysis:
    """What the six blocks say."""
    return analyse(bundle)


@pytest.fixture(scope="session")
def throughput(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    """What six blocks of a study say whose questions are about the throughput."""
    folder = tmp_path_factory.mktemp("throughput")
    study = shutil.copytree(STUDY, folder / "study") / "study.toml"
    text = study.read_text()
    study.write_text(
        text.replace('metric = "latency_typical_us"', 'metric = "throughput_per_s"', 1)
    )
    return analyse(write_small(folder, path=study.parent))


@pytest.fixture(scope="session")
def page(analysis: Analysis) -> str:
    """The HTML of the six blocks."""
    return render_html(analysis)


@pytest.fixture(scope="session")
def page_file(page: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page as a file for a browser."""
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(page, encoding="utf-8")
    return path
