"""The store of servers that keep data of their own: wirelab neither fills nor restores it.

A person may give a command that does: it is carried out where a copy of a state would be made.
"""

import subprocess
from collections.abc import Mapping

from wirelab.domain.dataset import Dataset
from wirelab.domain.model import Domain
from wirelab.lab.errors import StoreError
from wirelab.lab.store import Store
from wirelab.study import OWN_STORE

RESET_LIMIT_S = 300.0


class OwnStore(Store):
    """Stands where a store would: there is nothing to prepare, to copy or to count."""

    kind = OWN_STORE
    title = "the servers' own"

    def __init__(self, reset: str = "") -> None:
        super().__init__("", None)
        self._reset = reset

    @property
    def settings(self) -> Mapping[str, str]:
        """None that we know of."""
        return {}

    def prepare(self, domain: Domain, state: str, dataset: Dataset) -> None:
        """Do nothing: the data are what they are."""

    def drop(self, name: str) -> None:
        """Do nothing: nothing was made."""

    def stop(self) -> None:
        """Do nothing: nothing was started."""

    def _restore(self, state: str, name: str, *, shared: bool) -> tuple[str, bool]:  # noqa: ARG002
        if not self._reset:
            return "", False
        try:
            done = subprocess.run(
                ["sh", "-c", self._reset],
                capture_output=True,
                text=True,
                check=False,
                timeout=RESET_LIMIT_S,
            )
        except subprocess.TimeoutExpired:
            raise StoreError(f"--reset did not end within {RESET_LIMIT_S:.0f} s") from None
        if done.returncode != 0:
            said = (done.stderr or done.stdout).strip()[-500:]
            raise StoreError(f"--reset ended with exit code {done.returncode}: {said}")
        return "", True

    def _recover(self, *, data_survived: bool) -> tuple[str, ...]:  # noqa: ARG002
        return ()
