"""How time and rate went while a block was measured: by turn, or by second of a window."""

import re
from pathlib import Path
from statistics import median

import numpy as np
import pytest
from lxml import html

from tests.support.bundles.models import ROOT, models_of
from tests.support.bundles.synthetic import write_bundle
from wirelab.analysis import Analysis, analyse
from wirelab.bundle import Bundle
from wirelab.report.charts.over_window import over_window
from wirelab.report.palette import Palette


def test_every_setting_has_a_line_for_each_contender(analysis: Analysis) -> None:
    assert [drawn.setting for drawn in analysis.figures.over_windows] == [
        setting.key for setting in analysis.settings
    ]
    for drawn, setting in zip(analysis.figures.over_windows, analysis.settings, strict=True):
        assert drawn.unit == "turn"
        assert {line.label for line in drawn.lines} == {row.summary.label for row in setting.rows}
        for line in drawn.lines:
            assert list(line.times_us) == list(line.rates_per_s) == [*range(1, 21)]


def test_a_point_is_the_median_of_the_blocks(bundle: Bundle, analysis: Analysis) -> None:
    drawn, setting = analysis.figures.over_windows[0], analysis.settings[0]
    cell = setting.rows[0].summary.cell
    slices = bundle.slices()
    turns = slices[
        (slices["contender"] == cell.contender)
        & (slices["workload"] == cell.workload)
        & (slices["permutation"] == 7)
        & ~slices["twin"]
    ]
    line = next(each for each in drawn.lines if each.label == setting.rows[0].summary.label)

    assert len(turns) == 6
    assert line.times_us[7.0] == pytest.approx(median(turns["median_us"]))
    seconds = (turns["ended_ns"] - turns["started_ns"]) / 1e9
    assert line.rates_per_s[7.0] == pytest.approx(np.median(turns["transactions"] / seconds))


def separate_runs(folder: Path, requests: int) -> Bundle:
    """Write a bundle whose runs were measured separately."""
    return write_bundle(
        folder / "bundle",
        requests=requests,
        blocks=2,
        path=ROOT / "studies" / "sliwa-2021",
        design="paper",
        workloads=("medium",),
        loads=("one-user",),
        models=models_of("rest-spring", "grpc-spring"),
    )


def test_separate_runs_are_drawn_by_second(tmp_path: Path) -> None:
    written = separate_runs(tmp_path, requests=20_000)

    (drawn,) = analyse(written).figures.over_windows

    assert drawn.unit == "second"
    assert drawn.time_title == "response time"
    assert min(len(line.times_us) for line in drawn.lines) > 3


def test_too_short_a_window_is_not_drawn(tmp_path: Path) -> None:
    written = separate_runs(tmp_path, requests=60)

    assert analyse(written).figures.over_windows == ()


def test_the_page_has_a_chart_for_each_setting(page: str, analysis: Analysis) -> None:
    document = html.document_fromstring(page)
    palette = Palette.from_analysis(analysis)
    figures = document.xpath("//section[@id='distributions']//figure")
    drawn = [figure for figure in figures if figure.get("id").startswith("figure-window-")]

    assert len(drawn) == len(analysis.settings)
    for figure, over in zip(drawn, analysis.figures.over_windows, strict=True):
        svg = html.tostring(figure.xpath(".//svg")[0], encoding="unicode")
        hues = re.findall(r'<path [^>]*stroke="var\(--(c\d+)\)"', svg)
        expected = [palette[line.label].hue[6:-1] for line in over.lines]
        assert sorted(hues) == sorted(expected * 2)  # a line in each of two panels
        names = figure.xpath(".//*[local-name()='text']/text()")
        assert {line.label for line in over.lines} <= set(names)
        assert set(figure.xpath(".//*[local-name()='title']/text()")) == {
            f"contender: {line.label}" for line in over.lines
        }


def test_a_constant_line_is_drawn_horizontally(analysis: Analysis) -> None:
    """The axis has a least range, so that noise of one per cent does not fill it."""
    picture = over_window(
        analysis.figures.over_windows[0], Palette.from_analysis(analysis), 300
    ).to_dict()

    for panel in picture["vconcat"]:
        low, high = next(
            layer["encoding"]["y"]["scale"]["domain"]
            for layer in (panel["layer"][0].get("layer") or panel["layer"])
        )
        assert high / low >= 1.5
