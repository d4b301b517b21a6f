"""The page as a document: complete, self-contained, safe, small."""

import base64
import gzip
import hashlib
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import altair as alt
import pytest
from jsonschema import Draft7Validator  # type: ignore[import-untyped]
from lxml import html
from lxml.html import HtmlElement

from tests.support.bundles.small import write_small
from tests.support.wording import assert_worded
from wirelab.analysis import Analysis, analyse
from wirelab.analysis.answers.headline import MOST_SENTENCES, opening
from wirelab.bundle import Bundle
from wirelab.claims import not_measured
from wirelab.report import render_html, to_json

MEGABYTE = 1_000_000


@pytest.fixture(scope="module")
def document(page: str) -> HtmlElement:
    return html.document_fromstring(page)


def text_of(document: HtmlElement, selector: str = "//body") -> str:
    return " ".join(" ".join(node.text_content().split()) for node in document.xpath(selector))


def specifications(part: HtmlElement) -> list[Any]:
    """What charts are drawn from: compressed, so that no text of a bundle is in a script."""
    packed = part.xpath(".//script[@type='application/gzip']/text()")
    return [json.loads(gzip.decompress(base64.b64decode(text))) for text in packed]


def test_the_answer_comes_first(document: HtmlElement, analysis: Analysis) -> None:
    def sentences(where: str) -> list[str]:
        return [" ".join(each.text_content().split()) for each in document.xpath(where)]

    opens = opening(analysis)
    expected = [[" ".join(it.split()) for it in them] for them in (opens.sentences, opens.folded)]

    assert document.xpath("//section")[0].get("id") == "answer"
    assert 1 <= len(opens.sentences) <= MOST_SENTENCES
    assert {answer.sentence for answer in analysis.answers} >= {*opens.folded}
    assert sentences("//header//li[@class='sentence']") == expected[0]
    assert sentences("//section[@id='answer']//li[@class='sentence']") == expected[1]


def test_every_part_exists_and_is_in_the_contents(document: HtmlElement) -> None:
    sections = [section.get("id") for section in document.xpath("//section")]
    links = [link.get("href").removeprefix("#") for link in document.xpath("//nav//a")]

    assert sections == links
    assert sections == [
        "answer",
        "differences",
        "threats",
        "claims",
        "tables",
        "distributions",
        "bytes",
        "cpu",
        "paper",
        "design",
        "rerun",
        "rules",
    ]


def test_marks_of_runs_are_not_compared_instead_of_blocks(document: HtmlElement) -> None:
    heading = "//section[@id='distributions']//h3[.='Variation between blocks']"

    assert_worded(text_of(document, f"{heading}/following-sibling::p[1]"))


def test_all_settings_contenders_and_claims_are_shown(
    document: HtmlElement, analysis: Analysis
) -> None:
    tables = {t.get("aria-label"): t for t in document.xpath("//div[@class='table']")}
    for setting in analysis.settings:
        rows = tables[f"Results: {setting.title}"].xpath(".//tbody/tr")
        assert [r.xpath("string(.//strong)") for r in rows] == [
            row.summary.label for row in setting.rows
        ]
    claims = text_of(document, "//section[@id='claims']")
    for claim in analysis.paper.claims:
        assert claims.count(claim.text) == 1  # also if the paper's own tables were checked for it
        assert claim.id in claims
    assert not_measured(analysis.paper.claims) in claims
    for finding in analysis.paper.consistency:
        assert (finding.claim or finding.text) in claims
    for test in (test for claim in analysis.paper.claims for test in claim.tests):
        assert test.expected.split(" · ")[0] in claims
        assert not any(name in test.expected for name in analysis.contenders), "short names"
    contenders = text_of(document, "//section[@id='rerun']")
    for name, record in analysis.contenders.items():
        assert name in contenders
        for package, version in record.versions["native"].items():
            assert f"{package} {version}" in contenders


def test_a_verdict_is_words_and_never_colour_alone(document: HtmlElement) -> None:
    verdicts = document.xpath("//span[contains(concat(' ', @class, ' '), ' verdict ')]")

    assert len(verdicts) > 50
    for verdict in verdicts:
        assert verdict.text_content().strip()


def test_the_page_contains_what_is_needed_to_cite_and_rerun(
    document: HtmlElement, bundle: Bundle
) -> None:
    rerun = text_of(document, "//section[@id='rerun']")

    for fact in (
        "wirelab run kaminski-2022 --design lab --seed 7",
        "seed 7",
        bundle.digest,
        "Linux 6.1",
        "workers = 1",
        "10.48550/arXiv.2212.07475",
    ):
        assert str(fact) in rerun
    assert "/somewhere/else" not in rerun  # a bundle is written once


def test_charts_are_real_drawings_with_a_description(document: HtmlElement) -> None:
    drawings = document.xpath("//div[contains(@class, 'drawing')]")

    assert len(drawings) == len(document.xpath("//figure//svg")) >= 20
    for drawing in drawings:
        (svg,) = drawing.xpath("./svg")
        (spec,) = specifications(drawing)
        assert len(svg.xpath(".//path | .//line | .//text")) > 10
        assert svg.get("aria-label") == spec["description"] != ""
        assert svg.get("viewbox") or svg.get("viewBox")


def test_specifications_are_valid_vega_lite(document: HtmlElement) -> None:
    schema = Draft7Validator(alt.load_schema())
    for specification in specifications(document):
        schema.validate(specification)

    assert not schema.is_valid({"mark": "no such mark", "encoding": {}})


def test_charts_take_their_colours_from_the_page(page: str) -> None:
    for svg in re.findall(r"<svg.*?</svg>", page, re.DOTALL):
        colours = set(re.findall(r'(?:fill|stroke)="([^"]*)"', svg))
        assert all(
            value in {"none", "transparent"} or value.startswith(("var(--", "url(#"))
            for value in colours
        ), colours


def test_one_hue_belongs_to_one_contender(page: str) -> None:
    forest = re.search(r'id="figure-forest".*?<svg.*?</svg>', page, re.DOTALL)
    assert forest is not None

    hues = set(re.findall(r'<path [^>]*fill="var\(--(\w+)\)"', forest[0]))

    assert {"c1", "c2", "c3", "c4"} <= hues
    assert "c0" not in hues  # the baseline is the line at 1, not a mark


def test_the_page_loads_nothing(document: HtmlElement) -> None:
    for attribute in ("src", "href", "action", "data", "poster", "srcset"):
        for value in document.xpath(f"//@{attribute}"):
            assert value.startswith(("#", "data:"))
    style = "".join(document.xpath("//style/text()"))
    assert "url(" not in style
    assert "@import" not in style


def test_only_scripts_of_the_page_run(page: str, document: HtmlElement) -> None:
    (policy,) = document.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    (packed,) = document.xpath("//script[@id='vega-program']/text()")
    program = gzip.decompress(base64.b64decode(packed))
    (own,) = document.xpath("//script[not(@type)]/text()")

    for script in (own.encode(), program):
        digest = base64.b64encode(hashlib.sha256(script).digest()).decode()
        assert f"'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy
    assert "unsafe-eval" not in policy
    assert "script-src 'unsafe-inline'" not in policy
    assert not [name for name in document.xpath("//@*") if str(name).startswith("javascript:")]
    assert not document.xpath("//*[@onclick or @onload or @onerror]")
    assert page.count("<script>") == 1


def test_ids_are_unique(document: HtmlElement) -> None:
    repeated = [name for name, n in Counter(document.xpath("//@id")).items() if n > 1]

    assert repeated == []


def test_the_page_is_small(page: str, both_analysis: Analysis) -> None:
    assert len(page.encode()) < 2 * MEGABYTE
    assert len(render_html(both_analysis).encode()) < 3 * MEGABYTE


@pytest.mark.parametrize("requests", [5, 10, 25])
def test_a_handful_of_requests_still_makes_a_page(tmp_path: Path, requests: int) -> None:
    bundle = write_small(tmp_path, requests=requests, blocks=1, permutations=5)
    page = html.document_fromstring(render_html(analyse(bundle)))

    assert ("to draw percentiles" in text_of(page)) == (requests < 20)
    assert bool(page.xpath("//figure[starts-with(@id, 'figure-spectrum')]")) == (requests >= 20)
    heads = {cell.text_content() for cell in page.xpath("//section[@id='tables']//th")}
    assert {"typical time, ms", "mean, ms"} <= heads
    assert "p99" not in heads  # nothing could stand in such a column


def test_the_same_bundle_makes_the_same_page(page: str, bundle: Bundle) -> None:
    assert render_html(analyse(bundle)) == page


def test_downloads_hold_the_findings(document: HtmlElement, analysis: Analysis) -> None:
    links = {link.get("download"): link.get("href") for link in document.xpath("//a[@download]")}
    table, findings = (
        base64.b64decode(links[f"{analysis.info.id}.{ending}"].split(",", 1)[1])
        for ending in ("csv", "json.gz")
    )

    rows = sum(len(setting.rows) for setting in analysis.settings)
    assert table.decode().count("\n") == 1 + rows
    assert gzip.decompress(findings).decode() == to_json(analysis)


def test_text_of_a_bundle_is_never_markup(hostile_page: str) -> None:
    document = html.document_fromstring(hostile_page)

    assert text_of(document, "//section[@id='rerun']").count("{{ 7 * 7 }}") >= 10
    assert not document.xpath("//img")
    assert len(document.xpath("//script[not(@type)]")) == 1
    assert not document.xpath("//*[@onerror]")
    assert len(specifications(document)) >= 20


def test_ties_are_explained_beside_numbers_of_groups_only(
    page: str, few_analysis: Analysis
) -> None:
    tie, numbered = "marks a tie", re.compile(r'<span class="place">\d')

    without = render_html(few_analysis)

    assert tie in page
    assert numbered.search(page)
    assert tie not in without
    assert not numbered.search(without)
