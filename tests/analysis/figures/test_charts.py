"""The figures of a paper from a bundle: what is drawn of which runs, with which spread."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from statistics import geometric_mean, stdev
from typing import Any

import pytest
from pydantic import ValidationError

from tests.statistics.constructed import known
from tests.support.bundles.models import ROOT, models_of
from tests.support.bundles.small import study_with
from tests.support.bundles.synthetic import write_bundle
from tests.support.wording import assert_worded, raises_worded
from wirelab.analysis import Analysis, analyse
from wirelab.analysis.figures.chart_points import PaperChart
from wirelab.analysis.figures.charts import paper_charts
from wirelab.analysis.figures.time_series import Courses
from wirelab.analysis.values import RunValues
from wirelab.bundle import AnswerRecord, Bundle
from wirelab.report import render_html, render_markdown
from wirelab.report.charts.paper import paper_picture
from wirelab.report.charts.paper_panels import short
from wirelab.report.palette import Palette
from wirelab.study import Chart, load_study

BOTH = ["fetch_one", "insert_one"]
KINDS: tuple[tuple[str, dict[str, object]], ...] = (
    ("rates", {"kind": "bars", "where": BOTH}),
    ("times", {"kind": "boxes"}),
    ("ends", {"kind": "queries", "metric": "latency_mean_us"}),
    ("first bytes", {"kind": "queries", "metric": "first_byte_mean_us", "quantity": "aQRTq"}),
    ("sizes", {"kind": "sizes"}),
    ("one client is no line", {"kind": "lines"}),
    ("not measured", {"kind": "bars", "where": "fetch_hundred"}),
    ("over time", {"kind": "courses", "metric": "latency_p50_us", "where": BOTH}),
    ("spread", {"kind": "latencies"}),
    ("one number of clients is no map", {"kind": "heat"}),
)
"""Titles of the figures 1 to 10, and their keys; `where` is the workload, usually fetch_one."""


def charts() -> Iterator[str]:
    for number, (title, keys) in enumerate(KINDS, start=1):
        yield f'\n[[chart]]\nsource = "Figure {number}"\ntitle = "{title}"'
        for key, value in {"where": "fetch_one", **keys}.items():
            written = json.dumps(value)
            yield f"{key} = {{ workload = {written} }}" if key == "where" else f"{key} = {written}"


PUBLISHED = """
[names.contender]
REST = "rest-flask"
[names.workload]
fetch = "fetch_one"
insert = "insert_one"

[[table]]
source = "Table 1"
title = "rates"
columns = ["throughput_per_s"]
rows = [{ contender = "REST", workload = "insert", values = [321] }]

[[table]]
source = "Table 2"
title = "times"
columns = ["latency_p50_us"]
scale = 1000
rows = [{ contender = "REST", workload = "fetch", values = [2.5] }]
"""


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    folder = tmp_path_factory.mktemp("study")
    study = study_with(folder)
    with (study / "study.toml").open("a") as file:
        file.write("\n".join(charts()))
    (study / "published.toml").write_text(PUBLISHED)
    written = write_bundle(
        folder / "bundle",
        path=study,
        models=models_of("rest-flask", "grpc-grpcio"),
        workloads=("fetch_one", "insert_one"),
        requests=200,
    )
    written.write_answers(
        AnswerRecord(workload="fetch_one", operation="read", parameter_set=n, leaves=size)
        for n, size in enumerate((7, 1, 4))
    )
    return written


@pytest.fixture(scope="module")
def analysis(bundle: Bundle) -> Analysis:
    return analyse(bundle)


def chart(analysis: Analysis, source: str) -> PaperChart:
    return next(each for each in analysis.figures.charts if each.chart.source == source)


def picture_of(drawn: PaperChart, analysis: Analysis) -> dict[str, Any]:
    picture: dict[str, Any] = paper_picture(drawn, Palette.from_analysis(analysis), 420).to_dict()
    return picture


def run_values(bundle: Bundle) -> RunValues:
    return RunValues.from_bundle(bundle, load_study(bundle.study_folder))


def test_charts_with_measured_values_are_drawn(analysis: Analysis) -> None:
    assert_worded("\n".join(f"{it.chart.source}: {it.metric}" for it in analysis.figures.charts))


def test_a_course_has_a_point_for_each_turn_if_contenders_take_turns(analysis: Analysis) -> None:
    drawn = chart(analysis, "Figure 8")
    panels = {(each.panel.partition(" ")[0], each.series) for each in drawn.points}

    assert drawn.along == "turns"
    assert panels == {(what, who) for what in ("fetch", "insert") for who in ("REST", "gRPC")}
    line = [each for each in drawn.points if each.panel == drawn.points[0].panel]
    rest = [each for each in line if each.series == "REST"]
    assert [each.x for each in rest] == list(range(1, 21))
    assert {each.count for each in rest} == {6}
    assert all(each.sd is not None for each in rest)
    assert len(picture_of(drawn, analysis)["vconcat"]) == 2


def test_a_box_of_response_times_is_of_all_requests(bundle: Bundle, analysis: Analysis) -> None:
    points = chart(analysis, "Figure 9").points

    assert [point.series for point in points] == ["REST", "gRPC"]
    for point in points:
        assert point.count == 6 * 200
        box = known(point.box)
        (summary,) = (
            row.summary
            for setting in analysis.settings
            for row in setting.rows
            if row.summary.label == point.series and row.summary.cell.workload == "fetch_one"
        )
        spectrum = dict(summary.spectrum)
        assert list(box) == sorted(box)
        assert spectrum[0.48] <= box[2] <= spectrum[0.52]


def test_a_heat_map_has_a_field_for_each_contender_and_number_of_clients(
    tmp_path: Path,
) -> None:
    loads = ("one-user", "ten-users", "fifty-users")
    written = write_bundle(
        tmp_path / "bundle",
        requests=60,
        blocks=2,
        path=ROOT / "studies" / "sliwa-2021",
        design="paper",
        workloads=("medium",),
        loads=loads,
        models=models_of("rest-spring", "grpc-spring"),
    )
    study = load_study(written.study_folder)
    heat = Chart(source="Figure 1", title="CPU", kind="heat", metric="throughput_per_s")
    values = RunValues.from_bundle(written, study)
    labels = {"rest-spring": "REST", "grpc-spring": "gRPC"}

    drawn = paper_charts(
        Courses(written, values),
        study.model_copy(update={"charts": (heat,)}),
        list(values.runs),
        labels,
    )

    fields = {(point.series, point.at) for point in drawn[0].points}
    assert fields == {(who, at) for who in ("REST", "gRPC") for at in ("1", "10", "50")}
    (panel,) = picture_of(drawn[0], analyse(written))["vconcat"]
    assert panel["layer"][0]["mark"]["type"] == "rect"
    assert panel["layer"][0]["encoding"]["x"]["sort"] == ["1", "10", "50"]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.25, "0.25"),
        (999.4, "999"),
        (999.6, "1000"),
        (1234.0, "1234"),
        (9_994.0, "9994"),
        (9_996.0, "10k"),
        (12_345.0, "12.3k"),
        (999_600.0, "1M"),
        (999_600_000.0, "1G"),
    ],
)
def test_a_field_of_a_heat_map_has_no_exponent(value: float, shown: str) -> None:
    assert short(value) == shown


def test_only_metrics_recorded_for_every_second_have_a_course() -> None:
    with raises_worded(ValidationError):
        Chart(source="Figure 1", title="x", kind="courses", metric="wire_marginal_bytes")


def test_bars_have_the_standard_deviation_of_the_runs_and_an_interval(
    bundle: Bundle, analysis: Analysis
) -> None:
    values = run_values(bundle)
    (rest,) = (
        cell
        for cell in values.runs
        if cell.registration == "rest-flask" and cell.workload == "fetch_one"
    )
    runs = list(values.values("throughput_per_s", rest).values())
    drawn = chart(analysis, "Figure 1")
    (point,) = (
        each for each in drawn.points if each.series == "REST" and each.at.startswith("fetch one")
    )

    assert point.count == len(runs) == 6
    assert point.value == pytest.approx(geometric_mean(runs))
    assert point.sd == pytest.approx(stdev(runs))
    assert known(point.interval).contains(point.value)


def test_a_box_is_of_the_means_of_queries(analysis: Analysis) -> None:
    points = chart(analysis, "Figure 2").points

    assert [point.series for point in points] == ["REST", "gRPC"]
    for point in points:
        assert list(known(point.box)) == sorted(known(point.box))
        assert point.count == 1  # every synthetic request is the same query
        assert known(point.interval).contains(point.value)


def test_the_first_byte_of_a_query_comes_before_its_end(analysis: Analysis) -> None:
    ends = {each.series: each for each in chart(analysis, "Figure 3").points}
    begins = {each.series: each for each in chart(analysis, "Figure 4").points}

    for series, end in ends.items():
        assert end.at == "query 1"
        assert begins[series].value == pytest.approx(0.93 * end.value, rel=0.001)
        assert end.sd is not None
        assert end.count == 6 * 200


def test_the_mean_of_a_query_is_that_of_its_interval(bundle: Bundle, analysis: Analysis) -> None:
    values = run_values(bundle)
    for point in chart(analysis, "Figure 3").points:
        (runs,) = (
            frame["run_id"]
            for cell, frame in values.runs.items()
            if not cell.twin
            and cell.workload == "fetch_one"
            and analysis.labels[cell.contender] == point.series
        )
        means = [bundle.samples(str(run))["service_us"].mean() for run in runs]

        assert point.value == pytest.approx(geometric_mean(means), rel=1e-6)
        low, high = known(point.interval)
        assert low * high == pytest.approx(point.value**2)


def test_sizes_ascend(analysis: Analysis) -> None:
    assert [point.value for point in chart(analysis, "Figure 5").points] == [1, 4, 7]


def test_published_values_are_shown_beside_measured_ones(analysis: Analysis) -> None:
    rates, boxes = chart(analysis, "Figure 1"), chart(analysis, "Figure 2")
    ends = chart(analysis, "Figure 3")

    assert {
        (point.series, point.at.partition(" ")[0]): point.published for point in rates.points
    } == {
        ("REST", "insert"): 321,
        ("REST", "fetch"): pytest.approx(400),  # of one client who waits 2.5 ms for each answer
        ("gRPC", "insert"): None,
        ("gRPC", "fetch"): None,
    }
    assert [point.published for point in boxes.points] == [2500, None]
    assert boxes.published_as == "median"
    assert ends.published_as == ""


@pytest.mark.parametrize("count", [2, 9, 18])
def test_bars_never_cover_each_other(analysis: Analysis, count: int) -> None:
    drawn = chart(analysis, "Figure 1")
    of_one = [replace(each, published=None) for each in drawn.points if each.series == "REST"]
    points = [replace(each, series=f"{number}") for number in range(count) for each in of_one]
    several = replace(drawn, points=tuple(points), published_as="")
    picture = picture_of(several, analysis)

    panel = picture["spec"]
    assert panel["layer"][0]["mark"]["size"] * count < panel["width"]
    assert picture["columns"] * panel["width"] <= 420


def test_rings_have_a_separate_axis_and_no_measured_value(analysis: Analysis) -> None:
    for source, along in (("Figure 1", "y"), ("Figure 2", "x")):
        drawn = picture_of(chart(analysis, source), analysis)
        panel = drawn.get("spec", drawn)
        measured, rings = panel["layer"]

        assert panel["resolve"]["scale"] == {along: "independent"}
        assert rings["encoding"][along]["field"] == "published"
        assert rings["encoding"][along]["axis"]["orient"] == {"x": "top", "y": "right"}[along]
        assert "published" not in str(measured["layer"])
        assert drawn["title"]["subtitle"].startswith("rings: published")
    assert "published" not in str(picture_of(chart(analysis, "Figure 3"), analysis))


def test_the_page_shows_each_figure_and_its_numbers(analysis: Analysis) -> None:
    page = render_html(analysis)

    for number in range(7):
        assert f'id="figure-paper-{number}"' in page
    tables = [
        each.chart for each in analysis.figures.charts if f"{each.chart.title}, the fig" in page
    ]
    assert [each.source for each in tables] == [f"Figure {number}" for number in (1, 2, 3, 4, 9)]
    assert "Figure 7: not" not in page
    assert '<th scope="col">published (median)</th>' in page


def test_markdown_has_a_column_for_published_values(analysis: Analysis) -> None:
    lines = render_markdown(analysis).splitlines()
    (at,) = (n for n, line in enumerate(lines) if line.startswith("### Figure 2"))
    table = [line for line in lines[at:] if line.startswith("|")]

    assert table[0].endswith("| queries | published (median) |")
    assert table[2].endswith("| 2.50\N{NO-BREAK SPACE}ms |")
    assert len({line.count("|") for line in table[:4]}) == 1


def test_markdown_summarises_sizes_in_a_row_for_each_workload(analysis: Analysis) -> None:
    lines = render_markdown(analysis).splitlines()
    (at,) = (n for n, line in enumerate(lines) if line.startswith("### Figure 5"))
    head, _, *rows = (line for line in lines[at:] if line.startswith("|"))

    sizes = chart(analysis, "Figure 5")
    assert head.startswith(f"| {sizes.metric} | queries | smallest |")
    assert rows[0] == f"| {sizes.points[0].series} | 3 | 1 | 1 | 4 | 7 | 7 |"
