"""The same findings as Markdown, CSV and JSON, and in a terminal."""

import io
import json
import re
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from lxml import html

from tests.support.bundles.circumstances import Circumstances
from tests.support.bundles.models import models_of
from tests.support.bundles.synthetic import copy_of, write_bundle
from tests.support.terminal import shown as printed
from tests.support.wording import assert_worded
from wirelab.analysis import Analysis, analyse
from wirelab.bundle import Bundle
from wirelab.claims import not_measured
from wirelab.report import render_markdown, terminal_view, to_csv, to_json, write_report
from wirelab.report.control import scope_of
from wirelab.report.design import design_facts, reading
from wirelab.report.environment import citation
from wirelab.report.markdown import cell_text
from wirelab.study import COMPARE
from wirelab.study.model import Paper
from wirelab.terminal import words


def terminal(analysis: Analysis, width: int) -> str:
    return printed(terminal_view(analysis), width)


def test_a_report_is_written_beside_the_findings_and_breaks_no_seal(
    three: Bundle, tmp_path: Path
) -> None:
    bundle = copy_of(three, tmp_path / "bundle")
    analysis = analyse(bundle)

    files = write_report(bundle, analysis=analysis)

    assert {kind: path.relative_to(bundle.path) for kind, path in files.items()} == {
        "html": Path("report/report.html"),
        "markdown": Path("report/report.md"),
        "csv": Path("report/report.csv"),
        "json": Path("report/report.json"),
    }
    assert all(path.stat().st_size > 1000 for path in files.values())
    assert bundle.check() == []


def test_a_terminal_shows_tables_verdicts_and_one_line_a_question(analysis: Analysis) -> None:
    shown = terminal(analysis, 160)
    joined = " ".join(shown.split())

    for setting in analysis.settings:
        assert setting.title in shown
        for row in setting.rows:
            assert row.summary.label in shown
    for answer in analysis.answers:
        assert " ".join(answer.sentence.split()) in joined
    assert "▼ clearly faster" in shown
    assert "▲ clearly slower" in shown
    assert "p99" in shown
    assert any(claim.is_measured for claim in analysis.paper.claims)
    for claim in analysis.paper.claims:
        assert (f"{claim.id} " in shown) is claim.is_measured
    assert " ".join(not_measured(analysis.paper.claims).split()) in joined


@pytest.mark.parametrize("width", [80, 100, 160])
def test_no_terminal_is_too_narrow_for_the_ranking(analysis: Analysis, width: int) -> None:
    shown = terminal(analysis, width)

    assert all(len(line) <= width for line in shown.splitlines())
    assert "WebSocket" in shown
    assert re.search(r"▼ 0\.\d\d×", shown)
    assert re.search(r"0\.\d\d–0\.\d\d", shown)
    assert "…" not in shown


def test_percentiles_on_few_samples_carry_a_sign(
    analysis: Analysis, few_analysis: Analysis
) -> None:
    assert "~" in terminal(analysis, 160)

    short = terminal(few_analysis, 160)
    table = short.rpartition("Fetch one game")[0]
    assert " – " in table


def assert_tables(markdown: str) -> None:
    for block in markdown.split("\n\n"):
        rows = [line for line in block.splitlines() if line.startswith("|")]
        widths = {line.replace("\\|", "").count("|") for line in rows}
        assert len(widths) <= 1, block


def test_every_table_of_the_markdown_is_a_table(analysis: Analysis) -> None:
    text = render_markdown(analysis)

    assert_tables(text)
    for answer in analysis.answers:
        assert f"- {cell_text(' '.join(answer.sentence.split()))}\n" in text
    assert "| 1 | gRPC |" in text
    for table in analysis.paper.published:
        assert f"### {table.source}: " in text
    for finding in analysis.paper.consistency:
        assert finding.source.split(",")[0] in text
        if finding.holds:
            assert f"| {len(finding.lines)} of {len(finding.lines)} |" in text
        for line in finding.lines:
            if not line.holds:
                figures = f"{line.figures} = " if line.figures else ""
                expected = f"{cell_text(line.label)}: {figures}{words.significant(line.value)}"
                assert expected in text
    assert "wirelab run kaminski-2022 --design lab --seed 7" in text


def test_a_table_of_a_setting_has_no_empty_verdicts_or_ranks(analysis: Analysis) -> None:
    first = analysis.settings[0]
    rows = [replace(row, group=None) for row in first.rows]
    judged = rows[0].judged
    assert judged is not None
    rows[0] = replace(rows[0], judged=replace(judged, verdict=None))
    text = render_markdown(
        replace(analysis, settings=(replace(first, rows=tuple(rows)), *analysis.settings[1:]))
    )

    unranked, ranked, *_, control = text.partition("## All figures")[2].split("\n### ")[1:5]
    assert_tables(text)
    assert "\n| contender | typical time" in unranked
    assert "\n| group | contender | typical time" in ranked
    assert re.search(rf"\| {rows[0].summary.label} \|[^|]*\|[^|]*\| not judged \|", unranked)
    assert re.search(r"\| REST \|[^|]*\| baseline \| – \|", unranked)
    assert control.count("| not judged |") == 4
    assert "|  |" not in unranked + ranked + control


def test_page_and_markdown_state_the_same_of_amount_metric_design_and_conditions(
    analysis: Analysis, page: str
) -> None:
    markdown = render_markdown(analysis)
    plain = " ".join(html.document_fromstring(page).text_content().split())
    amount, scope = " ".join(analysis.procedure.amount), scope_of(analysis.study)
    facts = dict(design_facts(analysis))

    assert f". {amount}\n" in markdown
    assert f"extent{amount}" in plain
    assert f"\n\n{scope} “Every comparison”" in markdown
    assert scope in plain
    assert facts.keys() >= {"detects", "twin check", "carry-over", "measured", "left out"}
    assert_worded("\n".join((amount, scope, facts["twin check"])))
    for name, text in design_facts(analysis):
        assert f"- {name}: {cell_text(text)}\n" in markdown
        assert f"{name}{' '.join(text.split())}" in plain
    assert cell_text(reading(analysis)) in markdown
    assert " ".join(reading(analysis).split()) in plain


def test_a_margin_of_an_option_is_not_called_given(analysis: Analysis) -> None:
    compared = replace(analysis, study=analysis.study.model_copy(update={"id": COMPARE}))

    assert_worded(reading(analysis))
    assert reading(compared) == reading(analysis).replace(analysis.margin_from, "--margin")


def test_the_markdown_lists_each_comparison_once(analysis: Analysis) -> None:
    repeated = replace(analysis, answers=(*analysis.answers, *analysis.answers))

    lines = render_markdown(repeated).splitlines()

    for pair in analysis.pairs:
        assert lines.count(f"- {cell_text(pair.line)}") == 1


def test_a_citation_leaves_out_what_is_unknown() -> None:
    known = Paper(
        title="On protocols", authors=("A. Ada", "B. Bo"), year=2020, venue="V", doi="1/2"
    )

    assert_worded(citation(known))
    assert citation(Paper(title="Benchmark", authors=("C. Co",))) == "C. Co. Benchmark"


def test_hostile_text_does_not_become_markup(hostile_analysis: Analysis) -> None:
    text = render_markdown(hostile_analysis)
    outside = "\n".join(line for line in text.splitlines() if not line.startswith("    "))

    assert "<script" not in outside.replace("\\<script", "")
    assert "<img" not in outside.replace("\\<img", "")


def test_the_csv_has_one_line_for_each_contender_and_setting(analysis: Analysis) -> None:
    frame = pd.read_csv(io.StringIO(to_csv(analysis)))

    assert len(frame) == 4 * 5
    baseline = frame[frame["contender"] == "rest-flask"]
    assert baseline["ratio"].isna().all()
    others = frame[frame["contender"] != "rest-flask"]
    assert (others["ratio_low"] <= others["ratio"]).all()
    assert (others["ratio"] <= others["ratio_high"]).all()
    assert frame["latency_p999_us"].isna().all()  # 2000 requests say nothing about p99.9
    assert frame["latency_p99_us"].notna().all()


def test_the_csv_distinguishes_the_mean_time_from_the_typical_one(tmp_path: Path) -> None:
    happens = Circumstances(tails={"grpc-grpcio": 0.03})
    bundle = write_bundle(
        tmp_path / "bundle",
        requests=400,
        workloads=("fetch_one",),
        models=models_of("rest-flask", "grpc-grpcio"),
        happens=happens,
    )
    analysis = analyse(bundle)

    frame = pd.read_csv(io.StringIO(to_csv(analysis))).set_index("contender")

    for row in analysis.settings[0].rows:
        times = frame.loc[row.summary.cell.contender]
        for name, found in (("typical", row.summary.typical_us), ("mean", row.summary.mean_us)):
            assert times[f"latency_{name}_us"] == pytest.approx(found.value)
            ends = times[[f"latency_{name}_low_us", f"latency_{name}_high_us"]].tolist()
            assert ends == pytest.approx(found.interval)
    skewed = frame.loc["grpc-grpcio"]
    assert skewed["latency_mean_low_us"] > 1.2 * skewed["latency_typical_high_us"]


@pytest.mark.parametrize("source", ["analysis", "few_analysis"])
def test_the_json_is_strict(request: pytest.FixtureRequest, source: str) -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    findings = json.loads(to_json(request.getfixturevalue(source)), parse_constant=refuse)

    assert findings["format"] == "wirelab-report/3"


def test_the_json_contains_each_comparison_once_and_no_path_of_this_machine(
    bundle: Bundle, analysis: Analysis
) -> None:
    text = to_json(analysis)
    findings = json.loads(text)

    assert str(bundle.path.parent) not in text
    assert len(findings["settings"]) == 4
    pairs = [findings["comparisons"][place] for place in findings["answers"][1]["pairs"]]
    assert {pair["verdict"]["outcome"] for pair in pairs} == {"faster", "slower"}
    assert len(findings["lint"]) > 5
    cells = [(str(each["a"]), str(each["b"])) for each in findings["comparisons"]]
    assert len(set(cells)) == len(cells)
    for setting, reported in zip(analysis.settings, findings["settings"], strict=True):
        assert [findings["comparisons"][place]["line"] for place in reported["pairs"]] == [
            pair.line for pair in setting.pairs
        ]
        for row, line in zip(setting.rows, reported["rows"], strict=True):
            place = line["against_baseline"]
            assert (place is None) == (row.against_baseline is None)
            if row.against_baseline is not None:
                assert findings["comparisons"][place]["line"] == row.against_baseline.line
