"""Figures over the number of clients: what a study over loads gets, and what a paper says of it."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from lxml import html

from tests.statistics.constructed import known
from tests.support.bundles.models import ROOT, models_of
from tests.support.bundles.reasons import FEW_FAILED
from tests.support.bundles.small import render_texts
from tests.support.bundles.synthetic import copy_of, edit_runs, write_bundle
from tests.support.wording import assert_worded
from wirelab.analysis import Analysis, analyse
from wirelab.analysis.figures.sweep import SweepLine, SweepPanel
from wirelab.analysis.model import Measured
from wirelab.bundle import Bundle
from wirelab.report import render_markdown, to_json
from wirelab.report.charts.sweep import with_most_clients
from wirelab.report.figures import DrawnFigures, draw_figures
from wirelab.report.palette import Palette
from wirelab.report.vega import Drawing, draw
from wirelab.terminal import words

LOADS = ("one-user", "ten-users", "fifty-users")


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    return fabricated(tmp_path_factory.mktemp("swept"), LOADS)


@pytest.fixture(scope="module")
def swept(written: Bundle) -> Analysis:
    return analyse(written)


@pytest.fixture(scope="module")
def figures(swept: Analysis) -> DrawnFigures:
    return draw_figures(swept, Palette.from_analysis(swept))


def fabricated(folder: Path, loads: tuple[str, ...], design: str = "paper") -> Bundle:
    return write_bundle(
        folder / "bundle",
        blocks=3,
        requests=300,
        path=ROOT / "studies" / "sliwa-2021",
        design=design,
        workloads=("medium", "insert"),
        loads=loads,
        models=models_of("rest-spring", "graphql-spring", "grpc-spring"),
    )


def panel(analysis: Analysis, number: int) -> SweepPanel:
    return analysis.figures.sweeps[0].panels[number]


def line_of(analysis: Analysis, number: int, label: str) -> SweepLine:
    (line,) = (each for each in panel(analysis, number).lines if each.label == label)
    return line


def test_every_workload_gets_throughput_time_and_bytes_over_clients(swept: Analysis) -> None:
    assert [sweep.title for sweep in swept.figures.sweeps] == ["Fetch 111 authors", "Add an author"]
    assert all(sweep.clients == (1, 10, 50) for sweep in swept.figures.sweeps)
    for line in panel(swept, 0).lines:
        assert [point.clients for point in line.points] == [1, 10, 50]


def test_points_are_the_means_of_the_tables(swept: Analysis) -> None:
    tables = {
        (row.summary.cell.load, row.summary.label): row.summary.latency_us.value
        for setting in swept.settings
        if setting.workload == "medium"
        for row in setting.rows
    }
    drawn = {
        (load, line.label): point.value.value
        for line in panel(swept, 1).lines
        for load, point in zip(LOADS, line.points, strict=True)
    }

    assert drawn == pytest.approx(tables)


def test_received_bytes_are_those_of_the_whole_window_if_it_counts_requests(
    swept: Analysis,
) -> None:
    rest = line_of(swept, 2, "REST")

    assert_worded(panel(swept, 2).title)
    assert rest.points[-1].value.value == pytest.approx(300 * (2950 + 420) / 1e6, rel=0.01)


def test_received_bytes_are_those_of_a_second_if_clients_do_not_count(
    tmp_path: Path,
) -> None:
    timed = analyse(fabricated(tmp_path, ("one-user", "fifty-users"), design="open"))
    rest, rate = (line_of(timed, number, "REST") for number in (2, 0))

    assert_worded(panel(timed, 2).title)
    assert [point.clients for point in rest.points] == [50]
    expected = rate.points[-1].value.value * (2950 + 420) / 1e6
    assert rest.points[-1].value.value == pytest.approx(expected, rel=0.05)


def test_the_paper_is_named_beside_its_figures(swept: Analysis) -> None:
    rest = line_of(swept, 0, "REST")

    assert [point.published for point in rest.points] == [None, None, 300.0]
    assert_worded(panel(swept, 0).note)


def texts_of(drawn: Drawing) -> list[str]:
    texts: list[str] = html.fromstring(drawn.svg).xpath("//*[local-name()='text']/text()")
    return texts


def test_each_panel_is_drawn_and_named_at_the_end_of_its_lines_without_exponents(
    figures: DrawnFigures,
) -> None:
    drawn = [figure for sweep in figures.sweeps for figure in sweep if figure is not None]

    assert len(drawn) == 2 * 3
    for figure in drawn:
        texts = texts_of(figure.wide)
        assert {"REST", "GraphQL", "gRPC"} <= set(texts)
        assert not [text for text in texts if "e+" in text]


def test_page_markdown_and_json_have_the_figures(swept: Analysis) -> None:
    page, text = html.fromstring(render_texts(swept)), render_markdown(swept)
    caption = "Figure 11 of the paper"
    heads = (panel(swept, 1).title, *(words.plural(n, "client") for n in (1, 10, 50)))

    assert caption in page.get_element_by_id("clients").text_content()
    assert caption in text
    assert f"| {' | '.join(heads)} |" in text
    assert [each["title"] for each in json.loads(to_json(swept))["sweeps"]] == [
        "Fetch 111 authors",
        "Add an author",
    ]


def test_values_not_measured_with_the_most_clients_are_missing(
    written: Bundle, tmp_path: Path
) -> None:
    bundle = copy_of(written, tmp_path / "bundle")
    edit_runs(
        bundle,
        lambda run: run.update(status="invalid", reasons=[FEW_FAILED.model_dump(mode="json")]),
        lambda record: (
            record.run.cell.contender == "graphql-spring" and record.run.cell.load == "fifty-users"
        ),
    )
    partly = analyse(bundle)

    picture = with_most_clients(panel(partly, 2), Palette.from_analysis(partly), 230)
    texts = texts_of(draw(known(picture), "received", "received bytes"))
    assert {"REST", "gRPC"} <= set(texts)
    assert "GraphQL" not in texts
    row = line_of(partly, 0, "GraphQL")
    assert row.at(10) is not None
    assert row.at(50) is None
    assert render_texts(partly).count("–</span></td>") >= 2
    assert "| – |" in render_markdown(partly)


def test_bars_are_labelled_without_exponents(swept: Analysis) -> None:
    received = panel(swept, 2)
    rest = line_of(swept, 2, "REST")
    last = replace(rest.points[-1], value=Measured(999.6, None))
    picture = with_most_clients(
        replace(received, lines=(replace(rest, points=(last,)),)), Palette.from_analysis(swept), 230
    )

    (bar,) = known(picture).to_dict()["data"]["values"]
    assert bar["text"] == words.significant(999.6)


def test_one_number_of_clients_makes_no_sweep(analysis: Analysis, page: str) -> None:
    assert analysis.figures.sweeps == ()
    assert 'id="clients"' not in page
