"""Statements of a report that used to be false somewhere: each is tried where it could be."""

import itertools
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.bundles.circumstances import QUIET, Circumstances
from tests.support.bundles.models import ROOT, models_of
from tests.support.bundles.small import kinds, render_texts, the
from tests.support.bundles.synthetic import copy_of, edit_runs, edit_sessions, stretch, write_bundle
from tests.support.wording import assert_worded
from wirelab.analysis import Analysis, analyse
from wirelab.analysis.answers.questions import build_answers
from wirelab.analysis.cautions.disturbance import Disturbed
from wirelab.analysis.cautions.runs import RunsDoNotCount
from wirelab.analysis.cautions.turns import BusyOutOfTurn
from wirelab.analysis.comparing import Comparer
from wirelab.analysis.matrix import matrix_of
from wirelab.analysis.model import QuestionAnswer
from wirelab.analysis.settings import varying_levels
from wirelab.analysis.values import RunValues
from wirelab.analysis.wording import TIME
from wirelab.bundle import Bundle, RunRecord
from wirelab.bundle.run_reasons import RuleBroken
from wirelab.report import render_markdown
from wirelab.statistics import BrokenRule, Rule
from wirelab.study import COMPARE, Cell, load_study

THREE = models_of("rest-flask", "graphql-graphene", "grpc-grpcio")


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    """Three contenders, one workload, six blocks."""
    folder = tmp_path_factory.mktemp("small") / "bundle"
    return write_bundle(folder, requests=200, workloads=("fetch_one",), models=THREE)


def spoil(bundle: Bundle, where: Callable[[RunRecord], bool]) -> None:
    """Let runs not count."""

    def change(run: dict[str, Any]) -> None:
        run["status"] = "invalid"
        share = 0.9 + run["run"]["block"] / 100
        busy = RuleBroken(broken=BrokenRule(Rule.GENERATOR, share, 0.85))
        run["reasons"] = [busy.model_dump(mode="json")]

    edit_runs(bundle, change, where)


def found_running(bundle: Bundle, contender: str) -> None:
    """Let a contender be one that wirelab did not start."""
    path = bundle.path / "contenders.json"
    content = json.loads(path.read_text())
    content[contender] |= {
        "address": "https://example.org",
        "not_controlled": ["fresh_start", "restored_store", "processes"],
    }
    path.write_text(json.dumps(content))


def fetch(analysis: Analysis) -> QuestionAnswer:
    return next(each for each in analysis.answers if each.question == "fetch")


def compared(answer: QuestionAnswer) -> list[tuple[str, str]]:
    """The pairs of contenders with enough blocks for a verdict."""
    return [
        (pair.a.contender, pair.b.contender)
        for pair in answer.pairs
        if pair.comparison.has_enough_blocks
    ]


def in_fetch_one(contender: str, below_block: int = 99) -> Callable[[RunRecord], bool]:
    """Choose the first runs of a contender in one workload."""
    chosen = (contender, "fetch_one")
    return lambda run: (
        (run.run.cell.contender, run.run.cell.workload) == chosen and run.run.block < below_block
    )


@pytest.mark.parametrize(
    ("source", "lost", "left"),
    [
        ("small", "graphql-graphene", ("grpc-grpcio", "rest-flask")),
        ("bundle", "rest-flask", ("grpc-grpcio", "graphql-graphene")),
    ],
)
def test_an_answer_covers_only_what_was_compared_and_refers_to_no_other_baseline(
    request: pytest.FixtureRequest, tmp_path: Path, source: str, lost: str, left: tuple[str, str]
) -> None:
    spoiled = copy_of(request.getfixturevalue(source), tmp_path / "bundle")
    spoil(spoiled, in_fetch_one(lost, below_block=4))

    answer = fetch(analyse(spoiled))

    assert left in compared(answer)
    assert not any(lost in pair for pair in compared(answer))
    assert_worded(answer.sentence)


def test_a_single_contender_is_not_compared(small: Bundle, tmp_path: Path) -> None:
    spoiled = copy_of(small, tmp_path / "bundle")
    spoil(spoiled, lambda run: run.run.cell.contender != "grpc-grpcio")
    analysis = analyse(spoiled)

    assert_worded(fetch(analysis).sentence)
    assert "only gRPC" in render_markdown(analysis)
    assert "no baseline" in render_texts(analysis)


def test_a_single_side_of_compare_is_not_missed_a_comparison(tmp_path: Path) -> None:
    bundle = write_bundle(
        tmp_path / "bundle", requests=300, workloads=("fetch_one",), models=models_of("rest-flask")
    )
    study = load_study(bundle.study_folder)
    analysis = analyse(bundle)
    asked = {name: it for name, it in study.questions.items() if it.compare == "contender"}
    of_compare = study.model_copy(
        update={"id": COMPARE, "contenders": ("rest-flask",), "questions": asked}
    )
    (cell,) = (row.summary.cell for row in analysis.settings[0].rows)
    judge = Comparer(of_compare, RunValues({}, {}, (), ""), {}, analysis.noise, {})

    assert build_answers(of_compare, [cell], analysis.settings, judge, ()) == ()
    assert (matrix_of(analysis).relative_to, matrix_of(analysis).legend) == ("", ())
    assert "clearly faster" not in render_markdown(analysis)


def test_a_contender_without_a_valid_run_stays_in_the_answer(
    bundle: Bundle, tmp_path: Path
) -> None:
    spoiled = copy_of(bundle, tmp_path / "bundle")
    spoil(spoiled, in_fetch_one("grpc-grpcio"))

    analysis = analyse(spoiled)

    assert len(analysis.validity.faulty) < 0.1 * analysis.validity.planned
    assert_worded(fetch(analysis).sentence)
    others = [it.sentence for it in analysis.answers if it.question not in {"fetch", "unanswered"}]
    assert not any("no valid run" in sentence for sentence in others)
    lost = the(RunsDoNotCount, analysis)
    assert (lost.runs, lost.severity) == (6, "serious")


def test_a_question_of_which_no_run_counts_stays_among_the_answers(
    bundle: Bundle, tmp_path: Path
) -> None:
    spoiled = copy_of(bundle, tmp_path / "bundle")
    spoil(spoiled, lambda run: run.run.cell.workload == "fetch_one")
    questions = [answer.question for answer in analyse(bundle).answers]

    analysis = analyse(spoiled)

    assert [answer.question for answer in analysis.answers] == questions
    answer = fetch(analysis)
    assert (answer.decided, answer.setting, answer.pairs) == (False, None, ())
    assert_worded(answer.sentence)
    assert "no run counts" in render_texts(analysis)


def test_the_slowest_is_not_set_apart_from_one_that_it_cannot_be_distinguished_from(
    small: Bundle, tmp_path: Path
) -> None:
    close = copy_of(small, tmp_path / "bundle")
    noise = (0.6, 1.6, 0.7, 1.5, 0.65, 1.45)

    def factor(run: RunRecord) -> float:
        took = THREE[run.run.cell.contender].latency_us[2] / THREE["grpc-grpcio"].latency_us[2]
        expected = {"grpc-grpcio": 1.0, "graphql-graphene": 1.3}
        return expected.get(run.run.cell.contender, 1.15 * noise[run.run.block - 1]) / took

    stretch(close, factor)

    answer = fetch(analyse(close))

    assert [(pair.a.contender, pair.b.contender) for pair in answer.pairs if pair.is_decided] == [
        ("grpc-grpcio", "graphql-graphene")
    ]
    assert_worded(answer.sentence)


@pytest.mark.parametrize(("names", "seed"), [(tuple(THREE), 7), (("rest-flask", "grpc-grpcio"), 8)])
def test_indistinguishable_contenders_are_named_and_two_have_a_figure_each(
    tmp_path: Path, names: tuple[str, ...], seed: int
) -> None:
    analysis = analyse(
        write_bundle(
            tmp_path / "bundle",
            requests=200,
            workloads=("fetch_one",),
            models={name: replace(THREE[name], latency_us=[1500] * 4) for name in names},
            happens=Circumstances(start_noise=0.3),
            seed=seed,
        )
    )

    answer = fetch(analysis)

    assert not answer.decided
    assert_worded(answer.sentence)
    assert all(analysis.labels[name] in answer.sentence for name in names)
    for row in analysis.settings[0].rows if len(names) == 2 else ():
        assert TIME.shown(row.summary) in answer.sentence


def test_fresh_starts_are_claimed_only_if_there_were_any(small: Bundle, tmp_path: Path) -> None:
    assert_worded("\n".join(analyse(small).procedure.sentences))

    some = copy_of(small, tmp_path / "some")
    found_running(some, "grpc-grpcio")
    assert_worded("\n".join(analyse(some).procedure.sentences))

    for contender in ("rest-flask", "graphql-graphene"):
        found_running(some, contender)
    analysis = analyse(some)
    assert_worded("\n".join(analysis.procedure.sentences))
    for text in (render_texts(analysis), render_markdown(analysis)):
        assert "fresh server" not in text
        assert "restored store" not in text
        assert "oise floor" not in text


def separate(folder: Path, happens: Circumstances = QUIET) -> Bundle:
    return write_bundle(
        folder / "bundle",
        requests=200,
        blocks=1,
        design="paper",
        stores=("mongodb",),
        workloads=("fetch_one",),
        models=THREE,
        happens=happens,
    )


def test_separate_runs_are_not_called_turns(tmp_path: Path) -> None:
    procedure = analyse(separate(tmp_path)).procedure

    assert "window" in procedure.conditions["measured"]
    assert "turns" not in " ".join(procedure.sentences)
    assert_worded("\n".join(procedure.sentences))


def test_a_session_in_which_all_contenders_failed_is_no_separate_window(
    small: Bundle, tmp_path: Path
) -> None:
    failed = copy_of(small, tmp_path / "bundle")
    sessions = itertools.count()
    edit_sessions(failed, lambda session: session.clear() if next(sessions) == 0 else None)
    spoil(failed, lambda run: run.run.block == 1)

    sentences = analyse(failed).procedure.sentences

    assert sentences == analyse(small).procedure.sentences


def test_separate_runs_share_stolen_time_by_chance_only(tmp_path: Path) -> None:
    bundle = separate(tmp_path, Circumstances(stolen_permutations=0.5))

    found = the(Disturbed, analyse(bundle))

    assert found.compares
    assert not found.disturbance.in_turns


def test_a_separate_run_disturbs_no_contender(tmp_path: Path) -> None:
    bundle = separate(tmp_path, Circumstances(idle_cpu={"rest-flask": 0.4}))
    analysis = analyse(bundle)

    assert "turns" not in " ".join(analysis.procedure.conditions)
    assert BusyOutOfTurn not in kinds(analysis)


def test_stolen_time_is_counted_whether_or_not_runs_count(small: Bundle, tmp_path: Path) -> None:
    stolen = copy_of(small, tmp_path / "bundle")
    edit_sessions(stolen, lambda session: session.update(steal_share=0.3))
    spoil(stolen, lambda run: run.run.block <= 3)

    analysis = analyse(stolen)

    assert analysis.disturbance.stolen_share == pytest.approx(0.3)
    assert analysis.disturbance.stolen_span == pytest.approx((0.3, 0.3))
    assert the(Disturbed, analysis).disturbance == analysis.disturbance


def test_the_worst_permutation_may_be_one_that_does_not_count(tmp_path: Path) -> None:
    happens = Circumstances(stolen_permutations=0.3, stolen_share=0.6)
    bundle = write_bundle(
        tmp_path / "bundle", requests=200, workloads=("fetch_one",), models=THREE, happens=happens
    )
    spoil(bundle, lambda run: True)

    analysis = analyse(bundle)

    assert analysis.validity.valid == 0
    assert analysis.disturbance.worst_stolen_share == pytest.approx(0.6)
    assert "No valid run" in render_texts(analysis)


def test_conditions_are_stated_even_if_they_had_no_effect(small: Bundle) -> None:
    conditions = analyse(small).procedure.conditions

    assert_worded("\n".join(f"{name}: {what}" for name, what in conditions.items()))


def test_reasons_are_grouped_and_counted(small: Bundle, tmp_path: Path) -> None:
    spoiled = copy_of(small, tmp_path / "bundle")
    spoil(spoiled, lambda run: run.run.block == 2 or run.run.cell.contender == "grpc-grpcio")

    analysis = analyse(spoiled)

    (reason,) = analysis.reasons
    assert reason.runs == len(analysis.validity.faulty) == 9
    assert reason.blocks == 6
    assert "gRPC 6×" in reason.contenders
    page = render_texts(analysis)
    assert page.count("9 runs in 6 blocks") == 2  # at the top, and in the design


def test_the_number_of_clients_is_expressed_in_words() -> None:
    study = load_study(ROOT / "studies" / "sliwa-2021")
    cells = [
        Cell("rest-spring", "small", study.stores[0], "native", load)
        for load in ("one-user", "fifty-users")
    ]

    assert [varying_levels(study, cell, cells) for cell in cells] == [["one user"], ["fifty users"]]
