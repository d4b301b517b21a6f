"""The command `wirelab` as a separate process, without the seconds that loading it takes.

A server that has loaded what the commands load is started once; a command is a fork of it, in a
folder and an environment of its own, and ends as a program does.
"""

import atexit
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from importlib import import_module
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from pathlib import Path

from tests.support.charts import drawn_here

FORKS = multiprocessing.get_context("forkserver")
"""One server for all that tests fork: there is one in a process."""
FORKS.set_forkserver_preload(["tests.support.loaded"])


class Command:
    """A command that was started, to be awaited or ended as `subprocess.Popen` is."""

    def __init__(
        self,
        *arguments: str | Path,
        stdout: Path,
        stderr: Path,
        folder: Path | None = None,
        environment: Mapping[str, str] | None = None,
        constants: Mapping[str, object] | None = None,
        prepare: Callable[[], None] | None = None,
        forks: BaseContext = FORKS,
    ) -> None:
        """Start it; `environment` is added to our own.

        `constants` are other values for constants of wirelab, by their names: `module.NAME`.
        `prepare` is called in its process, before it begins. `forks` says what is forked;
        a fork of our own process draws its charts itself.
        """
        drawn = drawn_here() if forks is FORKS else {}
        self._arguments = tuple(map(str, arguments))
        for path in (stdout, stderr):
            path.write_bytes(b"")
        # A context has this, but only classes derived from the basic one declare it.
        self._process: BaseProcess = forks.Process(  # type: ignore[attr-defined]
            target=_carry_out,
            args=self._arguments,
            kwargs={
                "stdout": stdout.absolute(),
                "stderr": stderr.absolute(),
                "folder": folder or Path.cwd(),
                "environment": {**os.environ, **(environment or {})},
                "constants": {**drawn, **(constants or {})},
                "prepare": prepare,
            },
            daemon=True,  # ended with the tests, if none of them has
        )
        self._process.start()

    @property
    def pid(self) -> int:
        """The process."""
        assert self._process.pid is not None
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """The exit code, None while it runs; of one that a signal has killed minus its number."""
        return self._process.exitcode

    def poll(self) -> int | None:
        """Return the exit code, None while it runs."""
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end, and return the exit code; raises `TimeoutExpired`."""
        self._process.join(timeout)
        code = self._process.exitcode
        if code is None:
            raise subprocess.TimeoutExpired(self._arguments, timeout or 0.0)
        return code

    def send_signal(self, number: signal.Signals) -> None:
        """Send a signal, unless it has ended."""
        if self._process.exitcode is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)


def _carry_out(
    *arguments: str,
    stdout: Path,
    stderr: Path,
    folder: Path,
    environment: Mapping[str, str],
    constants: Mapping[str, object],
    prepare: Callable[[], None] | None,
) -> None:
    """Become the command."""
    from wirelab.cli import main  # noqa: PLC0415

    for full_name, value in constants.items():
        module, _, name = full_name.rpartition(".")
        setattr(import_module(module), name, value)
    os.setsid()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    tempfile.tempdir = None  # that of the environment
    for number, path in ((1, stdout), (2, stderr)):
        written = os.open(path, os.O_WRONLY | os.O_APPEND)
        os.dup2(written, number)
        os.close(written)
    if prepare is not None:
        prepare()
    sys.argv = [str(Path(sys.executable).with_name("wirelab")), *arguments]
    try:
        code = main()
    finally:
        atexit._run_exitfuncs()
    sys.exit(code)
