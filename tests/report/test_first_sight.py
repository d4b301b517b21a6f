"""The page as it opens: how long it is, what a phone shows, what a screen reader meets."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Locator

from tests.support.bundles.circumstances import Circumstances
from tests.support.bundles.models import ROOT, models_of
from tests.support.bundles.small import render_texts
from tests.support.bundles.synthetic import write_bundle
from tests.support.chromium import on_phone_and_desktop, violations
from wirelab.analysis import Analysis, analyse
from wirelab.analysis.matrix import matrix_of
from wirelab.report import render_html
from wirelab.report.palette import Palette
from wirelab.study import load_study

from .test_browser import opened

LONGEST_PX, MOST_PAGES = 5000, 8
TROUBLED = Circumstances(
    start_noise=0.12,
    stolen_permutations=0.4,
    stolen_share=0.5,
    tails={"soap-lxml": 0.04},
    carry_over={"graphql-graphene": 0.08},
    idle_cpu={"soap-lxml": 0.2},
)


UNFOLD = "document.querySelectorAll('details').forEach(d => d.open = true)"
EXTENTS = """all => all.map(it => {
  const box = it.getBoundingClientRect();
  return it.getClientRects().length ? [box.left, box.right] : null;
})"""


def are_across(elements: Locator, width: int) -> bool:
    """Tell whether all of the elements, of which there are some, are shown between 0 and a width.

    They are measured at once: one by one, a browser spends seconds on searching for each again.
    """
    extents = elements.evaluate_all(EXTENTS)
    return bool(extents) and all(it and it[0] >= 0 and it[1] <= width for it in extents)


@pytest.fixture(scope="module")
def worst(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of sixteen settings with everything in them that may go wrong."""
    folder = tmp_path_factory.mktemp("worst")
    bundle = write_bundle(
        folder / "bundle",
        requests=60,
        environments=("native", "container"),
        stores=("postgresql", "mongodb"),
        invalid=60,
        happens=TROUBLED,
    )
    page = folder / "report.html"
    page.write_text(render_html(analyse(bundle)), encoding="utf-8")
    return page


@pytest.mark.slow
def test_many_settings_still_make_one_small_page(worst: Path) -> None:
    assert worst.stat().st_size < 3_000_000
    page = worst.read_text(encoding="utf-8")
    assert "4 further settings" in " ".join(page.split())  # of 16


def require_short(browser: Browser, path: Path) -> None:
    """Require that a page opens with few pixels of height, and prints on few pages."""
    with opened(browser, path, viewport={"width": 1280, "height": 900}) as (page, _):
        assert page.evaluate("document.documentElement.scrollHeight") <= LONGEST_PX, path
        page.emulate_media(media="print")
        printed = re.findall(rb"/Type\s*/Page[^s]", page.pdf(format="A4"))
        assert len(printed) <= MOST_PAGES, path


def test_reports_open_short_and_print_on_few_pages(browser: Browser, worst: Path) -> None:
    for path in (worst, *(ROOT / "docs" / "examples").glob("*/report.html")):
        require_short(browser, path)


@pytest.mark.thorough(reason="the largest study")
def test_the_page_of_a_study_with_many_workloads_opens_short(
    browser: Browser, tmp_path: Path
) -> None:
    study = ROOT / "studies" / "lingbm-2022"
    bundle = write_bundle(
        tmp_path / "bundle",
        path=study,
        design="generic",
        models=models_of(*load_study(study).contenders),
        workloads=(),
        blocks=3,
        requests=12,
        permutations=3,
    )
    page = tmp_path / "report.html"
    page.write_text(render_html(analyse(bundle)), encoding="utf-8")
    require_short(browser, page)


def test_the_answer_fits_one_screen(browser: Browser, page_file: Path) -> None:
    with opened(browser, page_file, viewport={"width": 1280, "height": 900}) as (page, _):
        box = page.locator("#answer .matrix").first.bounding_box()
        sheet = page.locator("#answer > .sheet").first
        scrolls = sheet.evaluate("sheet => sheet.scrollWidth > sheet.clientWidth")

    assert box is not None
    assert box["y"] + box["height"] <= 900
    assert not scrolls


@pytest.mark.parametrize("count", [2, 4, 6, 7])
def test_figures_in_the_matrix_stay_in_their_cells(
    browser: Browser, many: Analysis, tmp_path: Path, count: int
) -> None:
    run_over = """() => [...document.querySelectorAll('#answer .matrix td')].flatMap(cell => {
      const padding = parseFloat(getComputedStyle(cell).paddingRight);
      const end = cell.getBoundingClientRect().right - padding + 0.5;
      const shown = (part) => getComputedStyle(part).position !== 'absolute';
      return [...cell.querySelectorAll('.what, .how')].filter(shown).filter(part => {
        const range = document.createRange();
        range.selectNodeContents(part);
        return range.getBoundingClientRect().right > end;
      }).map(part => part.textContent.trim());
    })"""
    measured = {column.contender for column in matrix_of(many).contenders[:count]}
    fewer = [
        replace(it, rows=tuple(r for r in it.rows if r.summary.cell.contender in measured))
        for it in many.settings
    ]
    path = tmp_path / "report.html"
    found = replace(many, settings=tuple(fewer))
    path.write_text(render_texts(found), encoding="utf-8")

    for width in (1024, 1280):
        with opened(browser, path, viewport={"width": width, "height": 900}) as (page, _):
            columns = page.locator("#answer > .sheet thead [data-rebase]").count()
            assert columns == len(matrix_of(found).columns) >= count
            sheet = page.locator("#answer > .sheet").first
            for shown in ("relative", "absolute"):
                page.locator("#control").get_by_text(shown).click()
                assert page.evaluate(run_over) == []
                assert sheet.evaluate("sheet => sheet.scrollWidth <= sheet.clientWidth")


@pytest.mark.parametrize("which", ["usual", "worst"])
def test_a_phone_shows_verdicts_without_scrolling_sideways(
    browser: Browser, page_file: Path, worst: Path, which: str
) -> None:
    path = page_file if which == "usual" else worst
    with opened(browser, path, viewport={"width": 360, "height": 780}) as (page, _):
        cells = page.locator("#answer > .sheet .matrix td >> visible=true")
        assert cells.count() >= 12
        assert are_across(cells.locator(".who, .what, .how"), 360)
        sheet = page.locator("#answer > .sheet").first
        assert sheet.evaluate("sheet => sheet.scrollWidth <= sheet.clientWidth")


@pytest.fixture(scope="module")
def tall(many: Analysis, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of twelve contenders in one setting."""
    page = tmp_path_factory.mktemp("tall") / "report.html"
    page.write_text(render_texts(many), encoding="utf-8")
    return page


@pytest.fixture(scope="module")
def wide(many: Analysis, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same as if there were too many settings to show contenders in rows."""
    page = tmp_path_factory.mktemp("wide") / "report.html"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("wirelab.analysis.matrix.MOST_ACROSS", 0)
        page.write_text(render_html(many), encoding="utf-8")
    return page


def test_many_contenders_in_few_settings_are_in_rows_by_question(
    browser: Browser, many: Analysis, tall: Path
) -> None:
    questions = [question.text for question in many.study.questions.values()]
    with opened(browser, tall) as (page, _):
        groups = page.locator("#answer .tall tr.group").all_inner_texts()
        shown_questions = [" ".join(group.split()) for group in groups]
        assert shown_questions == [each for each in questions if each in shown_questions]
        assert len(groups) >= 4
        shown = page.locator("#answer .tall :is(th, .what, .how) >> visible=true")
        sheet = page.locator("#answer > .sheet").first
        for width in (360, 800, 1280, 1920):
            page.set_viewport_size({"width": width, "height": 900})
            assert are_across(shown, width), width
            assert sheet.evaluate("sheet => sheet.scrollWidth <= sheet.clientWidth"), width


def test_a_hidden_contender_has_no_row(browser: Browser, tall: Path) -> None:
    with opened(browser, tall, viewport={"width": 1280, "height": 900}) as (page, _):
        row = page.locator("#answer .tall tr:has(button:text-is('gRPC js'))")
        assert row.is_visible()
        count = page.locator("#answer .tall tbody tr:not(.group)").count()
        page.locator(".who-is-shown summary").click()
        page.uncheck("#control input[data-label='gRPC js']")
        assert row.is_hidden()
        assert (
            page.locator("#answer .tall tbody tr:not(.group) >> visible=true").count() == count - 1
        )


def test_a_matrix_of_many_contenders_keeps_its_words_apart(browser: Browser, wide: Path) -> None:
    run_over = """() => [...document.querySelectorAll('.wide :is(thead th, .what)')]
      .filter(it => getComputedStyle(it.closest('thead') ?? it).position !== 'absolute')
      .filter(it => it.scrollWidth > it.clientWidth && it.clientWidth > 0)
      .map(it => it.textContent.trim())"""
    with opened(browser, wide) as (page, _):
        assert page.locator(".wide thead th").count() > 12
        sheet, contents = page.locator(".sheet.wide").first, page.locator(".contents")
        for width in (800, 1280, 1366, 1440, 1600, 1920):
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate(run_over) == [], width
            assert page.evaluate("document.body.scrollWidth <= window.innerWidth"), width
            boxes = sheet.bounding_box(), contents.bounding_box()
            assert boxes[0] is not None
            assert boxes[1] is not None
            is_beside = boxes[1]["x"] + boxes[1]["width"] <= boxes[0]["x"]
            assert is_beside or boxes[1]["y"] + boxes[1]["height"] <= boxes[0]["y"], width


def test_switching_metrics_and_back_leaves_the_matrix_unchanged(
    browser: Browser, wide: Path
) -> None:
    with opened(browser, wide, viewport={"width": 1280, "height": 900}) as (page, _):
        before = page.locator(".wide tbody").inner_html()
        page.locator("select[name=metric]").select_option("contender_cpu_us_per_transaction")
        assert page.locator(".wide tbody").inner_html() != before
        page.locator("#control").get_by_text("absolute").click()
        page.locator("#control").get_by_text("relative").click()
        page.locator("select[name=metric]").select_option("latency_mean_us")
        assert page.locator(".wide tbody").inner_html() == before


OVERLAPPING = """() => [...document.querySelectorAll('.drawing')].flatMap(drawing => {
  const boxes = [...drawing.querySelectorAll('svg text')]
    .map(text => [text.textContent, text.getBoundingClientRect()])
    .filter(([words, box]) => words.trim() && box.width > 0);
  return boxes.flatMap(([a, one], place) => boxes.slice(place + 1)
    .filter(([, two]) => Math.min(one.right, two.right) - Math.max(one.left, two.left) > 0.5
      && Math.min(one.bottom, two.bottom) - Math.max(one.top, two.top) > 2.5)
    .map(([b]) => `${drawing.closest('figure').id}: ${a} / ${b}`));
})"""
OUTSIDE = """() => [...document.querySelectorAll('.drawing svg')].flatMap(drawing => {
  const box = drawing.getBoundingClientRect();
  return [...drawing.querySelectorAll('text')]
    .map(text => [text.textContent, text.getBoundingClientRect()])
    .filter(([, own]) => own.width && (own.left < box.left - 1 || own.right > box.right + 1))
    .map(([words]) => `${drawing.closest('figure').id}: ${words}`);
})"""
CUT = """() => [...document.querySelectorAll('.table')]
  .filter(table => table.scrollWidth > table.clientWidth + 1)
  .map(table => table.getAttribute('aria-label'))"""


@pytest.mark.parametrize(
    ("offenders", "which", "width", "media"),
    [
        pytest.param(OVERLAPPING, "page_file", 360, "screen", id="names-phone"),
        pytest.param(OVERLAPPING, "page_file", 1280, "screen", id="names"),
        pytest.param(OUTSIDE, "page_file", 1280, "screen", id="words"),
        pytest.param(OUTSIDE, "page_file", 1280, "print", id="words-printed"),
        pytest.param(OUTSIDE, "wide", 1280, "screen", id="words-many"),
        pytest.param(OUTSIDE, "wide", 1280, "print", id="words-many-printed"),
        pytest.param(CUT, "page_file", 1280, "screen", id="tables"),
        pytest.param(CUT, "tall", 1280, "screen", id="tables-many"),
    ],
)
def test_no_names_overlap_no_words_leave_their_chart_and_all_tables_fit(
    request: pytest.FixtureRequest,
    browser: Browser,
    *,
    offenders: str,
    which: str,
    width: int,
    media: Literal["screen", "print"],
) -> None:
    path = request.getfixturevalue(which)
    with opened(browser, path, viewport={"width": width, "height": 900}) as (page, _):
        page.evaluate(UNFOLD)
        page.emulate_media(media=media)
        assert page.evaluate(offenders) == []


@pytest.mark.parametrize("selector", ["#claims .claim .verdict", ".fold > summary h2"])
def test_a_phone_shows_verdicts_of_claims_and_titles_beside_their_signs(
    browser: Browser, page_file: Path, selector: str
) -> None:
    with opened(browser, page_file, viewport={"width": 360, "height": 780}) as (page, _):
        page.evaluate(UNFOLD)
        assert are_across(page.locator(selector), 360)
        tops = page.evaluate(
            """() => [...document.querySelectorAll('.fold > summary')].map(summary =>
            summary.querySelector('h2').getBoundingClientRect().top
              - summary.getBoundingClientRect().top)"""
        )
    assert max(tops) < 20


def test_a_phone_shows_all_contenders_that_can_be_chosen(browser: Browser, wide: Path) -> None:
    with opened(browser, wide, viewport={"width": 360, "height": 780}) as (page, _):
        page.locator(".who-is-shown summary").click()
        choices = page.locator(".choices label")

        assert choices.count() == 12
        assert are_across(choices, 360)


@on_phone_and_desktop
def test_axe_finds_nothing(
    browser: Browser, page_file: Path, worst: Path, scheme: str, width: int
) -> None:
    for path in (page_file, worst):
        viewport = {"width": width, "height": 900}
        with opened(browser, path, viewport=viewport, color_scheme=scheme) as (page, _):
            for state in ("false", "true"):
                page.evaluate(
                    f"document.querySelectorAll('details').forEach(d => d.open = {state})"
                )
                assert violations(page) == [], (path, state)


def test_contents_open_folded_sections_and_the_keyboard_reaches_them(
    browser: Browser, page_file: Path
) -> None:
    with opened(
        browser, page_file, viewport={"width": 1500, "height": 900}, java_script_enabled=False
    ) as (page, _):
        assert page.locator("#cpu").is_hidden()
        page.keyboard.press("Tab")
        assert page.locator(".skip").evaluate("link => link === document.activeElement")

        page.locator(".contents a[href='#cpu']").focus()
        page.keyboard.press("Enter")
        page.locator("#cpu").wait_for(state="visible")


def test_contenders_differ_in_colour_and_mark_in_a_study_of_one_protocol(
    analysis: Analysis,
) -> None:
    records = {
        f"graphql-{number}": record.model_copy(update={"protocol": "graphql"})
        for number, record in enumerate([*analysis.contenders.values()] * 3)
    }
    palette = Palette.of_contenders(records, {name: name for name in records})

    styles = [palette[name] for name in records]
    looks = {(palette.hues[style.hue[6:-1]], style.mark) for style in styles}
    assert len(looks) == len(records) >= 15
    assert len({palette.hues[style.hue[6:-1]] for style in styles[:8]}) == 8
