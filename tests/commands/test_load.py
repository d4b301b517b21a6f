"""`wirelab load` refuses what is neither an address nor a job file."""

from pathlib import Path

import pytest

from tests.support.wording import assert_worded
from wirelab.commands.own_api.load import LoadRequest, load_command
from wirelab.terminal.exit_codes import ExitCode


def test_a_program_is_refused_as_a_job_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "server"
    path.write_bytes(b"\x7fELF\xff\xfe")
    options = LoadRequest((str(path),), cluster="", agents=None, start=None, on=None, as_json=False)

    assert load_command(options) is ExitCode.BAD_INPUT
    assert_worded(" ".join(capsys.readouterr().err.split()))
