"""A paper's advice on uses beside the figures behind it, or that there are none."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from lxml import html
from pydantic import ValidationError

from tests.support.bundles.models import ROOT, models_of
from tests.support.bundles.synthetic import write_bundle
from tests.support.wording import raises_worded
from wirelab.analysis import Analysis, analyse
from wirelab.report import render_html, render_markdown, to_json
from wirelab.study import NO_PROXY

from .extensions import module_of

Suitability = module_of("muppaneni", "suitability", "model").Suitability

PYTHON = ("rest-fastapi", "graphql-graphene", "grpc-aio")
GO = ("rest-chi", "graphql-gqlgen", "grpc-go")


@pytest.fixture(scope="module")
def advised(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    """Fabricate a bundle without Node.js, in which everything takes a quarter of the time in Go."""
    models = {
        name: replace(model, latency_us=[each / 4 for each in model.latency_us])
        if name in GO
        else model
        for name, model in models_of(*PYTHON, *GO).items()
    }
    folder: Path = tmp_path_factory.mktemp("advised") / "bundle"
    study = ROOT / "studies" / "muppaneni"
    bundle = write_bundle(
        folder,
        requests=400,
        path=study,
        design="replication",
        workloads=("product",),
        loads=("ten-users",),
        models=models,
    )
    return analyse(bundle)


def demand(analysis: Analysis, title: str) -> Any:
    (section,) = analysis.extension.sections
    demands = [each for use in section.content.uses for each in use.demands]
    (found,) = (each for each in demands if each.title == title)
    return found


def test_a_protocol_is_compared_with_the_best_over_the_languages_common_to_all(
    advised: Analysis,
) -> None:
    found = demand(advised, "CPU time of the server for it")
    direct = [each for each in advised.settings if each.rows[0].summary.cell.proxy == NO_PROXY]
    (setting,) = direct
    cpu_us = {
        row.summary.cell.contender: row.summary.cpu_us["contender"].value for row in setting.rows
    }

    for served, python, go in zip(found.served, PYTHON, GO, strict=True):
        in_python, in_node, in_go = served.values
        assert in_python == pytest.approx(cpu_us[python])
        assert in_node is None
        assert in_go == pytest.approx(cpu_us[go])
    means = [(cpu_us[python] * cpu_us[go]) ** 0.5 for python, go in zip(PYTHON, GO, strict=True)]
    assert [served.times for served in found.served] == [
        pytest.approx(mean / min(means)) for mean in means
    ]


def test_unmeasured_demands_are_marked(advised: Analysis) -> None:
    found = demand(advised, "the same over TLS")

    assert not found.is_measured
    assert {served.times for served in found.served} == {None}
    page = html.fromstring(render_html(advised))
    (row,) = page.xpath("//tr[th[text()='the same over TLS']]")
    assert [cell.text_content().strip() for cell in row.xpath("td")] == ["not measured"] * 3
    (row,) = page.xpath("//tr[th[text()='CPU time of the server for it']]")
    assert all("×" in cell.text_content() for cell in row.xpath("td"))


def test_every_format_contains_the_advice(advised: Analysis) -> None:
    page, markdown = render_html(advised), render_markdown(advised)

    assert "Figure 2: which protocol" in page
    assert "## Figure 2: which protocol" in markdown
    assert "over TLS | not measured |" in markdown
    assert "comparisons say whether" in page
    assert "comparisons say whether" in markdown
    (first, *_) = json.loads(to_json(advised))["extension"]["suitability"]["uses"]
    assert first["advice"] == "REST"


REQUEST = {"title": "d", "metric": "latency_mean_us", "where": {}}
WHOLE = {
    "source": "s",
    "title": "t",
    "rows": ["one"],
    "columns": {"REST": ["a"], "gRPC": ["b"]},
    "use": [{"title": "t", "advice": "gRPC", "demand": [REQUEST]}],
}


@pytest.mark.parametrize(
    "change",
    [
        {"rows": ["one", "two"]},
        {"use": [{"title": "t", "advice": "gRPC", "demand": []}]},
        {"use": [{"title": "t", "advice": "SOAP", "demand": [REQUEST]}]},
        {"columns": {"REST": ["a"]}},
    ],
    ids=["rows", "no demand", "unknown advice", "one column"],
)
def test_a_table_that_does_not_add_up_is_refused(change: dict[str, object]) -> None:
    Suitability.model_validate(WHOLE)

    with raises_worded(ValidationError):
        Suitability.model_validate({**WHOLE, **change})
