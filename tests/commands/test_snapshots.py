"""What commands print, word for word, beside the files of the folder `snapshots`.

After an intended change, `WIRELAB_WRITE_SNAPSHOTS=1 pytest tests/commands/test_snapshots.py` writes
these files again; the difference then shows what users will see.
"""

import os
import sys
from pathlib import Path

import pytest

from .conftest import Call

SNAPSHOTS = Path(__file__).parent / "snapshots"
COMMANDS = {
    "list": ["list"],
    "plan": ["plan", "kaminski-2022", "--design", "smoke"],
    "unknown-study": ["plan", "kaminsky"],
    "unknown-levels": ["plan", "kaminski-2022", "--only", "rest-flsk,grpcc"],
    "no-bundle": ["report", "kaminski"],
    "no-sides": ["compare"],
    "unknown-option": ["container", "base", "--nmae", "x"],
}


@pytest.fixture(autouse=True)
def _the_same_everywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fix the width, and let nothing be found near the working directory."""
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path)


def printed(arguments: list[str], call: Call) -> str:
    """Return command, standard output, standard error and exit code."""
    code, out, err = call(*arguments)
    parts = [f"$ {' '.join(sys.argv)}", out, err, f"exit code {code}"]
    lines = "\n".join(part for part in parts if part).splitlines()
    return "\n".join(line.rstrip() for line in lines) + "\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_prints_its_snapshot(name: str, call: Call) -> None:
    snapshot = SNAPSHOTS / f"{name}.txt"
    found = printed(COMMANDS[name], call)
    if os.environ.get("WIRELAB_WRITE_SNAPSHOTS"):
        snapshot.write_text(found, encoding="utf-8")

    assert found == snapshot.read_text(encoding="utf-8")


def test_every_snapshot_is_of_a_command() -> None:
    assert {path.stem for path in SNAPSHOTS.iterdir()} == COMMANDS.keys()
