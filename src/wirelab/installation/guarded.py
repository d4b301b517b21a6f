"""Run a program to its end, under the guard: if this process ends first, so does the program."""

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from wirelab.installation.programs import find_program


def run_guarded(
    command: Sequence[str],
    *,
    cwd: Path,
    environment: Mapping[str, str] | None = None,
    user: str | None = None,
) -> subprocess.CompletedProcess[str]:
    """Return the exit code and what the program wrote to its standard streams.

    `environment`: its environment variables, by default those of this process. `user`: the user to
    run it as, for root only; Python itself would copy this process for that. If this function is
    interrupted, the program and all its descendants end before it returns. A program that cannot
    be started has the guard's exit code, 126 or 127, and message. Raises `MissingProgramError` if
    wirelab-guard is not installed.
    """
    guard = [str(find_program("wirelab-guard"))]
    if user is not None:
        guard += ["--user", user]
    read_end, write_end = os.pipe()  # closed by the kernel, even after SIGKILL
    try:
        with subprocess.Popen(
            [*guard, "--lifeline", str(read_end), "--", *command],
            cwd=cwd,
            env=None if environment is None else dict(environment),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            pass_fds=[read_end],
        ) as process:
            try:
                output, errors = process.communicate()
            except BaseException:
                os.close(write_end)
                write_end = -1
                process.wait()
                raise
    finally:
        os.close(read_end)
        if write_end >= 0:
            os.close(write_end)
    return subprocess.CompletedProcess(command, process.returncode, output, errors)
