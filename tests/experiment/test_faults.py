"""A faulty contender loses its own runs, with a reason; the others continue, nothing is left."""

import json
import re
import signal
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.support.laboratory import measure, reasons, runs_of, start_laboratory, wait_for_block
from tests.support.observers import KeptNotes
from tests.support.worlds import copy_world
from wirelab.analysis import analyse
from wirelab.analysis.cautions.runs import RunsDoNotCount
from wirelab.bundle import Bundle
from wirelab.bundle.run_reasons import (
    Failed,
    NoneToCompare,
    RuleBroken,
    RunReason,
    Wrong,
    WrongSamples,
    in_words,
)
from wirelab.engine.answers import ANSWERS
from wirelab.errors import LabError
from wirelab.experiment.context import StudyOutcome
from wirelab.experiment.events import BlockStarted, Event, Observer
from wirelab.experiment.preparation.builder import Builder
from wirelab.experiment.study import resume_study, run_study
from wirelab.lab.contenders.build import BuiltContender
from wirelab.lab.contenders.running import Starting
from wirelab.lab.environments.environment import Environment
from wirelab.lab.errors import StoreError
from wirelab.planning.plan import plan_study
from wirelab.terminal.exit_codes import ExitCode

FAULTY = ("dying", "lying", "hanging")
PERMUTATIONS = 8


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> StudyOutcome:
    """Carry out one study of all that goes wrong, and a contender with which nothing does."""

    def impatient(built: BuiltContender, environment: Environment, **options: Any) -> Starting:
        if built.contender.id == "unready":
            options["deadline_s"] = 2.0
        return Starting(built, environment, **options)

    study = copy_world(tmp_path_factory.mktemp("faults"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("wirelab.experiment.preparation.launcher.Starting", impatient)
        return measure(study, "good", *FAULTY, "wrong", "unready")


def test_the_other_contenders_keep_all_their_turns(outcome: StudyOutcome) -> None:
    bundle = outcome.bundle
    slices = bundle.slices()
    turns = slices[slices["recorded"] & (slices["contender"] == "good")]

    for twin in (False, True):
        runs = runs_of(bundle, "good", twin=twin)
        assert [run.status for run in runs] == ["valid", "valid"], reasons(bundle)
        for run in runs:
            of_run = turns[(turns["run_id"] == run.run.id) & (turns["attempt"] == 1)]
            assert len(of_run) == PERMUTATIONS
    assert [block.failures for block in bundle.last_attempts()] == [(), ()]
    assert bundle.check() == []
    assert bundle.info.status == "complete"


@pytest.mark.parametrize(
    ("contender", "kind", "expected"),
    [
        ("dying", Failed, ("exit code 3", "gives up")),  # its last words
        ("lying", Wrong, ("read", "expected")),
        ("hanging", RunReason, ("4 s|timeout",)),  # the first of the two that is noticed
    ],
)
def test_a_contender_that_fails_under_load_loses_its_own_runs(
    outcome: StudyOutcome, contender: str, kind: type[RunReason], expected: tuple[str, ...]
) -> None:
    runs = runs_of(outcome.bundle, contender)

    assert [run.status for run in runs] == ["invalid", "invalid"]
    for run in runs:
        assert any(isinstance(reason, kind) for reason in run.reasons)
        text = in_words(run.reasons)
        assert all(re.search(pattern, text) for pattern in expected), text


def test_messages_name_existing_logs(outcome: StudyOutcome) -> None:
    named = re.findall(r"the end of (\S+):\n", "\n".join(reasons(outcome.bundle)))

    assert len(named) >= 2
    assert [path for path in named if not Path(path).is_file()] == []


@pytest.fixture(scope="module")
def varied(tmp_path_factory: pytest.TempPathFactory) -> StudyOutcome:
    """Carry out a study of contenders that shuffle their keys, of which one lies besides."""
    study = copy_world(tmp_path_factory.mktemp("varied"))
    return measure(study, "good", "shuffling", "swapping")


def test_correct_answers_in_other_bytes_count(varied: StudyOutcome) -> None:
    runs = runs_of(varied.bundle, "shuffling")

    # On a busy machine, so short a window may break Little's law, which is not about answers.
    others = [it for run in runs for it in run.reasons if not isinstance(it, RuleBroken)]
    assert others == []
    # The first, the last and 459 others of each run's, if that many exist.
    assert all(100 < int(run.context["answers_compared"]) <= 461 for run in runs)
    assert [run.context["answers_not_compared"] for run in runs] == [0, 0]
    assert "answers_compared" not in runs_of(varied.bundle, "good")[0].context


def test_a_wrong_answer_of_the_same_length_among_varying_answers_is_found(
    varied: StudyOutcome,
) -> None:
    runs = runs_of(varied.bundle, "swapping")

    assert [run.status for run in runs] == ["invalid", "invalid"]
    for run in runs:
        (wrong,) = (each for each in run.reasons if isinstance(each, WrongSamples))
        assert 0 < wrong.wrong <= wrong.compared <= wrong.seen
        assert "/id: expected 'c" in wrong.why


def test_no_answers_are_left_in_the_bundle(varied: StudyOutcome) -> None:
    files = [path.name for path in varied.bundle.path.rglob("*") if path.is_file()]

    assert "result.json" in files
    assert not [name for name in files if name == ANSWERS or name.startswith(".answers")]


@pytest.mark.parametrize("contender", ["dying", "hanging"])
def test_a_failed_contender_has_no_further_turns(outcome: StudyOutcome, contender: str) -> None:
    slices = outcome.bundle.slices()
    turns = slices[slices["recorded"] & (slices["contender"] == contender)]

    assert not turns.empty  # it was measured until then
    for _, of_run in turns.groupby(["run_id", "attempt"]):
        assert len(of_run) < PERMUTATIONS
        last = of_run["permutation"].max()
        answered = of_run[of_run["permutation"] < last - 1]
        assert answered["failed"].sum() == 0


def test_the_report_names_lost_runs(outcome: StudyOutcome) -> None:
    analysis = analyse(outcome.bundle)

    lost = 2 * len((*FAULTY, "wrong", "unready"))
    assert analysis.disturbance.lost_runs == lost
    (caution,) = (each for each in analysis.cautions if isinstance(each, RunsDoNotCount))
    assert caution.severity == "serious"
    assert "gives up" in caution.detail
    assert analysis.validity.valid == 4
    (answer,) = analysis.answers
    assert "nothing to compare" in answer.sentence


def test_a_contender_that_answers_wrong_is_refused_before_anything_is_measured(
    outcome: StudyOutcome,
) -> None:
    assert {finding.contender for finding in outcome.refused} == {"wrong"}
    finding = outcome.refused[0]
    assert (finding.operation, finding.path) == ("read", "/value")
    assert isinstance(finding.expected, int)
    assert finding.got == finding.expected + 1
    assert {run.status for run in runs_of(outcome.bundle, "wrong")} == {"skipped"}


def test_nothing_is_measured_once_no_comparison_is_left(study: Path) -> None:
    bundle = measure(study, "good", "wrong").bundle

    runs = runs_of(bundle, "good")
    assert {run.status for run in runs} == {"skipped"}
    assert {reason for run in runs for reason in run.reasons} == {NoneToCompare(of="question")}


def test_a_contender_that_never_gets_ready_is_left_out(outcome: StudyOutcome) -> None:
    (first, *_) = runs_of(outcome.bundle, "unready")

    assert first.status == "skipped"
    (failed,) = first.reasons
    assert isinstance(failed, Failed)
    assert "within 2 s" in failed.failure.what
    assert failed.failure.log is not None
    assert "waiting for" in failed.failure.log.tail


def test_a_separately_measured_contender_that_exits_loses_its_own_runs(study: Path) -> None:
    bundle = measure(study, "good", "dying", design="apart").bundle

    assert [run.status for run in runs_of(bundle, "dying")] == ["invalid", "invalid"]
    assert [run.status for run in runs_of(bundle, "good")] == ["valid", "valid"], reasons(bundle)
    assert [block.attempt for block in bundle.block_records() if block.failures] == []
    assert bundle.info.status == "complete"


def test_a_store_that_cannot_be_reached_ends_the_study_with_the_setting_to_change(
    study: Path,
) -> None:
    with pytest.raises(StoreError, match="connection"):
        measure(study, "good", stores={"postgresql": "postgresql://127.0.0.1:1/none"})

    assert Bundle.open(study.parent / "bundle").info.status == "interrupted"


FOUR_BLOCKS = """
[design.four]
summary = "four short blocks"
blocks = 4
warm_up = { transactions = 20 }
slices = { permutations = 4, transactions = 20, longest_ms = 2000 }
workloads = ["read"]
"""


def test_after_any_end_of_the_laboratory_nothing_is_left_and_it_resumes_with_the_next_block(
    study: Path,
) -> None:
    with (study / "study.toml").open("a") as file:
        file.write(FOUR_BLOCKS)
    bundle = study.parent / "bundle"
    laboratory = start_laboratory(
        "run", study, "--design", "four", "--only", "good", "--output", bundle
    )
    before: dict[Path, bytes] = {}
    for number, end in enumerate((signal.SIGINT, signal.SIGTERM, signal.SIGKILL), 1):
        wait_for_block(bundle, laboratory, number)
        started = psutil.Process(laboratory.pid).children(recursive=True)
        assert len(started) > 3

        laboratory.send_signal(end)
        laboratory.wait(60)

        _, alive = psutil.wait_procs(started, timeout=30)
        assert alive == [], end
        if end != signal.SIGKILL:
            assert laboratory.returncode == ExitCode.INTERRUPTED, end
        assert len(Bundle.open(bundle).finished_block_ids()) == number, end
        assert all(path.read_bytes() == content for path, content in before.items()), end
        before = {path: path.read_bytes() for path in (bundle / "blocks").glob("b*/block.json")}
        assert len(before) == number
        laboratory = start_laboratory("run", "--resume", bundle)

    code = laboratory.wait(300)

    whole = Bundle.open(bundle)
    assert code == (ExitCode.FAULTS if reasons(whole) else ExitCode.OK)
    assert all(path.read_bytes() == content for path, content in before.items())
    assert whole.schedule.remaining(whole.finished_block_ids()) == ()
    assert [block.block.number for block in whole.last_attempts()] == [1, 2, 3, 4]
    assert whole.check() == []


class InterruptedAtTheSecondBlock(Observer):
    """Presses Ctrl-C when the second block begins."""

    def on(self, event: Event) -> None:
        if isinstance(event, BlockStarted) and event.block.number > 1:
            raise KeyboardInterrupt


def test_an_interrupted_study_keeps_its_blocks_and_lost_runs_until_it_is_complete(
    study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = study.parent / "bundle"
    planned = plan_study(study, "smoke", 1, ("good", "dying"))
    interrupted = run_study(planned, folder, observer=InterruptedAtTheSecondBlock())
    assert interrupted.interrupted
    assert [run.status for run in runs_of(Bundle.open(folder), "dying")] == ["invalid"]
    finished = Bundle.open(folder).finished_block_ids()
    (study.parent / "domain" / "contenders" / "python" / "cured").touch()

    # After a restart of the machine, the container engine may not run yet.
    with monkeypatch.context() as patch:
        patch.setattr(Builder, "build", lambda *_: "the container engine does not answer")
        with pytest.raises(LabError, match="does not answer"):
            resume_study(folder, observer=Observer())
    assert Bundle.open(folder).finished_block_ids() == finished != set()

    code = start_laboratory("run", "--resume", folder).wait(300)

    bundle = Bundle.open(folder)
    assert [run.status for run in runs_of(bundle, "dying")] == ["invalid", "valid"]
    assert [run.status for run in runs_of(bundle, "good")] == ["valid", "valid"], reasons(bundle)
    assert bundle.info.status == "complete"
    assert code == ExitCode.FAULTS
    assert start_laboratory("run", "--resume", folder).wait(300) == ExitCode.FAULTS


def test_a_study_that_is_resumed_on_another_machine_begins_a_new_sequence(study: Path) -> None:
    folder = study.parent / "bundle"
    planned = plan_study(study, "smoke", 1, ("good", "steady"))
    run_study(planned, folder, observer=InterruptedAtTheSecondBlock())
    before = Bundle.open(folder)
    host = {**before.host, "kernel": "another", "versions": {**before.host["versions"]}}
    host["versions"]["wirelab-load"] = "0.0.1"
    (folder / "host.json").write_text(json.dumps(host))
    heard = KeptNotes()

    resume_study(folder, observer=heard)

    bundle = Bundle.open(folder)
    (earlier,) = bundle.info.earlier
    assert earlier.changed == ("kernel", "the version of wirelab-load")
    assert earlier.attempts == {block.id: 1 for block in before.schedule.blocks[:1]}
    assert any("new sequence" in text for text in heard.texts)
    assert [(each.block.number, each.attempt) for each in bundle.last_attempts()] == [
        (1, 2),
        (2, 1),
    ]
    assert bundle.host["kernel"] != "another"
    assert set(bundle.counting(bundle.runs())["attempt"]) == {1, 2}
    amount = " ".join(analyse(bundle).procedure.amount)
    assert "kernel" in amount
    assert bundle.check() == []
    again = resume_study(folder, observer=Observer()).bundle
    assert (again.digest, again.info.earlier) == (bundle.digest, (earlier,))  # nothing was done
