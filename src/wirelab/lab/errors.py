"""Errors of the machine: what happened, and what the user can do about it."""

from pathlib import Path
from typing import Protocol

from wirelab.errors import LabError, Log


class BuildError(LabError):
    """A contender or a store could not be built; its log has the last lines of the build."""


class StoreError(LabError):
    """The store cannot be used with its settings; the hint names the setting."""


class ContenderError(LabError):
    """A contender did not start, or did not become ready; its log shows why."""


class SilentError(ContenderError):
    """A server that wirelab did not start does not answer."""


class LinkError(LabError):
    """An emulated network failed, or is not available here."""


class Logged(Protocol):
    """A process that writes a log."""

    @property
    def log_path(self) -> Path:
        """The file."""

    def log_tail(self) -> str:
        """Return its last lines."""


def log_of(process: Logged) -> Log:
    """Return the end of the log that a process has written so far."""
    return Log(str(process.log_path), process.log_tail())
