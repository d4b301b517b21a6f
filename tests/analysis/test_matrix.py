"""The answer at a glance: the same cells on the page, in Markdown and in a terminal."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.statistics.constructed import known
from tests.support.bundles.circumstances import Circumstances
from tests.support.bundles.models import MODELS, models_of
from tests.support.bundles.reasons import IT_DIED
from tests.support.bundles.small import printed, render_texts, study_with, write_small
from tests.support.bundles.synthetic import write_bundle
from tests.support.wording import assert_worded
from wirelab.analysis import Analysis, analyse
from wirelab.analysis.matrix import Matrix, detects, matrix_of
from wirelab.analysis.model import Faulty
from wirelab.analysis.settings import setting_key
from wirelab.analysis.synopsis import synopsis_of
from wirelab.report import render_markdown, terminal_view
from wirelab.report.charts.forest import panels_of
from wirelab.report.palette import Palette
from wirelab.report.terminal_matrix import matrix_view
from wirelab.statistics import Nuance
from wirelab.terminal import words

QUESTION = re.compile(r"^\[question\..*?(?=^\[(?!question)|\Z)", re.MULTILINE | re.DOTALL)
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


def shown(matrix: Matrix, width: int) -> str:
    return printed(*matrix_view(matrix, width), width=width)


def test_the_baseline_is_first_and_rows_are_those_of_the_questions(analysis: Analysis) -> None:
    matrix = matrix_of(analysis)

    assert [[column.label for column in band.columns] for band in matrix.bands] == [
        ["REST", "GraphQL", "gRPC", "WebSocket", "SOAP"],
    ]
    assert [row.setting.workload for row in matrix.judged] == [
        "insert_one", "fetch_one", "fetch_hundred",
    ]  # fmt: skip
    assert [row.setting.workload for row in matrix.others] == ["control"]
    for row in matrix.judged:
        assert [row.cells[band.first].words for band in matrix.bands] == ["baseline"]
        assert all(cell.verdict is not None for cell in row.cells if not cell.column.is_baseline)
        assert row.detects.startswith("detects differences above")


def test_too_few_blocks_are_stated_instead_of_a_size(few_analysis: Analysis) -> None:
    matrix = matrix_of(few_analysis)

    assert {cell.words for row in matrix.judged for cell in row.cells if cell.judged} == {
        "needs 6 blocks"
    }
    setting = matrix.judged[0].setting
    assert_worded("\n".join(map(detects, (setting, replace(setting, resolution=None)))))


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


def test_ratios_of_a_judged_throughput_are_labelled_as_ratios_of_a_time(
    throughput: Analysis,
) -> None:
    expected = "ime per transaction (from transactions per second)"
    matrix = matrix_of(throughput)
    (row,) = matrix.judged
    graphql = known(row.cells[1].judged)

    assert graphql.comparison.ratio > 1  # GraphQL is slower
    assert f"t{expected}: {words.times(graphql.comparison.ratio)}" in graphql.line
    assert synopsis_of(throughput).metric == matrix.title == f"t{expected}"
    assert f"T{expected} relative to REST" in shown(matrix, 200)


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
    lines = printed(terminal_view(analysis), width=80).splitlines()

    top = "\n".join(lines[:24]).replace("\u00a0", " ")
    for row in matrix_of(analysis).judged:
        assert row.setting.title in top
    assert "clearly faster" in top
    for claim in analysis.paper.claims:
        assert sum(line.startswith(f"{claim.id} ") for line in lines) == claim.is_measured


def test_contenders_not_compared_with_the_baseline_are_in_a_band_of_their_own(
    tmp_path: Path,
) -> None:
    study = study_with(tmp_path)
    text = (study / "study.toml").read_text()
    (study / "study.toml").write_text(QUESTION.sub("", text) + QUESTIONS)
    analysis = analyse(write_bundle(tmp_path / "bundle", path=study))
    matrix = matrix_of(analysis)
    assert {
        band.title: [column.label for column in band.columns if not column.is_baseline]
        for band in matrix.bands
    } == {"As text": ["GraphQL", "SOAP"], "On a connection": ["WebSocket"]}
    websocket = known(matrix.judged[0].cells[-1].judged)
    assert (websocket.a_label, websocket.b_label) == ("WebSocket", "gRPC")
    assert websocket.verdict is not None
    alone = {each.contender: each.versus for each in synopsis_of(analysis).settings[0].cells}
    versus = known(alone["websocket-flask-sock"])
    assert (versus.against, versus.ratio) == ("gRPC", websocket.comparison.ratio)
    for shown_as in (render_markdown(analysis), render_texts(analysis), shown(matrix, 200)):
        assert matrix.relative_to in " ".join(shown_as.split())
    assert_worded(matrix.relative_to)


def test_a_measurable_difference_within_the_margin_is_called_the_same_everywhere(
    tmp_path: Path,
) -> None:
    slower = replace(MODELS["grpc-grpcio"], latency_us=(780, 1720, 1490, 9900))
    bundle = write_small(
        tmp_path,
        Circumstances(start_noise=0.001, permutation_noise=0.001, slice_noise=0.001),
        models={**models_of("rest-flask"), "grpc-grpcio": slower},
        seed=8,
    )
    found = analyse(bundle)
    (pair,) = found.pairs
    assert known(pair.comparison.interval95).low > 1
    assert known(pair.verdict).nuance is Nuance.NEGLIGIBLY
    matrix = matrix_of(found)
    (drawn,) = (judged for panel in panels_of(found.settings, Palette.from_analysis(found))
                for _, judged in panel.rows)  # fmt: skip

    assert matrix.judged[0].cells[1].words == known(drawn.verdict).words == "practically the same"
    assert pair.line.count(f"; {Nuance.NEGLIGIBLY} slower") == 1
    for text in (render_markdown(found), render_texts(found)):
        assert not re.search(rf"(?<!; ){Nuance.NEGLIGIBLY}", text)


@pytest.mark.parametrize("width", [80, 200])
def test_a_terminal_shows_many_contenders_in_rows_below_their_question(
    many: Analysis, width: int
) -> None:
    matrix = matrix_of(many)
    text = shown(matrix, width)

    assert all(len(line) <= width for line in text.splitlines())
    assert "…" not in text
    for band in matrix.bands:
        after = text.partition(f"{words.capital(band.question)}\n")[2]
        labels = [f"  {column.label} " for column in band.columns]
        assert all(map(str.startswith, after.splitlines(), labels)), band
