"""The table of points in every format of a report."""

import json
from pathlib import Path

import pytest
from lxml import html

from tests.support.bundles.hostile import EVIL
from tests.support.bundles.models import ROOT, models_of
from tests.support.bundles.synthetic import copy_of, write_bundle
from wirelab.analysis import Analysis, analyse
from wirelab.bundle import Bundle
from wirelab.report import render_html, render_markdown, to_json

NAMES = ("rest-spring", "graphql-spring", "grpc-spring")


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    return write_bundle(
        tmp_path_factory.mktemp("scored") / "bundle",
        requests=600,
        path=ROOT / "studies" / "sliwa-2021",
        design="replication",
        workloads=("large", "insert"),
        loads=("fifty-users",),
        models=models_of(*NAMES),
    )


@pytest.fixture(scope="module")
def scored(bundle: Bundle) -> Analysis:
    return analyse(bundle)


def test_the_page_shows_published_and_measured_points_side_by_side(scored: Analysis) -> None:
    rows = [
        [" ".join(cell.text_content().split()) for cell in row]
        for row in html.fromstring(render_html(scored)).xpath("//table[@class='grouped']//tr")
    ]
    large = next(row for row in rows if row[0] == "3112 authors")

    assert large[1:4] == ["0", "2", "1"]
    assert [cell.split()[0] for cell in large[4:7]] == ["2", "0", "1"]
    assert all(cell.endswith("/s") for cell in large[4:7])
    assert large[7] == "gRPC > REST > GraphQL"
    assert ["total", "8", "11", "13", "–", "–", "–", ""] in rows
    assert any("6 scored" in row[0] for row in rows)


def test_markdown_has_the_same_lines(scored: Analysis) -> None:
    text = render_markdown(scored)

    assert "\n## Points" in text
    assert ": inserts | 0 | 1 | 2 | 2 | 0 | 1 |" in text
    assert "| **total** | **8** | **11** | **13** | **–** | **–** | **–** |" in text


def test_json_contains_all_points(scored: Analysis) -> None:
    (table,) = json.loads(to_json(scored))["extension"]["points"]

    assert table["labels"] == ["gRPC", "GraphQL", "REST"]
    assert (table["scored"], table["criteria"]) == (6, 12)
    first = table["groups"][0]["lines"][0]
    assert [each["measured"] for each in first["points"]] == [2.0, 0.0, 1.0]
    assert first["points"][0]["value"]["interval"]


def test_texts_of_the_bundle_cannot_become_markup(bundle: Bundle, tmp_path: Path) -> None:
    spoiled = copy_of(bundle, tmp_path / "bundle")
    file = spoiled.study_folder / "points.toml"
    text = file.read_text()
    for title in ("Points by criterion, 0 to 2, more is better", "response time", "111 authors"):
        text = text.replace(f'title = "{title}"', f"title = {json.dumps(EVIL)}")
    file.write_text(text)

    found = analyse(spoiled)
    page, markdown = render_html(found), render_markdown(found)

    assert [section.content[0].title for section in found.extension.sections] == [EVIL]
    assert not html.fromstring(page).xpath("//script[contains(., 'owned')] | //img[@onerror]")
    assert page.count("&lt;script&gt;document.title") >= 3
    assert "<script" not in markdown.replace("\\<script", "")
