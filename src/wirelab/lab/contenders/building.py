"""One step of a build: a command under the guard; its last lines explain a failure."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from wirelab.lab.errors import BuildError, log_of
from wirelab.lab.processes.process import start_guarded

STEP_LIMIT_S = 1800.0


def run_step(
    command: Sequence[str | Path],
    *,
    what: str,
    log_path: Path,
    cwd: Path,
    environment: Mapping[str, str] | None = None,
    user: str | None = None,
    limit_s: float | None = None,
) -> None:
    """Run one command of a build, with a folder of its own for temporary files.

    `user`: the user to run it as, for root only. `limit_s`: how long it may take; None is
    `STEP_LIMIT_S`. Raises `BuildError` with the command's last lines if it fails.
    """
    limit_s = STEP_LIMIT_S if limit_s is None else limit_s
    shown = " ".join(map(str, command))
    with log_path.open("a") as log:
        log.write(f"$ {shown}\n")
    # Compilers that a signal ends leave their temporary files behind.
    with TemporaryDirectory(prefix="wirelab-build-") as temporary:
        process = start_guarded(
            command,
            role=what,
            log_path=log_path,
            cwd=cwd,
            user=user,
            environment={**(environment or os.environ), "TMPDIR": temporary},
        )
        try:
            code = process.wait(limit_s)
        except TimeoutError as error:
            raise BuildError(
                f"{what}: `{shown}` did not end within {limit_s:g} s",
                log=log_of(process),
            ) from error
        finally:
            process.stop()
    if code != 0:
        failed = f"{what}: `{shown}` failed with exit code {code}"
        raise BuildError(failed, log=log_of(process))
