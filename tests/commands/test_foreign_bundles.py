"""Values that no study writes end a report with one message instead of a traceback."""

import json
from pathlib import Path

import pytest

from tests.support.bundles.samples import create, record_of
from wirelab.bundle import Bundle
from wirelab.terminal.exit_codes import ExitCode

from .conftest import Call


@pytest.fixture
def bundle(tmp_path: Path) -> Bundle:
    with create(tmp_path / "bundle", blocks=1) as made:
        made.partial_block(made.schedule.blocks[0].id)
        made.record_block(record_of(made.schedule.blocks[0]))
    return made


@pytest.mark.parametrize("several", [False, True])
def test_a_failed_analysis_names_the_bundle_and_the_line(
    several: bool, bundle: Bundle, monkeypatch: pytest.MonkeyPatch, call: Call
) -> None:
    def spoiled(_: object) -> None:
        json.loads("1") / 0

    monkeypatch.setattr("wirelab.analysis.analysing.require_agreement", spoiled)

    code, _, err = call("report", *[bundle.path] * (1 + several))

    assert code == ExitCode.BAD_INPUT
    *_, what, hint = err.splitlines()
    assert what.startswith(f"error: cannot analyse {bundle.path}: ZeroDivisionError: division by")
    assert " (in analysing.py, line " in what
    assert hint.startswith("hint: ")


def test_missing_contenders_are_named_with_their_file(bundle: Bundle, call: Call) -> None:
    (bundle.path / "contenders.json").write_text("{}")

    code, _, err = call("report", bundle.path)

    assert code == ExitCode.BAD_INPUT
    missing = ", ".join(sorted({run.cell.contender for run in bundle.schedule.runs}))
    assert f"contenders.json: {missing} missing; " in err


@pytest.mark.parametrize("line", ['{"at_utc": 1', "[" * 100_000])
def test_events_that_are_no_json_are_skipped(bundle: Bundle, line: str) -> None:
    bundle.append_event("begun")
    with (bundle.path / "events.jsonl").open("a") as events:
        events.write(f"{line}\n")
    bundle.append_event("ended")

    assert [event["event"] for event in bundle.events()] == ["begun", "ended"]


def test_a_file_beyond_the_maximum_size_is_refused_unread(bundle: Bundle, call: Call) -> None:
    with (bundle.path / "schedule.json").open("ab") as file:
        file.truncate(2**40)

    code, _, err = call("report", bundle.path)

    assert code == ExitCode.BAD_INPUT
    assert "schedule.json: " in err
    assert "268,435,456 bytes" in err
