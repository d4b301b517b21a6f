"""A terminal that lacks a character shows something plain in its place, and no traceback."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(sys.executable).with_name("wirelab")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_terminal_that_is_not_utf_8_gets_plain_characters(encoding: str) -> None:
    done = subprocess.run(
        [PROGRAM, "plan", "kaminski-2022"],
        env={**os.environ, "PYTHONIOENCODING": encoding, "COLUMNS": "80"},
        capture_output=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    shown = done.stdout.decode(encoding)
    assert "kaminski-2022 - Five" in shown or "kaminski-2022 · Five" in shown


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_closed_standard_stream_discards_output(closed: str) -> None:
    command = f"{PROGRAM} list --json {closed}"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)

    assert done.returncode == 0
    assert "Traceback" not in done.stderr
