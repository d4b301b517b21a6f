"""Generators of data run under the guard."""

import subprocess
import sys
from pathlib import Path

from tests.lab.conftest import is_alive
from tests.support.left import until
from wirelab.installation.guarded import run_guarded

PARENT = """
from pathlib import Path
from wirelab.installation.guarded import run_guarded
run_guarded(["sh", "-c", "echo $$ > pid; exec sleep 60"], cwd=Path())
"""


def test_a_program_ends_with_its_parent(tmp_path: Path) -> None:
    file = tmp_path / "pid"
    with subprocess.Popen([sys.executable, "-c", PARENT], cwd=tmp_path) as parent:
        until(lambda: file.exists() and file.read_text() != "")
        program = int(file.read_text())
        assert is_alive(program)
        parent.kill()

    until(lambda: not is_alive(program))


def test_output_and_exit_code_are_returned(tmp_path: Path) -> None:
    done = run_guarded(["sh", "-c", "pwd; echo wrong >&2; exit 3"], cwd=tmp_path)

    assert (done.stdout, done.stderr, done.returncode) == (f"{tmp_path}\n", "wrong\n", 3)


def test_a_missing_program_is_named(tmp_path: Path) -> None:
    done = run_guarded(["no-such-generator"], cwd=tmp_path)

    assert done.returncode == 127
    assert "no-such-generator" in done.stderr
