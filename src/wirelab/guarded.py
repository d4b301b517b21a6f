"""Run a program to its end, under the guard: if this process ends first, so does the program."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from wirelab.programs import find_program


def run_guarded(command: Sequence[str], *, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Return the exit code and what the program wrote to its standard streams.

    A program that cannot be started has the guard's exit code, 126 or 127, and message. Raises
    `MissingProgramError` if wirelab-guard is not installed.
    """
    read_end, write_end = os.pipe()  # closed by the kernel, even after SIGKILL
    guard = [str(find_program("wirelab-guard")), "--lifeline", str(read_end), "--"]
    try:
        return subprocess.run(
            [*guard, *command],
            cwd=cwd,
            capture_output=True,
            text=True,
            check=False,
            pass_fds=[read_end],
        )
    finally:
        os.close(read_end)
        os.close(write_end)
