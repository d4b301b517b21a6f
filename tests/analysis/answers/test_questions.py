"""What is said about a study: the right words for what the model behind the bundle holds."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from lxml import html

from tests.statistics.constructed import known
from tests.support.bundles.models import MODELS, STUDY, WORKLOADS, models_of
from tests.support.bundles.small import broken_rules, render_texts, stretched, study_with
from tests.support.bundles.synthetic import write_bundle
from tests.support.wording import assert_worded
from wirelab.analysis import Analysis, Setting, analyse
from wirelab.analysis.answers.questions import over_settings
from wirelab.analysis.matrix import matrix_of
from wirelab.bundle import Bundle
from wirelab.report import render_markdown
from wirelab.report.control import control_of
from wirelab.statistics import Nuance, Outcome, Verdict, block_value, compare
from wirelab.statistics.comparison import too_few_blocks
from wirelab.study import load_study


def setting(analysis: Analysis, workload: str) -> Setting:
    return next(each for each in analysis.settings if each.workload == workload)


@pytest.mark.parametrize("workload", WORKLOADS)
def test_ratios_are_those_of_the_model(analysis: Analysis, workload: str) -> None:
    latencies = {
        name: model.latency_us[WORKLOADS.index(workload)] for name, model in MODELS.items()
    }

    for row in setting(analysis, workload).rows:
        if row.against_baseline is not None:
            expected = latencies[row.summary.cell.contender] / latencies["rest-flask"]
            assert row.against_baseline.comparison.ratio == pytest.approx(expected, rel=0.03)


def test_rows_are_sorted_by_cost_and_ties_share_a_rank(analysis: Analysis) -> None:
    rows = setting(analysis, "fetch_hundred").rows

    cheapest, *tied, _, _ = labels = [row.summary.label for row in rows]
    assert (cheapest, sorted(tied), labels[3:]) == (
        "gRPC", ["REST", "WebSocket"], ["GraphQL", "SOAP"],
    )  # fmt: skip
    assert [row.summary.latency_us.value for row in rows] == sorted(
        row.summary.latency_us.value for row in rows
    )
    assert [row.group for row in rows] == [1, 2, 2, 3, 4]


def test_each_question_has_a_sentence_with_winner_size_and_loser(analysis: Analysis) -> None:
    assert_worded("\n".join(answer.sentence for answer in analysis.answers))


TWO_OF_THREE = """
[question.{name}]
text = "Is gRPC faster than REST?"
where = {{ workload = "fetch_one", contender = ["rest-flask", "grpc-grpcio"] }}
sentence = "Of two, {{answer}}."
"""


def test_questions_that_share_a_comparison_are_all_answered(tmp_path: Path) -> None:
    before_insert = "[question.insert]"
    text = TWO_OF_THREE.format(name="first") + before_insert
    study = study_with(tmp_path, (before_insert, text))
    with (study / "study.toml").open("a") as file:
        file.write(TWO_OF_THREE.format(name="last"))
    bundle = write_bundle(
        tmp_path / "bundle",
        requests=200,
        path=study,
        workloads=("fetch_one",),
        models=models_of("rest-flask", "graphql-graphene", "grpc-grpcio"),
    )

    analysis = analyse(bundle)

    answers = {answer.question: answer for answer in analysis.answers}
    assert answers["first"].sentence == answers["last"].sentence
    assert "gRPC is faster" in answers["first"].sentence
    counts = {name: len(answer.pairs) for name, answer in answers.items()}
    assert counts == {"first": 1, "fetch": 3, "last": 1, "unanswered": 0}
    assert "gRPC is fastest" in answers["fetch"].sentence
    assert "Is gRPC faster" not in answers["unanswered"].sentence
    # Each comparison is corrected, counted and listed once.
    assert len(analysis.pairs) == 3
    assert all(pair.p_holm <= 3 * pair.comparison.p_value for pair in analysis.pairs if pair.p_holm)


def test_every_pair_of_contenders_is_in_the_family_and_no_control(analysis: Analysis) -> None:
    pairs = [pair for answer in analysis.answers for pair in answer.pairs]

    assert len(pairs) == 3 * 10
    assert {pair.a.workload for pair in pairs} == {"insert_one", "fetch_one", "fetch_hundred"}
    assert not any(pair.a.twin or pair.b.twin for pair in pairs)
    assert all(pair.p_holm is not None and pair.p_holm >= pair.comparison.p_value for pair in pairs)
    assert not setting(analysis, "control").judged


def test_the_verdict_line_contains_all_figures_that_decided(analysis: Analysis) -> None:
    assert_worded(next(p.line for p in setting(analysis, "fetch_one").pairs if p.a_label == "gRPC"))


def test_an_undecided_pair_always_shows_its_reason(
    analysis: Analysis, few_analysis: Analysis
) -> None:
    (same,) = (p for p in setting(analysis, "insert_one").pairs if "the same" in p.line)
    why = known(same.verdict).reason
    assert why.startswith("90 % interval")
    assert f" · practically the same: {why} · server CPU" in same.line

    reason = too_few_blocks(2)
    assert all(f"cannot tell: {reason}; " in pair.line for pair in few_analysis.pairs)
    page = html.document_fromstring(render_texts(few_analysis))
    told = [
        pair["why"]
        for row in control_of(matrix_of(few_analysis), few_analysis).data["settings"].values()  # type: ignore[attr-defined]
        for pair in row["pairs"].values()
    ]
    reported = page.xpath("//section[@id='tables']//ul[@class='lines']/li/text()")
    written = [line for line in render_markdown(few_analysis).splitlines() if " · margin ±" in line]
    assert (len(reported), len(written)) == (3 * 10, 3 * 10)
    assert all(f"cannot tell: {reason}" in line for line in (*reported, *written))
    assert told.count(reason) == 3 * 20
    verdicts = page.xpath("//section[@id='tables']//span[text()='needs 6 blocks']/@title")
    assert set(verdicts) == {reason}


def test_a_reversed_pair_has_the_reciprocal_ratio(analysis: Analysis) -> None:
    fetched, names = setting(analysis, "fetch_one"), ("grpc-grpcio", "rest-flask")
    one, other = (known(fetched.comparison(*pair)) for pair in (names, names[::-1]))

    assert one in fetched.pairs
    assert other.comparison.ratio == pytest.approx(1 / one.comparison.ratio)


def test_too_few_blocks_give_no_order(few_analysis: Analysis) -> None:
    for each in few_analysis.answers[:3]:
        assert not each.decided
        assert {pair.verdict.outcome for pair in each.pairs if pair.verdict} == {
            Outcome.CANNOT_TELL
        }
    assert all(row.group is None for each in few_analysis.settings for row in each.rows)
    assert few_analysis.noise.largest is None
    assert few_analysis.noise.margin_ratio == 0.05
    assert_worded(few_analysis.answers[0].sentence)


def test_the_environment_is_compared_within_each_contender(both_analysis: Analysis) -> None:
    answer = next(each for each in both_analysis.answers if each.question == "container")

    assert len(answer.pairs) == 15
    assert {(pair.a_label, pair.b_label) for pair in answer.pairs} == {("container", "native")}
    for pair in answer.pairs:
        assert pair.comparison.ratio == pytest.approx(1.323, rel=0.05)
    assert_worded(answer.sentence)


def test_comparisons_are_counted_for_each_pair_of_levels_and_those_without_a_block_separately(
    both_analysis: Analysis,
) -> None:
    question = load_study(STUDY).questions["container"]
    pairs = next(each for each in both_analysis.answers if each.question == "container").pairs
    undecided = Verdict(Outcome.CANNOT_TELL, Nuance.PLAIN, "cannot tell", "0 valid blocks")
    empty = [replace(pair, comparison=compare([]), verdict=undecided) for pair in pairs]
    hosted = [replace(pair, a_label="container-host") for pair in pairs[:5]]
    several = ([*pairs[2:], *empty[:2]], empty, [*pairs, *hosted])

    assert_worded("\n".join(over_settings(question, each) for each in several))


def test_a_run_that_does_not_count_affects_no_other(faulty: Bundle) -> None:
    before = analyse(faulty)

    assert before.validity.valid == 124
    assert len(before.validity.faulty) == 20
    summaries = {r.summary.cell: r.summary for s in before.settings for r in s.rows}
    invalid = [
        run.run.cell
        for block in faulty.block_records()
        for run in block.runs
        if run.status == "invalid" and not run.run.cell.twin
    ]
    for cell in set(invalid):
        assert summaries[cell].runs == 6 - invalid.count(cell)


def test_no_ratio_exists_without_the_baseline(tmp_path: Path) -> None:
    models = {name: model for name, model in MODELS.items() if name != "rest-flask"}
    analysis = analyse(write_bundle(tmp_path / "bundle", models=models, requests=300))

    assert all(row.against_baseline is None for each in analysis.settings for row in each.rows)
    assert "gRPC is fastest (1.0" in analysis.answers[1].sentence
    assert_worded(broken_rules(analysis))


def test_throughput_is_that_of_slices_averaged_over_blocks(
    bundle: Bundle, analysis: Analysis
) -> None:
    row = setting(analysis, "fetch_one").rows[0].summary
    slices = bundle.slices()
    mine = slices[
        (slices["contender"] == row.cell.contender)
        & (slices["workload"] == "fetch_one")
        & ~slices["twin"]
    ]
    seconds = (mine["ended_ns"] - mine["started_ns"]) / 1e9
    by_block = np.log(mine["transactions"] / seconds).groupby(mine["block"])

    assert row.throughput_per_s == pytest.approx(np.exp(by_block.apply(block_value).mean()))
    assert row.throughput_per_s == pytest.approx(
        mine["transactions"].sum() / seconds.sum(), rel=0.02
    )


def test_scaling_all_times_changes_no_verdict(
    bundle: Bundle, analysis: Analysis, tmp_path: Path
) -> None:
    slower = stretched(bundle, tmp_path, lambda _: 7.0)

    before, after = ([p.verdict for a in it.answers for p in a.pairs] for it in (analysis, slower))
    assert after == before
    usual_us, typical_us = (
        setting(each, "fetch_one").rows[0].summary.latency_us.value for each in (analysis, slower)
    )
    assert typical_us == pytest.approx(7 * usual_us)


def test_a_question_about_several_workloads_names_each(tmp_path: Path) -> None:
    one, both = 'workload = "fetch_one",', 'workload = ["fetch_one", "fetch_hundred"],'
    bundle = write_bundle(tmp_path / "bundle", path=study_with(tmp_path, (one, both)), requests=200)

    analysis = analyse(bundle)

    answers = [each for each in analysis.answers if each.question == "fetch"]
    assert [answer.sentence.rpartition("(")[2] for answer in answers] == [
        f"{analysis.study.workloads[name].title})." for name in ("fetch_one", "fetch_hundred")
    ]
