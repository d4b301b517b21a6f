"""The store of servers that keep their own data: wirelab neither fills nor restores it.

The user may give a command that restores it, which runs instead of copying a state.
"""

import os
import signal
import subprocess
import tempfile
from collections.abc import Mapping

from wirelab.domain.dataset import Dataset
from wirelab.domain.model import Domain
from wirelab.lab.errors import StoreError
from wirelab.lab.stores.store import Store
from wirelab.study import OWN_STORE

RESET_LIMIT_S = 300.0


class OwnStore(Store):
    """A placeholder without states, copies or counters."""

    kind = OWN_STORE
    title = "the servers' own"

    def __init__(self, reset: str = "") -> None:
        super().__init__("", None)
        self._reset = reset

    @property
    def settings(self) -> Mapping[str, str]:
        """No known settings."""
        return {}

    def prepare(self, domain: Domain, state: str, dataset: Dataset) -> None:
        """Do nothing: wirelab does not prepare these data."""

    def drop(self, name: str) -> None:
        """Do nothing: no databases were created."""

    def stop(self) -> None:
        """Do nothing: nothing was started."""

    def _restore(self, state: str, name: str, *, shared: bool) -> tuple[str, bool]:  # noqa: ARG002
        if not self._reset:
            return "", False
        code, output = _run_in_shell(self._reset)
        if code != 0:
            raise StoreError(f"--reset ended with exit code {code}: {output.strip()[-500:]}")
        return "", True

    def _recover(self, *, data_survived: bool) -> tuple[str, ...]:  # noqa: ARG002
        return ()


def _run_in_shell(command: str) -> tuple[int, str]:
    """Run a shell command; return its exit code and its output.

    Background processes that it starts, a server for example, keep running: the output is a file
    rather than a pipe, which would end only with the last of them. Raises `StoreError` if the
    command takes too long; all processes that it started are killed then.
    """
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            ["sh", "-c", command],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            code = process.wait(RESET_LIMIT_S)
        except subprocess.TimeoutExpired:
            raise StoreError(f"--reset did not end within {RESET_LIMIT_S:g} s") from None
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        output.seek(0)
        return code, output.read().decode(errors="replace")
