"""A changed clock is changed for one program only, and its monotonic clock is not."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.faults.clock import Clock, why_no_clock
from tests.faults.matrix import CLOCKS, Fault, Target

PROGRAM = """
import json, time
for word in iter(input, "end"):
    began = time.monotonic()
    time.sleep(0.01)
    print(json.dumps([time.time(), time.monotonic(), time.monotonic() - began]), flush=True)
"""


@pytest.mark.skipif(bool(why_no_clock()), reason=why_no_clock())
@pytest.mark.parametrize("fault", CLOCKS)
def test_the_wall_clock_changes_while_a_program_runs(fault: Fault, tmp_path: Path) -> None:
    clock = Clock(tmp_path)
    with program_with(clock) as program:
        assert ahead(program) == (0, 0)
        clock.require(program.pid)
        with pytest.raises(RuntimeError, match="of the machine"):
            clock.require(os.getpid())
        with clock.moved(CLOCKS[fault]):
            assert ahead(program) == (CLOCKS[fault], 0)
        assert ahead(program) == (0, 0)
        program.communicate("end\n")


def program_with(clock: Clock) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, **clock.environment(Target.LAB)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def ahead(program: subprocess.Popen[str]) -> tuple[int, int]:
    """Return how far its wall clock and its monotonic clock are ahead of this process's."""
    assert program.stdin is not None
    assert program.stdout is not None
    program.stdin.write("\n")
    program.stdin.flush()
    day, monotonic, slept = json.loads(program.stdout.readline())
    assert 0.01 <= slept < 5
    return in_minutes(day - time.time()), in_minutes(monotonic - time.monotonic())


def in_minutes(seconds: float) -> int:
    """Round, to ignore the time that the query takes."""
    return 60 * round(seconds / 60)
