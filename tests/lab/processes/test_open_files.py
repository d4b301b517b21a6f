"""Servers may have as many connections as this machine permits, whatever the usual limit."""

import resource
import subprocess
import sys

import pytest

RAISE = """
import resource, subprocess, sys
from wirelab.lab.processes.open_files import raise_open_files
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (int(sys.argv[1]), min(int(sys.argv[2]), hard)))
raised = raise_open_files()
ask = "import resource; print(resource.getrlimit(resource.RLIMIT_NOFILE)[0])"
inherited = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True).stdout
assert int(inherited) == raised
print(raised)
"""


@pytest.mark.parametrize(("soft", "hard"), [(256, 2048), (512, 512), (256, 1_000_000)])
def test_started_programs_inherit_the_limit_of_open_files(soft: int, hard: int) -> None:
    most = min(hard, resource.getrlimit(resource.RLIMIT_NOFILE)[1])

    done = subprocess.run(
        [sys.executable, "-c", RAISE, str(soft), str(hard)],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stderr == ""
    assert int(done.stdout) == min(most, 65_536)
