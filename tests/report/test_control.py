"""The control on top of the page: metric, values and contenders, chosen in a real browser."""

from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

from tests.support.chromium import violations
from tests.support.wording import assert_worded
from wirelab.analysis import Analysis
from wirelab.analysis.matrix import matrix_of
from wirelab.analysis.wording import say
from wirelab.report.control import OFFERED, control_of
from wirelab.study import CAPACITY, OF_ITEMS
from wirelab.terminal import words

from .test_browser import opened

WIDE = {"width": 1280, "height": 900}
ROW = "#answer > .sheet .matrix tbody tr:first-child"
SOAP = f"{ROW} td[data-contender^=soap]"


def cell(page: Page, of: str = SOAP) -> list[str]:
    """What a cell of the first setting says: large, beside it, in words."""
    parts = [page.locator(f"{of} {part}").first for part in ("strong", ".interval", ".how")]
    return [part.text_content() or "" for part in parts]


def settings_of(analysis: Analysis) -> dict[str, Any]:
    """What the page's script chooses from, by setting."""
    settings = control_of(matrix_of(analysis), analysis).data["settings"]
    assert isinstance(settings, dict)
    return settings


def test_every_metric_is_offered_with_texts_of_what_was_measured(analysis: Analysis) -> None:
    control, settings = control_of(matrix_of(analysis), analysis), settings_of(analysis)

    assert list(control.metrics) == [
        metric for metric in OFFERED if metric not in (CAPACITY, *OF_ITEMS)
    ]
    assert control.judged == analysis.study.metric
    for setting in analysis.settings:
        for line in setting.rows:
            values = settings[setting.key]["values"][line.summary.cell.contender]
            if line.wire is not None:
                assert values["wire_marginal_bytes"][0] == words.byte_count(line.wire.fit.marginal)
            assert values["latency_mean_us"][0] == words.duration(line.summary.mean_us.value)
            if line.judged is not None and line.judged.cpu is not None:
                names = f"{line.judged.a.contender} {line.judged.b.contender}"
                also = settings[setting.key]["pairs"][names]["also"]
                cpu = line.judged.cpu
                assert also["contender_cpu_us_per_transaction"] == (
                    words.times(cpu.ratio, cpu.interval95),
                    words.between(cpu.interval95),
                )


def test_a_percentile_of_too_few_requests_says_so(few_analysis: Analysis) -> None:
    values = [
        each["latency_p99_us"]
        for setting in settings_of(few_analysis).values()
        for each in setting["values"].values()
    ]

    ((text, number),) = set(values)
    assert number is None
    assert_worded(text)


def test_the_matrix_follows_the_control_and_can_be_restored(
    browser: Browser, page_file: Path
) -> None:
    with opened(browser, page_file, viewport=WIDE) as (page, trouble):
        page.wait_for_selector("#control:visible")
        signs = page.locator(".signs").inner_text()
        assert signs.endswith("cannot tell")
        first, look = cell(page), page.locator(SOAP).get_attribute("class")
        assert first[2] == "clearly slower"
        assert look == "bad"

        page.check("#control input[value=absolute]", force=True)
        assert cell(page)[1:] == [first[0], first[2]]
        assert page.locator(SOAP).get_attribute("class") == "bad"

        page.check("#control input[value=relative]", force=True)
        page.select_option("#control select", "wire_marginal_bytes")
        large, _, said = cell(page)
        assert large.endswith("×")
        assert said == ""  # no verdict judges bytes
        assert "slower" not in (page.locator(SOAP).text_content() or "")
        assert page.locator(".signs").inner_text().startswith("Bytes ")
        assert page.locator(SOAP).get_attribute("class") == "open"
        assert page.locator("#control output").is_visible()
        assert "This chart shows" in page.locator("#differences").inner_text()

        page.select_option("#control select", "latency_typical_us")
        assert cell(page) == first
        assert page.locator(".signs").inner_text() == signs
        assert page.locator(SOAP).get_attribute("class") == look
        assert page.locator("#control output").is_hidden()
        assert "This chart shows" not in page.locator("#differences").inner_text()
        assert trouble == []


def test_a_name_in_a_narrow_window_makes_its_contender_the_baseline(
    browser: Browser, page_file: Path
) -> None:
    phone = {"viewport": {"width": 360, "height": 740}, "has_touch": True}
    with opened(browser, page_file, **phone) as (page, trouble):
        grpc = page.locator(f"{ROW} td[data-contender^=grpc] .who button")
        before = cell(page)
        grpc.tap()

        assert grpc.get_attribute("aria-pressed") == "true"
        assert cell(page, f"{ROW} td[data-contender^=grpc]")[2] == "baseline"
        assert cell(page) != before
        assert violations(page) == []
        assert trouble == []


def test_a_header_makes_its_contender_the_baseline_and_the_address_keeps_the_view(
    browser: Browser, page_file: Path, analysis: Analysis
) -> None:
    setting = next(each for each in analysis.settings if each.judged)
    pair = setting.comparison("soap-lxml", "grpc-grpcio")
    assert pair is not None
    said = say(pair.comparison, pair.verdict)
    with opened(browser, page_file, viewport=WIDE) as (page, _):
        page.click("#answer > .sheet button[title$=' gRPC']")
        page.click("#control summary")
        page.uncheck("#control input[data-label='WebSocket']")
        address = page.url
        assert page.locator("#control input[data-label='gRPC']").is_disabled()
    with browser.new_context(viewport=WIDE) as context:  # type: ignore[arg-type]
        page = context.new_page()
        page.goto(address)
        page.wait_for_selector("#control:visible")

        assert cell(page) == [said.ratio, said.interval, said.words]
        assert cell(page, f"{ROW} td[data-contender^=grpc]")[2] == "baseline"
        assert page.locator(f"{ROW} td[data-contender^=websocket]").is_hidden()
        assert page.locator("#control .count").inner_text() == "4 of 5"


def test_a_cell_tells_what_its_verdict_rests_on(browser: Browser, page_file: Path) -> None:
    detail = ".detail:popover-open"
    with opened(browser, page_file, viewport=WIDE) as (page, trouble):
        page.wait_for_selector("#control:visible")
        page.click(f"{SOAP} .what")
        assert "SOAP relative" in page.locator(detail).inner_text()
        assert "95 % interval [" in page.locator(detail).inner_text()
        assert page.locator(f"{detail} circle").count() == 6 + 1  # blocks, and their mean
        page.keyboard.press("Escape")
        assert page.locator(detail).count() == 0

        page.keyboard.press("Shift+Tab")
        assert "WebSocket relative" in page.locator(detail).inner_text()
        assert violations(page) == []
        page.keyboard.press("Escape")
        page.click("#control summary")
        page.keyboard.press("Escape")
        assert page.locator("#control details[open]").count() == 0
        assert trouble == []


def test_a_chart_can_be_saved_as_a_picture(browser: Browser, page_file: Path) -> None:
    with opened(browser, page_file, viewport=WIDE) as (page, trouble):
        page.hover("#figure-forest")
        with page.expect_download() as download:
            page.click("#figure-forest .save")

        assert download.value.suggested_filename == "figure-forest.png"
        content = Path(download.value.path()).read_bytes()
        assert content.startswith(b"\x89PNG")
        assert len(content) > 10_000
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
