"""The answer at a glance: the same cells on the page, in Markdown and in a terminal."""

import io
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from lxml import html
from rich.console import Console

from tests.support.bundles.circumstances import Circumstances
from tests.support.bundles.models import MODELS, STUDY, models_of
from tests.support.bundles.reasons import IT_DIED
from tests.support.bundles.small import render_texts, write_small
from tests.support.bundles.synthetic import write_bundle
from wirelab.analysis import Analysis, analyse
from wirelab.analysis.matrix import Matrix, matrix_of, resolves
from wirelab.analysis.model import ContenderRow, Faulty
from wirelab.analysis.settings import setting_key
from wirelab.analysis.synopsis import synopsis_of
from wirelab.analysis.wording import sign
from wirelab.report import render_markdown, terminal_view
from wirelab.report.charts.forest import panels_of
from wirelab.report.palette import Palette
from wirelab.report.terminal_matrix import matrix_view
from wirelab.statistics import Nuance, Outcome, Verdict
from wirelab.terminal import words

QUESTIONS = """
[question.text]
text = "What is the fastest of those that write text?"
where = { contender = ["rest-flask", "graphql-graphene", "soap-lxml"] }
sentence = "As text, {answer}."

[question.stream]
text = "What is the faster of those that keep a connection?"
where = { contender = ["grpc-grpcio", "websocket-flask-sock"] }
sentence = "On a connection, {answer}."
"""


def verdict(outcome: Outcome, nuance: Nuance = Nuance.PLAIN) -> Verdict:
    return Verdict(outcome, nuance, f"{nuance} {outcome}".strip(), "")


def shown(matrix: Matrix, width: int) -> str:
    console = Console(width=width, file=io.StringIO(), color_system=None)
    for part in matrix_view(matrix, width):
        console.print(part)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_the_baseline_is_first_and_rows_are_those_of_the_questions(analysis: Analysis) -> None:
    matrix = matrix_of(analysis)

    assert [column.label for column in matrix.columns] == [
        "REST", "GraphQL", "gRPC", "WebSocket", "SOAP",
    ]  # fmt: skip
    assert [row.setting.workload for row in matrix.judged] == [
        "insert_one", "fetch_one", "fetch_hundred",
    ]  # fmt: skip
    assert [row.setting.workload for row in matrix.others] == ["control"]
    for row in matrix.judged:
        assert row.cells[0].words == "baseline"
        assert all(cell.verdict is not None for cell in row.cells[1:])
        assert row.resolves.startswith("resolves ±")


def test_too_few_blocks_are_stated_instead_of_a_size(few_analysis: Analysis) -> None:
    matrix = matrix_of(few_analysis)

    assert {cell.words for row in matrix.judged for cell in row.cells[1:]} == {"needs 6 blocks"}
    assert matrix.judged[0].resolves == "resolution not known: needs 6 blocks"
    assert resolves(replace(matrix.judged[0].setting, resolution=None)) == "resolution not measured"


def test_a_contender_without_valid_runs_is_not_left_blank(analysis: Analysis) -> None:
    setting = next(each for each in analysis.settings if each.judged)
    runs = [
        run
        for run in analysis.schedule.runs
        if (setting_key(run.cell), run.cell.contender) == (setting.key, "grpc-grpcio")
    ]
    rows = [row for row in setting.rows if row.summary.cell.contender != "grpc-grpcio"]
    settings = [
        replace(each, rows=tuple(rows)) if each is setting else each for each in analysis.settings
    ]
    faulty = tuple(Faulty(run, "invalid", (IT_DIED,)) for run in runs)
    refused = replace(
        analysis, settings=tuple(settings), validity=replace(analysis.validity, faulty=faulty)
    )

    expected = f"0 of {len(runs)} runs count"
    assert [c.words for c in matrix_of(refused).judged[0].cells if c.summary is None] == [expected]
    assert f"| {expected} |" in render_markdown(refused)
    assert f'<span class="how">{expected}</span>' in render_texts(refused)


def test_the_page_shows_every_cell_with_number_sign_and_words(
    page: str, analysis: Analysis
) -> None:
    document = html.document_fromstring(page)
    (table,) = document.xpath("//section[@id='answer']/div/table")
    rows = table.xpath("./tbody/tr")
    matrix = matrix_of(analysis)

    assert len(rows) == len(matrix.judged) == 3
    for drawn, row in zip(rows, matrix.judged, strict=True):
        assert row.setting.title in drawn.xpath("string(./th)")
        assert row.resolves in drawn.xpath("string(./th)")
        for cell, each in zip(drawn.xpath("./td"), row.cells, strict=True):
            text = " ".join(cell.text_content().split())
            assert each.column.label in text
            assert each.words in text
            if each.judged is not None and each.verdict is not None:
                assert f"{each.judged.comparison.ratio:.2f}×" in text
                assert sign(each.verdict) in text
                assert each.verdict.words in text


def test_ratios_of_a_judged_throughput_are_labelled_as_ratios_of_a_time(
    throughput: Analysis,
) -> None:
    expected = "ime per transaction (from transactions per second)"
    matrix = matrix_of(throughput)
    (row,) = matrix.judged
    graphql = row.cells[1].judged

    assert graphql is not None
    assert graphql.comparison.ratio > 1, "GraphQL is slower"
    assert f"t{expected}: {words.times(graphql.comparison.ratio)}" in graphql.line
    assert synopsis_of(throughput).metric == matrix.title == f"t{expected}"
    assert f"T{expected} relative to REST" in shown(matrix, 200)


def test_a_cell_states_cannot_tell_once(analysis: Analysis) -> None:
    def undecided(row: ContenderRow) -> ContenderRow:
        judged = row.judged and replace(row.judged, verdict=verdict(Outcome.CANNOT_TELL))
        return replace(row, judged=judged)

    settings = [
        replace(each, rows=tuple(undecided(row) for row in each.rows)) for each in analysis.settings
    ]
    changed = replace(analysis, settings=tuple(settings))
    document = html.document_fromstring(render_texts(changed))

    (table,) = document.xpath("//section[@id='answer']/div/table")
    for drawn, row in zip(table.xpath("./tbody/tr"), matrix_of(changed).judged, strict=True):
        for cell, each in zip(drawn.xpath("./td"), row.cells, strict=True):
            if each.verdict is not None:
                assert cell.text_content().count("cannot tell") == 1


def test_markdown_and_terminal_show_the_same_ratios(analysis: Analysis) -> None:
    matrix = matrix_of(analysis)
    markdown = render_markdown(analysis)
    terminal = shown(matrix, 80)

    for row in matrix.judged:
        for cell in row.cells[1:]:
            assert cell.judged is not None
            expected = f"{sign(cell.verdict)} {cell.judged.comparison.ratio:.2f}×"
            assert expected in terminal
            assert expected.replace(" ", " **") + f"** {cell.words}" in markdown


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_a_narrow_terminal_gets_several_tables_and_no_broken_cell(
    analysis: Analysis, width: int
) -> None:
    text = shown(matrix_of(analysis), width)

    assert all(len(line) <= width for line in text.splitlines())
    assert "…" not in text
    for label in ("REST", "GraphQL", "gRPC", "WebSocket", "SOAP"):
        assert text.count(f" {label} ") + text.count(f" {label}\n") >= 1


def test_the_terminal_shows_everything_once_at_eighty_columns(analysis: Analysis) -> None:
    console = Console(width=80, file=io.StringIO(), color_system=None)
    console.print(terminal_view(analysis))
    assert isinstance(console.file, io.StringIO)
    lines = console.file.getvalue().splitlines()

    top = "\n".join(lines[:24]).replace("\u00a0", " ")
    for row in matrix_of(analysis).judged:
        assert row.setting.title in top
    assert "clearly faster" in top
    for claim in analysis.paper.claims:
        assert sum(line.startswith(f"{claim.id} ") for line in lines) == claim.is_measured


def test_contenders_not_compared_with_the_baseline_are_shown_against_another(
    tmp_path: Path,
) -> None:
    study = shutil.copytree(STUDY, tmp_path / "study")
    text = (study / "study.toml").read_text()
    (study / "study.toml").write_text(re.sub(r"(?ms)^\[question\..*?(?=^\[)", "", text) + QUESTIONS)
    analysis = analyse(write_bundle(tmp_path / "bundle", path=study))
    matrix = matrix_of(analysis)
    heads = {column.label: column.against for column in matrix.columns}
    by_label = {cell.column.label: cell for cell in matrix.judged[0].cells}
    markdown, page = render_markdown(analysis), render_texts(analysis)

    assert heads == {"REST": "", "GraphQL": "", "SOAP": "", "gRPC": "", "WebSocket": "gRPC"}
    assert by_label["gRPC"].words == "not judged"
    websocket = by_label["WebSocket"].judged
    assert websocket is not None
    assert (websocket.a_label, websocket.b_label) == ("WebSocket", "gRPC")
    assert websocket.verdict is not None
    alone = {each.contender: each.versus for each in synopsis_of(analysis).settings[0].cells}
    against_rest = alone["websocket-flask-sock"]
    assert against_rest is not None, "a synopsis names no other than the baseline"
    assert against_rest.ratio == pytest.approx(0.77, abs=0.02)
    assert websocket.comparison.ratio == pytest.approx(1.0, abs=0.02)
    relative = "relative to REST, or to the one that column or cell names"
    for shown_as in (markdown, page, shown(matrix, 200)):
        assert relative in " ".join(shown_as.split())
        assert "vs gRPC" in shown_as
    document = html.document_fromstring(page)
    (table,) = document.xpath("//section[@id='answer']/div/table")
    place = list(heads).index("WebSocket")
    (head,) = table.xpath(f"./thead/tr/th[{place + 2}]")
    (cell,) = table.xpath(f"./tbody/tr[1]/td[{place + 1}]")
    (control,) = document.xpath(f"//section[@id='answer']/details//tbody/tr[1]/td[{place + 1}]")
    assert " ".join(head.text_content().split()) == "WebSocket vs gRPC"
    assert f"{websocket.comparison.ratio:.2f}×" in cell.text_content()
    assert "vs REST" in control.text_content(), "a row that no question asks about"
    drawn = {judged.line for panel in panels_of(analysis.settings, Palette.from_analysis(analysis))
             for _, judged in panel.rows}  # fmt: skip
    rows = (*matrix.judged, *matrix.others)
    assert drawn == {cell.judged.line for row in rows for cell in row.cells if cell.judged}


def test_many_contenders_in_few_settings_are_grouped_by_question(many: Analysis) -> None:
    matrix = matrix_of(many)
    markdown = render_markdown(many)

    assert matrix.is_tall
    node = next(group for group in matrix.groups if "Node.js" in group.question)
    assert node.against == "REST express"
    assert [matrix.columns[position].label for position in node.positions] == [
        "GraphQL apollo", "gRPC js",
    ]  # fmt: skip
    positions = [position for group in matrix.groups for position in group.positions]
    assert sorted(positions) == list(range(12)), "each contender once"
    assert matrix.columns[matrix.groups[0].positions[0]].is_baseline
    assert matrix.relative_to == "relative to the contender that each group names"
    (row,) = matrix.judged
    for group in matrix.groups:
        assert f"| **{group.question}** relative to {group.against} | |" in markdown
        for position in group.positions:
            cell = row.cells[position]
            asked = cell.judged
            assert asked is None or asked.b_label == group.against
            ratio = f"**{words.times(asked.comparison.ratio)}** " if asked else f"{cell.shown} "
            (line,) = [
                line for line in markdown.splitlines()
                if line.startswith(f"| {cell.column.label} |") and line.endswith(f"{cell.words} |")
                and ratio in line
            ]  # fmt: skip
            assert line.count("|") == 3


def test_a_measurable_difference_within_the_margin_is_called_the_same_everywhere(
    tmp_path: Path,
) -> None:
    slower = replace(MODELS["grpc-grpcio"], latency_us=(780, 1720, 1490, 9900))
    bundle = write_small(
        tmp_path,
        Circumstances(start_noise=0.001, permutation_noise=0.001, slice_noise=0.001),
        models={**models_of("rest-flask"), "grpc-grpcio": slower},
    )
    found = analyse(bundle)
    (pair,) = found.pairs
    interval = pair.comparison.interval95
    assert interval is not None
    assert interval.low > 1
    assert pair.verdict is not None
    matrix = matrix_of(found)
    (drawn,) = (judged for panel in panels_of(found.settings, Palette.from_analysis(found))
                for _, judged in panel.rows)  # fmt: skip
    assert drawn.verdict is not None

    assert matrix.judged[0].cells[1].words == drawn.verdict.words == "practically the same"
    assert pair.line.count("; measurably but negligibly slower") == 1
    for text in (render_markdown(found), render_texts(found)):
        assert not re.search(r"(?<!; )measurably but negligibly", text)


@pytest.mark.parametrize("width", [80, 200])
def test_a_terminal_shows_many_contenders_in_rows_below_their_question(
    many: Analysis, width: int
) -> None:
    matrix = matrix_of(many)
    text = shown(matrix, width)

    assert all(len(line) <= width for line in text.splitlines())
    assert "…" not in text
    for group in matrix.groups:
        relative = re.escape(f"relative to {group.against}")
        after = re.split(rf"{re.escape(group.question)}[ \n]{relative}\n", text)[1]
        labels = [f"  {matrix.columns[position].label} " for position in group.positions]
        assert all(map(str.startswith, after.splitlines(), labels)), group


def test_a_chart_compares_contenders_as_the_questions_do(many: Analysis) -> None:
    panels = panels_of(many.settings, Palette.from_analysis(many))

    against = {label: panel.relative_to for panel in panels for label, _ in panel.rows}
    assert len(against) == 11
    assert against["gRPC js"] == "REST express"
    assert against["GraphQL gqlgen naive"] == "GraphQL gqlgen"
    assert all(judged.verdict for panel in panels for _, judged in panel.rows)
    assert all(panel.title.endswith(f"relative to {panel.relative_to}") for panel in panels)
