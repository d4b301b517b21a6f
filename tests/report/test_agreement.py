"""Every page, file and terminal says the same of a comparison: ratio, interval and verdict."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping

import pytest
from jinja2 import PackageLoader
from lxml import html
from lxml.html import HtmlElement

from tests.support.bundles.models import models_of
from tests.support.bundles.small import render_texts
from tests.support.bundles.synthetic import write_bundle
from tests.support.terminal import shown
from wirelab.analysis import Analysis, analyse
from wirelab.analysis.matrix import matrix_of
from wirelab.analysis.synopsis import synopsis_of
from wirelab.analysis.wording import Said, say, sign
from wirelab.browse.glance import MOST_COLUMNS, MOST_ROWS, glance_at
from wirelab.report import render_markdown, terminal_view
from wirelab.report.charts.forest import forest, panels_of
from wirelab.report.control import control_of
from wirelab.report.environment import environment
from wirelab.report.palette import Palette
from wirelab.terminal import words

GENERATED = ("usual", "two blocks", "twelve contenders", "throughput", "noisy", "invalid runs")

Texts = Mapping[tuple[str, str], tuple[str, ...]]
"""What is said of a contender in a setting, by the setting's title and the contender's label."""


@pytest.fixture(scope="module", params=GENERATED)
def generated(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    """An analysis of a bundle of each kind."""
    fixtures = dict(
        zip(GENERATED, ("analysis", "few_analysis", "many", "throughput"), strict=False)
    )
    if request.param in fixtures:
        found: Analysis = request.getfixturevalue(fixtures[request.param])
        return found
    options = {"noisy": {"requests": 25, "permutations": 3}, "invalid runs": {"invalid": 30}}
    return analyse(
        write_bundle(
            tmp_path_factory.mktemp("generated") / "bundle",
            models=models_of("rest-flask", "graphql-graphene", "grpc-grpcio"),
            **{"requests": 100, "seed": 11, **options[request.param]},  # type: ignore[arg-type]
        )
    )


def of_rows(analysis: Analysis) -> dict[tuple[str, str], Said]:
    """What must be said of each row of each setting, by the only function that says it."""
    return {
        (setting.title, row.summary.label): say(row.judged.comparison, row.judged.verdict)
        for setting in analysis.settings
        for row in setting.rows
        if row.judged is not None
    }


def squeezed(node: HtmlElement, *classes: str) -> tuple[str, ...]:
    """The texts of an element's parts with these classes, the first of each."""
    parts = [node.xpath(f".//*[contains(@class, '{name}')]") for name in classes]
    return tuple(" ".join(part[0].text_content().split()) if part else "" for part in parts)


def of_page(analysis: Analysis) -> Iterator[Texts]:
    """What matrix and tables of the page say."""
    document = html.document_fromstring(render_texts(analysis))
    titles = {setting.key: setting.title for setting in analysis.settings}
    matrix: dict[tuple[str, str], tuple[str, ...]] = {}
    for cell in document.xpath("//section[@id='answer']//td[@data-contender]"):
        if (strong := cell.xpath(".//strong")) and "×" in strong[0].text_content():
            at = titles[cell.get("data-setting")], analysis.labels[cell.get("data-contender")]
            matrix[at] = (strong[0].text_content(), *squeezed(cell, "interval", "how"))
    yield matrix
    tables: dict[tuple[str, str], tuple[str, ...]] = {}
    for table in document.xpath("//div[starts-with(@aria-label, 'Results: ')]"):
        for row in table.xpath(".//tbody/tr"):
            ratio = row.xpath("./td[contains(string(), '×')][1]")
            if ratio:
                (label,) = squeezed(row, "name")
                shown = "".join(ratio[0].xpath("./text()")).strip()
                said = " ".join(ratio[0].getnext().text_content().split())
                interval = squeezed(ratio[0], "range")[0]
                at = table.get("aria-label").removeprefix("Results: "), label
                tables[at] = (shown, "" if interval.startswith("vs ") else interval, said)
    yield tables


def of_charts(analysis: Analysis) -> Iterator[Texts]:
    """What the chart of differences says, in wide and in narrow windows."""
    palette = Palette.from_analysis(analysis)
    for is_wide in (True, False):
        found: dict[tuple[str, str], tuple[str, ...]] = {}
        for panel in panels_of(analysis.settings, palette):
            spec = forest([panel], palette, 0.05, 300, is_wide=is_wide).to_dict(validate=False)
            for layer in spec["vconcat"][0]["layer"]:
                for row in layer.get("data", {}).get("values", ()):
                    if "shown" in row:
                        ratio, _, interval = row["shown"].partition(" ")
                        title = panel.title.partition(" · relative to ")[0]
                        found[title, row["label"]] = (ratio, interval, row["verdict"])
        yield found


def plain(text: str) -> str:
    return text.replace("\\", "").replace("**", "").strip()


def of_markdown(analysis: Analysis) -> Iterator[Texts]:
    """What the tables of the settings say in Markdown."""
    found: dict[tuple[str, str], tuple[str, ...]] = {}
    for part in render_markdown(analysis).partition("## All figures")[2].split("\n### ")[1:]:
        title, *lines = part.splitlines()
        head = [plain(cell) for cell in lines[1].split("|")]
        if "verdict" not in head:
            break
        label, verdict = head.index("contender"), head.index("verdict")
        for line in (line for line in lines[3:] if line.startswith("|")):
            cells = [plain(cell) for cell in line.split("|")]
            if "×" in cells[verdict - 1]:
                ratio, _, interval = cells[verdict - 1].partition(" vs ")[0].partition(" ")
                found[plain(title), cells[label]] = (ratio, interval, cells[verdict])
    yield found


def of_data(analysis: Analysis) -> Iterator[Texts]:
    """What the page's script shows after another choice, and tells of a comparison."""
    matrix = matrix_of(analysis)
    settings = control_of(matrix, analysis).data["settings"]
    assert isinstance(settings, dict)
    yield {
        (settings[row.setting.key]["title"], cell.column.label): (said[0], said[1], said[3])
        for row in (*matrix.judged, *matrix.others)
        for cell in row.cells
        if cell.judged
        for said in (
            settings[row.setting.key]["pairs"][
                f"{cell.judged.a.contender} {cell.judged.b.contender}"
            ]["said"],
        )
    }


@pytest.mark.parametrize("medium", [of_page, of_charts, of_markdown, of_data])
def test_the_same_is_said_of_a_comparison_everywhere(
    generated: Analysis, medium: Callable[[Analysis], Iterator[Texts]]
) -> None:
    expected = {
        at: (said.ratio, said.interval, said.words) for at, said in of_rows(generated).items()
    }

    for found in medium(generated):
        assert found == expected


def test_a_terminal_says_the_same(generated: Analysis) -> None:
    lines = shown(terminal_view(generated), 220).splitlines()

    for (_, label), said in of_rows(generated).items():
        line = (f" {label} ", said.estimate, f"{said.sign} {said.words}".strip())
        assert any(all(part in each for part in line) for each in lines), line


def test_the_list_of_bundles_says_and_counts_the_same(generated: Analysis) -> None:
    matrix, synopsis = matrix_of(generated), synopsis_of(generated)
    glance = glance_at(synopsis)
    jinja = environment()
    jinja.loader = PackageLoader("wirelab.browse")
    verdicts = jinja.get_template("entry.html").module.verdicts  # type: ignore[attr-defined]
    drawn = html.fromstring(str(verdicts(synopsis, glance, "bundle")))
    expected = of_rows(generated)

    rows = drawn.xpath(".//tbody/tr")
    assert len(rows) == min(MOST_ROWS, len(matrix.judged))
    for row, setting in zip(rows, matrix.judged, strict=False):
        for cell, (column, against) in zip(row.xpath("./td"), glance.columns, strict=True):
            said = expected.get((setting.setting.title, column.label))
            if said is not None:
                shown = " ".join(cell.text_content().split())
                assert shown == f"{said.sign}{said.ratio} , {said.words}".replace("× ,", "×,")
                assert against in {row.judged.b_label for row in setting.setting.rows if row.judged}
    assert len(glance.columns) <= MOST_COLUMNS
    signs = Counter(
        sign(cell.verdict) for row in matrix.judged for cell in row.cells if cell.verdict
    )
    assert {each.sign: each.count for each in glance.tallies} == signs


def test_each_band_has_one_baseline(many: Analysis) -> None:
    matrix = matrix_of(many)
    (row,) = matrix.judged
    bands = {
        band.title: [matrix.columns[position].label for position in band.positions]
        for band in matrix.bands
    }

    assert bands["In Node.js"] == ["REST express", "GraphQL apollo", "gRPC js"]
    assert bands["Among REST servers"] == ["REST fastapi", "REST express", "REST chi"]
    for band in matrix.bands:
        for column, position in zip(band.columns, band.positions, strict=True):
            judged = row.cells[position].judged
            if column.is_baseline:
                assert judged is None
                assert column is band.baseline
            else:
                assert judged is not None
                assert judged.verdict is not None
                assert judged.b.contender == band.baseline.contender
    asked = [each.judged for setting in many.settings for each in setting.rows if each.judged]
    shown = [cell.judged for cell in row.cells if cell.judged]
    assert {(pair.a, pair.b) for pair in shown} == {(pair.a, pair.b) for pair in asked}
    assert len(shown) == len(asked), "each comparison once"


def test_any_contender_of_a_band_can_become_its_baseline(many: Analysis) -> None:
    (setting,) = many.settings

    for band in matrix_of(many).bands:
        names = [column.contender for column in band.columns]
        for a in names:
            for b in set(names) - {a}:
                pair, inverse = setting.comparison(a, b), setting.comparison(b, a)
                assert pair is not None
                assert inverse is not None
                assert pair.comparison.ratio == pytest.approx(1 / inverse.comparison.ratio)
                assert pair.verdict is not None
                assert inverse.verdict is not None
                assert pair.verdict.outcome is inverse.verdict.outcome.opposite


def test_an_undecided_comparison_names_the_command_that_would_decide_it(
    analysis: Analysis, few_analysis: Analysis
) -> None:
    def commands(of: Analysis) -> set[str]:
        settings = control_of(matrix_of(of), of).data["settings"]
        assert isinstance(settings, dict)
        return {pair["command"] for each in settings.values() for pair in each["pairs"].values()}

    decided, undecided = commands(analysis), commands(few_analysis)

    assert "" in decided
    assert f"{few_analysis.rerun} --blocks 6" in undecided
    assert words.command("wirelab", "run", few_analysis.study.id) in few_analysis.rerun
