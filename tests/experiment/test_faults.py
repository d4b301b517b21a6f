"""A faulty contender spoils its own runs with a reason; the others go on, and nothing is left."""

import signal
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.experiment.laboratory import start_laboratory, wait_for_run
from wirelab.bundle import Bundle, RunRecord
from wirelab.exit_codes import ExitCode
from wirelab.experiment import Observer, Outcome, plan_study, run_study
from wirelab.lab.build import BuiltContender
from wirelab.lab.errors import StoreError
from wirelab.lab.running import RunningContender, start


def carry_out(study: Path, only: tuple[str, ...], **options: object) -> Outcome:
    planned = plan_study(study, "smoke", 1, only)
    return run_study(planned, study.parent / "bundle", observer=Observer(), **options)  # type: ignore[arg-type]


def records_of(outcome: Outcome, contender: str) -> list[RunRecord]:
    return [r for r in outcome.bundle.run_records() if r.run.cell.contender == contender]


def assert_good_runs_are_valid(outcome: Outcome) -> None:
    good = records_of(outcome, "good")
    assert len({record.run.id for record in good if record.status == "valid"}) == 4
    assert outcome.bundle.check() == []
    assert outcome.bundle.info.status == "complete"


@pytest.mark.parametrize(
    ("contender", "said"),
    [
        ("dying", ("ended with exit code 3", "the counter contender gives up")),  # its last words
        ("lying", ("answers are wrong under load", "read", "expected")),
        ("hanging", ("transactions failed",)),
    ],
)
def test_a_contender_that_goes_wrong_under_load(
    study: Path, contender: str, said: tuple[str, ...]
) -> None:
    outcome = carry_out(study, ("good", contender))

    faulty = records_of(outcome, contender)
    assert faulty
    assert {record.status for record in faulty} == {"invalid"}
    assert {record.attempt for record in faulty} == {1, 2}
    for record in faulty:
        assert all(words in " ".join(record.reasons) for words in said), record.reasons
    assert outcome.faulty == 2
    assert_good_runs_are_valid(outcome)


def test_a_contender_that_answers_wrong_is_refused_before_anything_is_measured(
    study: Path,
) -> None:
    outcome = carry_out(study, ("good", "wrong"))

    assert {finding.contender for finding in outcome.refused} == {"wrong"}
    finding = outcome.refused[0]
    assert (finding.operation, finding.path) == ("read", "/value")
    assert isinstance(finding.expected, int)
    assert finding.got == finding.expected + 1
    assert {record.status for record in records_of(outcome, "wrong")} == {"skipped"}
    assert_good_runs_are_valid(outcome)


def test_a_contender_that_never_gets_ready_is_left_out(
    study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def impatient(built: BuiltContender, *place: Any, **options: Any) -> RunningContender:
        if built.contender.id == "unready":
            options["deadline_s"] = 4.0
        return start(built, *place, **options)

    monkeypatch.setattr("wirelab.experiment.bench.start", impatient)

    outcome = carry_out(study, ("good", "unready"))

    (first, *_) = records_of(outcome, "unready")
    assert first.status == "skipped"
    assert "was not ready within 4 s" in first.reasons[0]
    assert "waiting for something that never comes" in first.reasons[0]
    assert_good_runs_are_valid(outcome)


def test_a_store_that_cannot_be_reached_ends_the_study_with_the_setting_to_change(
    study: Path,
) -> None:
    with pytest.raises(StoreError, match="connection"):
        carry_out(study, ("good",), stores={"postgresql": "postgresql://127.0.0.1:1/none"})

    assert Bundle.open(study.parent / "bundle").info.status == "interrupted"


@pytest.mark.parametrize("end", ["SIGINT", "SIGTERM", "SIGKILL"])
def test_however_the_laboratory_ends_nothing_is_left_and_it_can_go_on(
    study: Path, end: str
) -> None:
    bundle = study.parent / "bundle"
    laboratory = start_laboratory("run", study, "--only", "good", "--output", bundle)
    wait_for_run(bundle, laboratory)
    started = psutil.Process(laboratory.pid).children(recursive=True)
    assert len(started) > 3

    laboratory.send_signal(signal.Signals[end])
    laboratory.wait(30)

    _, alive = psutil.wait_procs(started, timeout=15)
    assert alive == []
    if end != "SIGKILL":
        assert laboratory.returncode == 130
    finished = Bundle.open(bundle).finished_run_ids()
    assert finished

    resumed = start_laboratory("run", "--resume", bundle)
    code = resumed.wait(300)
    whole = Bundle.open(bundle)
    # Other guests of the host may spoil runs of this laboratory, which it has to say, then.
    records = whole.run_records()
    valid = {record.run.id for record in records if record.status == "valid"}
    spoilt = {record.run.id for record in records} - valid - finished
    assert code == (ExitCode.INVALID_RUNS if spoilt else ExitCode.OK)
    assert finished < whole.finished_run_ids()
    assert whole.schedule.remaining(whole.finished_run_ids()) == ()
    assert whole.check() == []
