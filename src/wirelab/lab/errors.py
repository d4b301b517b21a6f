"""Errors of the machine: what happened, and what the user can do about it."""

from pathlib import Path

from wirelab.errors import LabError


class BuildError(LabError):
    """A contender or a store could not be built; the text contains the last lines of the build."""


class StoreError(LabError):
    """The store cannot be used with its settings; the hint names the setting."""


class ContenderError(LabError):
    """A contender did not start, or did not become ready; the text contains the end of its log."""


class LinkError(LabError):
    """An emulated network failed, or is not available here."""


def with_log(what: str, log_path: Path, tail: str) -> str:
    """Add the end of a log, and its path, to a message."""
    return f"{what}; {end_of_log(log_path, tail)}"


def end_of_log(log_path: Path, tail: str) -> str:
    """Quote the end of a log, and give its path."""
    if not tail.strip():
        return f"its log {log_path} is empty"
    quoted = "\n".join(f"  | {line}" for line in tail.splitlines())
    return f"the end of {log_path}:\n{quoted}"
