"""A command that is asked to end says so, and ends without a traceback at any moment."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.support.bundles.until_decided import FabricatedStudy
from tests.support.charts import blank
from wirelab.bundle import Bundle
from wirelab.cli import app
from wirelab.commands.studies import run
from wirelab.experiment.context import StudyOutcome
from wirelab.installation.interruption import requests_interrupt
from wirelab.terminal.exit_codes import ExitCode

from .conftest import Call

SCRIPT = Path(__file__).parents[2] / "programs" / "wheel" / "scripts" / "wirelab"
LOADING = """
import time
print("loading", flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (signal.SIGTERM, "interrupted by SIGTERM"),
        (signal.SIGHUP, "interrupted by SIGHUP"),
        (signal.SIGINT, "interrupted"),
    ],
)
def test_an_interrupted_command_says_so(
    number: signal.Signals,
    text: str,
    monkeypatch: pytest.MonkeyPatch,
    call: Call,
) -> None:
    def interrupt(**_: bool) -> None:
        os.kill(os.getpid(), number)
        time.sleep(60)

    monkeypatch.setattr("wirelab.commands.studies.listing.list_command", interrupt)
    before = signal.getsignal(number)
    if before == signal.SIG_IGN:  # the tests run under nohup
        signal.signal(number, signal.SIG_DFL)
    try:
        code, _, err = call("list")
    finally:
        signal.signal(number, before)

    assert code == ExitCode.INTERRUPTED
    assert err == f"{text}\n"


def test_what_nohup_ignores_stays_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with requests_interrupt():
            os.kill(os.getpid(), signal.SIGHUP)
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_an_interrupt_while_modules_are_loaded_leaves_no_traceback(tmp_path: Path) -> None:
    slow = tmp_path / "wirelab" / "cli.py"
    slow.parent.mkdir()
    slow.with_name("__init__.py").touch()
    slow.write_text(LOADING)
    with subprocess.Popen(
        [sys.executable, SCRIPT],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "loading\n"
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)

    assert (process.returncode, errors) == (-signal.SIGINT, "")


@pytest.mark.parametrize(("blocks", "is_reported"), [(3, False), (4, True)])
def test_ctrl_c_after_the_fourth_block_yields_a_report_with_valid_verdicts(
    blocks: int, is_reported: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = FabricatedStudy(tmp_path)
    study.measure(blocks)
    study.bundle.close()
    outcome = StudyOutcome(Bundle.open(study.bundle.path), interrupted=True)
    monkeypatch.setattr(run, "resume_study", lambda *_, **__: outcome)
    monkeypatch.setattr("wirelab.report.vega.to_svg", blank)

    ended = CliRunner().invoke(app, ["run", "--resume", str(study.bundle.path)])

    assert ended.exit_code == ExitCode.INTERRUPTED
    assert (outcome.bundle.report_folder / "report.html").is_file() is is_reported
    assert ("clearly" in ended.stdout) is is_reported
    assert "--resume" in ended.stderr
