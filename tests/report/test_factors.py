"""Comparisons of a factor: each has its own place in tables and figures."""

import shutil

import pytest
from lxml import html

from tests.support.bundles.models import STUDY
from tests.support.bundles.small import write_small
from wirelab.analysis import Analysis, analyse
from wirelab.report import render_html
from wirelab.report.figures import draw_figures
from wirelab.report.palette import Palette

QUESTION = "What does a container cost?"


@pytest.fixture(scope="module")
def proxied(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    """Two environments, each with and without a proxy."""
    folder = tmp_path_factory.mktemp("proxied")
    study = shutil.copytree(STUDY, folder / "study") / "study.toml"
    text = study.read_text().replace("\nmetric =", '\nproxies = ["none", "nginx"]\nmetric =', 1)
    study.write_text(text)
    environments = ("native", "container")
    return analyse(write_small(folder, path=study.parent, requests=120, environments=environments))


def test_each_comparison_of_a_factor_names_its_setting(proxied: Analysis) -> None:
    page = html.document_fromstring(render_html(proxied))
    (table,) = page.xpath(f"//section[@id='tables']//div[@aria-label='{QUESTION}']/table")
    where = [" ".join(each.text_content().split()) for each in table.xpath("./tbody/tr/td[2]")]

    assert sum(each.endswith(" · behind nginx") for each in where) == 3
    assert len(where) == len(set(where)) == 2 * 3
    assert "ratio of times" in table.xpath("string(./thead)")


def test_no_two_comparisons_of_a_factor_are_drawn_on_one_line(proxied: Analysis) -> None:
    (figure,) = draw_figures(proxied, Palette.from_analysis(proxied)).factors
    texts = html.fromstring(figure.wide.svg).xpath("//*[local-name()='text']/text()")

    for proxy in ("no proxy", "behind nginx"):
        assert sum(text.startswith(f"Fetch one game · {proxy} · ") for text in texts) == 1
    assert texts.count("REST") == 2
