"""What can be asked for, and how it is refused."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from wirelab.capacity.objective import check

PROGRAM = Path(sys.executable).with_name("wirelab")
GRAMMAR = json.loads(Path(__file__).with_name("objectives.json").read_text())
"""The load engine's tests read it, too."""


@pytest.mark.parametrize("objective", GRAMMAR["read"])
def test_an_objective_has_conditions(objective: str) -> None:
    check(objective)


@pytest.mark.parametrize("objective", GRAMMAR["refused"])
def test_what_is_none_is_refused(objective: str) -> None:
    with pytest.raises(ValueError, match="p99<50ms"):
        check(objective)


def test_all_that_is_wrong_is_told_at_once() -> None:
    wrong = ("--objective", "fast", "--trial", "1ms", "--search", "soon")

    done = subprocess.run(
        [PROGRAM, "capacity", "localhost:1", *wrong], capture_output=True, text=True, check=False
    )

    assert done.returncode == 2
    assert all(option in done.stderr for option in ("--objective", "--trial", "--search"))
