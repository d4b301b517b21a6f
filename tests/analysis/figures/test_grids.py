"""What is due to the language and what to the protocol, in every format of a report."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from lxml import html

from tests.support.bundles.models import ROOT, models_of
from tests.support.bundles.small import render_texts
from tests.support.bundles.synthetic import write_bundle
from wirelab.analysis import Analysis, analyse
from wirelab.report import render_markdown, to_json
from wirelab.report.markdown import cell_text

PYTHON = ("rest-fastapi", "graphql-graphene", "grpc-aio")
GO = ("rest-chi", "graphql-gqlgen", "grpc-go")
STUDY = ROOT / "studies" / "muppaneni"


def measured(folder: Path, names: Sequence[str]) -> Analysis:
    """Fabricate a bundle in which everything takes a quarter of the time in Go."""
    models = {
        name: replace(model, latency_us=[each / 4 for each in model.latency_us])
        if name in GO
        else model
        for name, model in models_of(*names).items()
    }
    bundle = write_bundle(
        folder / "bundle",
        requests=400,
        path=STUDY,
        design="replication",
        workloads=("product",),
        loads=("ten-users",),
        models=models,
    )
    return analyse(bundle)


@pytest.fixture(scope="module")
def analysis(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    return measured(tmp_path_factory.mktemp("grid"), (*PYTHON, *GO))


def test_simulated_effects_are_recovered(analysis: Analysis) -> None:
    (found,) = analysis.figures.grids

    assert found.rows == ("Python", "Go")  # Node.js was not measured
    python, go = found.effects.rows
    assert python.value / go.value == pytest.approx(4.0, rel=0.1)
    assert found.effects.blocks == 6
    rest, graphql, _grpc = found.effects.columns
    assert graphql.value > 2 * rest.value
    shares = found.effects.row_share, found.effects.column_share, found.effects.combination_share
    assert sum(shares) == pytest.approx(1.0)
    assert shares[2] < 0.05


def test_page_markdown_and_json_contain_the_shares(analysis: Analysis) -> None:
    page = html.fromstring(render_texts(analysis))
    (table,) = page.xpath("//*[@id='grids']//table")
    heads = [cell.text_content() for cell in table.xpath(".//th[@scope='row']")]
    text = render_markdown(analysis)
    (found,) = json.loads(to_json(analysis))["grids"]

    (leading,) = analysis.leading
    assert leading in page.text_content()
    assert text.index(cell_text(leading)) < text.index("## Share of")
    assert heads == ["Python", "Go", "REST", "GraphQL", "gRPC"]
    assert "| language: Python | " in text
    assert "| protocol: gRPC | " in text
    assert found["rows"] == ["Python", "Go"]
    assert len(found["effects"]["columns"]) == 3


def test_one_row_is_not_enough(tmp_path: Path) -> None:
    assert measured(tmp_path, PYTHON).figures.grids == ()


def test_only_some_of_many_unanswered_questions_are_named(analysis: Analysis) -> None:
    (last,) = (answer for answer in analysis.answers if answer.question == "unanswered")
    without = len(analysis.study.questions) - len(
        {answer.question for answer in analysis.answers} - {"unanswered"}
    )

    assert last.sentence.endswith(f"; and {without - 4} more.")
    assert last.sentence.count("?") == 4
