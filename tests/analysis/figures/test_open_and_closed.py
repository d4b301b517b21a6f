"""Open loop beside closed loop in a report."""

import json
from dataclasses import replace

import pandas as pd
import pytest
from lxml import html

from tests.support.bundles.models import ROOT, models_of
from tests.support.bundles.small import render_texts
from tests.support.bundles.synthetic import write_bundle
from tests.support.wording import assert_worded
from wirelab.analysis import Analysis, analyse
from wirelab.analysis.figures.open_and_closed import open_views
from wirelab.analysis.values import RunValues
from wirelab.bundle import PilotRecord
from wirelab.planning.schedule import Run
from wirelab.report import render_markdown, to_json


@pytest.fixture(scope="module")
def both_views(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    bundle = write_bundle(
        tmp_path_factory.mktemp("open") / "bundle",
        requests=300,
        path=ROOT / "studies" / "sliwa-2021",
        design="open",
        workloads=("medium",),
        loads=("ten-users", "fifty-users", "arrivals"),
        models=models_of("rest-spring", "graphql-spring", "grpc-spring"),
    )
    return analyse(bundle)


def test_the_open_load_is_shown_beside_the_closed_one_with_most_clients(
    both_views: Analysis,
) -> None:
    (view,) = both_views.figures.open_views
    capacities = {row.open.summary.label: row.capacity_per_s for row in view.rows}

    assert view.title == "Fetch 111 authors"
    assert view.closed_load == both_views.study.loads["fifty-users"].title
    assert list(capacities) == ["gRPC", "REST", "GraphQL"]
    assert all(row.closed.summary.cell.load == "fifty-users" for row in view.rows)
    assert all(row.open.summary.cell.load == "arrivals" for row in view.rows)
    assert (view.rate_per_s, view.share) == (100.0, 0.5)
    assert view.slowest == "GraphQL"
    assert capacities["GraphQL"] == pytest.approx(0.9e6 / 4800)
    assert_worded(view.sentence)


def test_the_smallest_capacity_may_be_that_of_another_place_in_the_block(
    both_views: Analysis,
) -> None:
    study, schedule = both_views.study, both_views.schedule
    opened = next(cell for cell in schedule.cells if cell.load == "arrivals" and not cell.twin)
    elsewhere = replace(opened, contender="grpc-spring", environment="container")
    blocks = tuple(
        replace(it, runs=(*it.runs, Run("more", it.number, elsewhere)))
        if opened in it.cells
        else it
        for it in schedule.blocks
    )
    pilot = [
        PilotRecord(
            cell=cell, clients=10, transactions=1000, throughput_per_s=rate, latency_mean_us=1.0
        )
        for cell, rate in ((opened, 300.0), (elsewhere, 200.0))
    ]
    frame = pd.DataFrame({"offered_rate_per_s": [100.0]}, index=[1])
    cells = [row.summary.cell for setting in both_views.settings for row in setting.rows]
    values = RunValues(dict.fromkeys(cells, frame), {}, (), study.baseline)

    (view,) = open_views(
        study, both_views.settings, pilot, values, replace(schedule, blocks=blocks)
    )

    assert view.slowest == "gRPC (container)"


def test_page_markdown_and_json_show_it(both_views: Analysis) -> None:
    section = html.fromstring(render_texts(both_views)).get_element_by_id("open")

    assert_worded(section.xpath("string(.//p[@class='note small'])"))
    assert "open: 100 a second" in render_markdown(both_views)
    assert json.loads(to_json(both_views))["open_views"][0]["rate_per_s"] == 100.0


def test_a_bundle_without_an_open_load_has_no_section_about_it(page: str) -> None:
    assert 'id="open"' not in page
