"""The control on top of the page: metric, values and contenders, chosen in a real browser."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from wirelab.analysis import Analysis
from wirelab.analysis.matrix import matrix_of
from wirelab.report.control import OFFERED, control_of
from wirelab.statistics import Interval
from wirelab.study import CAPACITY
from wirelab.terminal import words

from .test_browser import opened

WIDE = {"width": 1280, "height": 900}
SOAP = "#answer > .sheet .matrix tbody tr:first-child td:last-child"


def cell(page: Page) -> list[str]:
    """What the last cell of the first setting says: large, beside it, below it."""
    parts = [page.locator(f"{SOAP} {part}").first for part in ("strong", ".time", ".how")]
    return [part.inner_text() for part in parts]


def test_every_metric_is_offered_with_texts_of_what_was_measured(analysis: Analysis) -> None:
    matrix = matrix_of(analysis)
    control = control_of(matrix, analysis.study)

    assert list(control.metrics) == [metric for metric in OFFERED if metric != CAPACITY]
    assert control.judged == analysis.study.metric
    for row in matrix.judged:
        lines = {line.summary.cell.contender: line for line in row.setting.rows}
        for each in row.cells:
            texts, line = control.of(each), lines[each.column.contender]
            assert line.wire is not None
            assert texts["wire_marginal_bytes"][0] == words.byte_count(line.wire.fit.marginal)
            assert texts["latency_mean_us"][0] == words.duration(line.summary.mean_us.value)
            if each.judged is not None and each.judged.cpu is not None:
                cpu = each.judged.cpu
                assert texts["contender_cpu_us_per_transaction"][1:] == (
                    words.times(cpu.ratio),
                    words.between(cpu.interval95),
                )


def test_ratios_of_a_judged_throughput_are_those_of_the_values_beside_them(
    throughput: Analysis,
) -> None:
    matrix = matrix_of(throughput)
    control = control_of(matrix, throughput.study)
    (row,) = matrix.judged
    rates = {
        line.summary.cell.contender: line.summary.throughput_per_s for line in row.setting.rows
    }

    for each in row.cells[1:]:
        assert each.judged is not None
        interval = each.judged.comparison.interval95
        assert interval is not None
        _, ratio, between = control.of(each)["throughput_per_s"]
        relative = rates[each.column.contender] / rates["rest-flask"]
        assert float(ratio.removesuffix("×")) == pytest.approx(relative, rel=0.02)
        assert between == words.between(Interval(1 / interval.high, 1 / interval.low))


def test_the_matrix_follows_the_control_and_can_be_restored(
    browser: Browser, page_file: Path
) -> None:
    with opened(browser, page_file, viewport=WIDE) as (page, trouble):
        signs = page.locator(".signs").inner_text()
        assert signs.startswith("Typical response time relative to REST\n")
        assert signs.endswith("cannot tell")
        first, look = cell(page), page.locator(SOAP).get_attribute("class")
        ratio, time, _ = first
        assert look == "bad"

        page.check("#control input[value=absolute]", force=True)
        assert cell(page)[:2] == [time, ratio]
        assert page.locator(SOAP).get_attribute("class") == "bad"

        page.check("#control input[value=relative]", force=True)
        page.select_option("#control select", "wire_marginal_bytes")
        large, beside, _ = cell(page)
        assert page.locator(".signs").inner_text() == "Bytes on the wire relative to REST"
        assert large.endswith("×")
        assert beside.endswith("B")
        assert page.locator(SOAP).get_attribute("class") == "open"
        assert page.locator("#control output").is_visible()
        assert "This chart shows the typical time" in page.locator("#differences").inner_text()

        page.select_option("#control select", "latency_typical_us")
        assert cell(page) == first
        assert page.locator(".signs").inner_text() == signs
        assert page.locator(SOAP).get_attribute("class") == look
        assert page.locator("#control output").is_hidden()
        assert "This chart shows" not in page.locator("#differences").inner_text()
        assert trouble == []


def test_a_contender_can_be_hidden_in_tables_and_charts_alike(
    browser: Browser, page_file: Path
) -> None:
    names = "#figure-forest .drawing.wide svg text"
    soap = "tr:has(strong:text-is('SOAP')) >> visible=true"
    with opened(browser, page_file, viewport=WIDE) as (page, trouble):
        page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
        shown = page.locator("#figure-forest svg path >> visible=true").count()
        verdicts = page.locator(f"{names} >> visible=true").count()
        assert page.locator(f"#tables {soap}").count() == 3

        page.uncheck("#control input[data-label='SOAP']")
        assert page.locator(SOAP).is_hidden()
        assert page.locator(f"#tables {soap}").count() == 0
        assert page.locator(f"{names}:text-is('SOAP') >> visible=true").count() == 0
        assert page.locator(f"{names} >> visible=true").count() == verdicts - 4 * 3
        assert page.locator("#figure-forest svg path >> visible=true").count() < shown
        assert page.locator("#control .count").inner_text() == "4 of 5"

        page.click("#control [name=all]")
        assert page.locator(f"{names} >> visible=true").count() == verdicts
        assert page.locator(SOAP).is_visible()
        assert trouble == []


def test_the_control_stays_in_sight_and_covers_no_heading(
    browser: Browser, page_file: Path
) -> None:
    for width in (360, 1280):
        with opened(browser, page_file, viewport={"width": width, "height": 780}) as (page, _):
            page.evaluate("document.getElementById('tables').closest('details').open = true")
            page.evaluate("location.hash = '#tables'")
            page.wait_for_timeout(700)
            bar = page.locator("#control").bounding_box()
            title = page.locator("#tables").bounding_box()

        assert bar is not None
        assert title is not None
        assert 0 <= bar["y"] < 5
        assert bar["x"] >= 0
        assert bar["x"] + bar["width"] <= width
        assert title["y"] >= bar["y"] + bar["height"] - 2


def test_without_scripts_there_is_no_control(browser: Browser, page_file: Path) -> None:
    with opened(browser, page_file, java_script_enabled=False) as (page, _):
        assert page.locator("#control").is_hidden()
        assert page.locator(SOAP).is_visible()


def test_marks_have_tooltips_without_scripts(page: str) -> None:
    forest = page.partition('id="figure-forest"')[2].partition("</figure>")[0]

    assert "<title>contender: GraphQL\n" in forest
    assert "95 % interval: [" in forest
    assert "verdict: clearly slower" in forest
