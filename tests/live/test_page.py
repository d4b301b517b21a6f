"""The live page in a real browser, from the start of a real study to Ctrl-C."""

import re
from contextlib import AbstractContextManager, ExitStack, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support import chromium
from tests.support.bundles.models import MODELS
from tests.support.bundles.until_decided import FabricatedStudy
from tests.support.chromium import on_phone_and_desktop, violations
from wirelab.commands.resumption import how_to_resume
from wirelab.commands.studies.run import live_page
from wirelab.experiment.events import BundleOpened, StageStarted

from .conftest import PAGE_REMAINS, LiveRun

PATIENT_MS = 240_000
TITLE = "One good contender, and what can go wrong"
MOST_SCREENS = 2
PHONE_PX = 740


def opened(
    browser: Browser, address: str, **options: Any
) -> AbstractContextManager[tuple[Page, list[str]]]:
    """Open the page; complaints, and requests to anywhere but its own server, are listed."""
    own = "http://" + urlsplit(address).netloc
    return chromium.opened(browser, address, own=own, patience_ms=PATIENT_MS, **options)


def require_accessible(page: Page) -> None:
    """Require that axe finds nothing, and that nothing is wider than the page."""
    assert violations(page) == []
    root = "document.documentElement"
    assert page.evaluate(f"{root}.scrollWidth <= {root}.clientWidth")


def test_the_page_follows_a_study_to_its_report(browser: Browser, live_run: LiveRun) -> None:
    with opened(browser, live_run.address, viewport={"width": 1280, "height": 900}) as (page, bad):
        expect(page.locator("#stage")).to_have_text("Measuring", timeout=PATIENT_MS)
        expect(page.locator("h1")).to_have_text(TITLE, timeout=PATIENT_MS)
        expect(page.locator("#now tr")).to_have_count(4, timeout=PATIENT_MS)  # and the twin
        expect(page.locator("#facts")).to_contain_text("left")
        with live_run.paused():  # or it might end meanwhile
            for width in (360, 1280):
                page.set_viewport_size({"width": width, "height": 900})
                require_accessible(page)
            assert page.locator("#stage").inner_text() == "Measuring"
        expect(page.locator("#stage")).to_have_text("The study is complete", timeout=PATIENT_MS)

        rows = page.locator("#now tr").all_inner_texts()
        steady = page.locator("#now tr", has_text="steady").first
        _, requests, *others = map(str.strip, steady.locator("th, td").all_text_contents())
        assert re.fullmatch(r"[\d,]+", requests)
        assert all(re.fullmatch(r"[\d.,]+ (µs|ms)", time) for time in others[:3])
        assert "body_mismatch" in next(row for row in rows if row.startswith("lying"))
        forest = page.locator(".forest tbody tr").all_inner_texts()
        assert any("steady" in it and "× [" in it and "2 blocks" in it for it in forest)
        titles = page.locator(".live-chart h3").all_text_contents()
        begin = {title.partition(" ")[0] for title in titles}
        assert {"Transactions", "Median", "Failed", "CPUs", "Memory:"} <= begin
        expect(page.locator("#ending")).to_contain_text("report is ready")
        expect(page.locator("#ending")).to_contain_text("Ctrl-C")
        live_run.wait_for(PAGE_REMAINS)
        assert live_run.process.poll() is None

        page.click("text=read the findings")
        expect(page.locator("h1")).to_have_text(TITLE)
        expect(page.locator("#answer")).to_be_visible()
        assert bad == []


def test_every_chart_shows_a_line_for_each_contender(browser: Browser, live_run: LiveRun) -> None:
    live_run.wait_for(PAGE_REMAINS)
    with opened(browser, live_run.address) as (page, _):
        expect(page.locator(".live-chart canvas").first).to_be_visible()
        points = page.evaluate(
            "Object.fromEntries([...charts.drawn].map(([name, it]) => [name, it.plot.data.slice(1)"
            ".map(line => line.filter(value => value !== null).length)]))"
        )

    assert len(points) >= 8
    assert all(max(lines) >= 1 for lines in points.values())
    for name in ("rate", "p50", "p99", "cpu/contender", "memory/contender"):
        assert len(points[name]) == 4, name  # and the twin
        assert min(points[name]) >= 1, name


def test_a_chart_shows_its_values_at_the_pointer(browser: Browser, live_run: LiveRun) -> None:
    live_run.wait_for(PAGE_REMAINS)
    with opened(browser, live_run.address) as (page, _):
        chart = page.locator(".live-chart").first
        expect(chart.locator("canvas")).to_be_visible()
        place = page.evaluate(
            """() => {
                const { plot } = charts.drawn.get("rate");
                const line = plot.series.findIndex((it) => it.label === "steady");
                const bin = plot.data[line].findIndex((value) => value !== null);
                return plot.valToPos(plot.data[0][bin], "x");
            }"""
        )
        chart.locator(".u-over").hover(position={"x": max(1, place), "y": 40})

        expect(chart.locator(".readout")).to_contain_text("steady")


@on_phone_and_desktop
def test_axe_finds_nothing_and_no_element_is_too_wide(
    browser: Browser, live_run: LiveRun, scheme: str, width: int
) -> None:
    live_run.wait_for(PAGE_REMAINS)
    options = {"viewport": {"width": width, "height": 900}, "color_scheme": scheme}
    with opened(browser, live_run.address, **options) as (page, trouble):
        expect(page.locator(".track .span").first).to_be_visible()
        require_accessible(page)
        assert page.evaluate("document.documentElement.scrollHeight") <= MOST_SCREENS * 900
        for part in page.locator(".part:not([open]) > summary >> visible=true").all()[::-1]:
            part.click()
        for view in ("CPU", "memory"):
            page.get_by_text(view, exact=True).click()
            expect(page.locator(".live-chart", has_text=view).first).to_be_visible()
        page.locator("#legend button", has_text="lying").click()
        require_accessible(page)

    assert trouble == []


def test_the_legend_hides_the_lines_of_a_contender(browser: Browser, live_run: LiveRun) -> None:
    live_run.wait_for(PAGE_REMAINS)
    shown = """() => [...charts.drawn.values()].map(({ plot }) =>
      plot.series.find((it) => it.label === "lying").show)"""
    with opened(browser, live_run.address) as (page, _):
        button = page.locator("#legend button", has_text="lying")
        for pressed in ("false", "true"):
            button.click()
            expect(button).to_have_attribute("aria-pressed", pressed)
            assert set(page.evaluate(shown)) == {pressed == "true"}


def test_lines_end_with_their_blocks(browser: Browser, live_run: LiveRun) -> None:
    live_run.wait_for(PAGE_REMAINS)
    within = """() => [...charts.drawn.values()].flatMap(({ pieces }) => pieces.slice(1).flat())
      .map((bins) => bins.map((bin) => charts.blockAt(charts.series.times()[bin])))"""
    with opened(browser, live_run.address) as (page, _):
        expect(page.locator(".live-chart canvas").first).to_be_visible()
        pieces = page.evaluate(within)
        spans = page.evaluate("charts.spans")

    assert all(first == last for first, last in pieces)
    assert len({first for first, _ in pieces if first >= 0}) == len(spans)
    assert all(begin < end and title for begin, end, title in spans)


def test_charts_take_the_colours_of_the_page(browser: Browser, live_run: LiveRun) -> None:
    live_run.wait_for(PAGE_REMAINS)
    colour = "charts.drawn.get('rate').plot.series[1].stroke(charts.drawn.get('rate').plot, 1)"
    seen = []
    for scheme in ("light", "dark"):
        with opened(browser, live_run.address, color_scheme=scheme) as (page, _):
            expect(page.locator(".live-chart canvas").first).to_be_visible()
            seen.append(page.evaluate(colour))

    assert seen[0] != seen[1]
    assert all(re.fullmatch(r"#[0-9a-f]{6}", each) for each in seen)


def test_the_keyboard_reaches_everything(browser: Browser, live_run: LiveRun) -> None:
    live_run.wait_for(PAGE_REMAINS)
    with opened(browser, live_run.address) as (page, _):
        expect(page.locator("#ending a")).to_be_visible()
        reached = []
        for _ in range(20):
            page.keyboard.press("Tab")
            reached.append(page.evaluate("document.activeElement.textContent.trim().slice(0, 20)"))

    assert reached[0] == "To the content"
    assert "read the findings" in reached
    assert "/metrics" in reached
    assert any(text.startswith("contender") for text in reached)  # the table, which may scroll
    assert {"good", "steady", "lying"} <= set(reached)  # the legend


@pytest.mark.parametrize(
    ("fault", "shown"),
    [(ZeroDivisionError, "failed"), (KeyboardInterrupt, "interrupted")],
)
def test_any_fault_of_a_study_is_shown_with_the_command_that_resumes_it(
    browser: Browser, fault: type[BaseException], shown: str, tmp_path: Path
) -> None:
    bundle = FabricatedStudy(tmp_path).bundle.path
    with ExitStack() as stack:
        with suppress(fault), live_page(0, bundle) as live:
            assert live is not None
            live.on(StageStarted("Measuring", 2))
            page, _ = stack.enter_context(opened(browser, live.address))
            expect(page.locator("#stage")).to_have_text("Measuring", timeout=PATIENT_MS)
            raise fault
        page.wait_for_function("events.readyState === EventSource.CONNECTING")  # no server answers

        expect(page.locator("#stage")).to_contain_text(shown)
        expect(page.locator("#ending pre")).to_have_text(how_to_resume(bundle))
        expect(page.locator("#ending button")).to_be_visible()


def test_verdicts_are_marked_as_final(browser: Browser, tmp_path: Path) -> None:
    study = FabricatedStudy(tmp_path, lost={"grpc-grpcio": range(2, 100)})
    study.measure()
    decided, questions = study.latest.decided, study.latest.questions
    with live_page(0, tmp_path) as live:
        assert live is not None
        for event in (BundleOpened(study.bundle.path.resolve(), 60.0), study.latest):
            live.on(event)
        with opened(browser, live.address) as (page, trouble):
            rows = page.locator(".forest tbody tr:not(.aside)")
            expect(rows).to_have_count(questions, timeout=PATIENT_MS)
            expect(rows.filter(has_text="(final)")).to_have_count(decided)
            expect(rows.filter(has_text="no further block")).to_have_count(questions - decided)
            expect(page.locator("#facts")).to_contain_text(study.latest.text)
            expect(page.locator("#found")).to_contain_text("GraphQL clearly slower")
            require_accessible(page)

    assert 0 < decided < questions
    assert trouble == []


def test_many_comparisons_take_two_screens_of_a_phone(browser: Browser, tmp_path: Path) -> None:
    workloads = ("insert_one", "fetch_one", "fetch_hundred")
    study = FabricatedStudy(tmp_path, MODELS, workloads=workloads, requests=20)
    study.measure(most=6)
    with live_page(0, tmp_path) as live:
        assert live is not None
        for event in (BundleOpened(study.bundle.path.resolve(), 60.0), study.latest):
            live.on(event)
        with opened(browser, live.address, viewport={"width": 360, "height": PHONE_PX}) as (
            page,
            _,
        ):
            rows = page.locator(".forest tbody tr >> visible=true")
            expect(rows.first).to_be_visible(timeout=PATIENT_MS)
            assert rows.count() > 2 * len(workloads)
            height = page.evaluate("document.documentElement.scrollHeight")
            words = page.locator(".forest .so-far").all_text_contents()
            require_accessible(page)

    assert height <= MOST_SCREENS * PHONE_PX
    assert all(words)  # those that only a screen reader meets


def test_the_page_states_that_scripts_are_disabled(browser: Browser, live_run: LiveRun) -> None:
    with opened(browser, live_run.address, java_script_enabled=False) as (page, _):
        assert "needs scripts" in page.locator("noscript").inner_text()


def test_ctrl_c_ends_the_page_and_leaves_the_exit_code(browser: Browser, live_run: LiveRun) -> None:
    live_run.wait_for(PAGE_REMAINS)
    with opened(browser, live_run.address):
        assert live_run.interrupt() == 5  # the runs whose answers were wrong do not count
