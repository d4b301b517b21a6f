"""Values that no study writes end a report with one message instead of a traceback."""

import json
import sys
from pathlib import Path

import pytest

from tests.support.bundles.samples import create, record_of
from wirelab.bundle import Bundle
from wirelab.cli import main
from wirelab.terminal.exit_codes import ExitCode


@pytest.fixture
def bundle(tmp_path: Path) -> Bundle:
    with create(tmp_path / "bundle", blocks=1) as made:
        made.partial_block(made.schedule.blocks[0].id)
        made.record_block(record_of(made.schedule.blocks[0]))
    return made


@pytest.mark.parametrize("several", [False, True])
def test_a_failed_analysis_names_the_bundle_and_the_line(
    several: bool,
    bundle: Bundle,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def spoiled(_: object) -> None:
        json.loads("1") / 0

    monkeypatch.setattr("wirelab.analysis.analysing.require_agreement", spoiled)
    monkeypatch.setattr(sys, "argv", ["wirelab", "report", *[str(bundle.path)] * (1 + several)])

    assert main() == ExitCode.BAD_INPUT
    *_, what, hint = capsys.readouterr().err.splitlines()
    assert what.startswith(f"error: cannot analyse {bundle.path}: ZeroDivisionError: division by")
    assert " (in analysing.py, line " in what
    assert hint.startswith("hint: ")


def test_missing_contenders_are_named_with_their_file(
    bundle: Bundle, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (bundle.path / "contenders.json").write_text("{}")
    monkeypatch.setattr(sys, "argv", ["wirelab", "report", str(bundle.path)])

    assert main() == ExitCode.BAD_INPUT
    missing = ", ".join(sorted({run.cell.contender for run in bundle.schedule.runs}))
    expected = f"contenders.json: {missing} missing; expected each contender of schedule.json"
    assert expected in capsys.readouterr().err


@pytest.mark.parametrize("line", ['{"at_utc": 1', "[" * 100_000])
def test_events_that_are_no_json_are_skipped(bundle: Bundle, line: str) -> None:
    bundle.append_event("begun")
    with (bundle.path / "events.jsonl").open("a") as events:
        events.write(f"{line}\n")
    bundle.append_event("ended")

    assert [event["event"] for event in bundle.events()] == ["begun", "ended"]


def test_a_file_beyond_the_maximum_size_is_refused_unread(
    bundle: Bundle, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with (bundle.path / "schedule.json").open("ab") as file:
        file.truncate(2**40)
    monkeypatch.setattr(sys, "argv", ["wirelab", "report", str(bundle.path)])

    assert main() == ExitCode.BAD_INPUT
    message = capsys.readouterr().err
    assert "schedule.json: " in message
    assert "268,435,456 bytes" in message
