"""What can go wrong with the machine: what happened, and what a person can do about it."""

from pathlib import Path

from wirelab.errors import LabError


class BuildError(LabError):
    """A contender or a store could not be built; the last lines of the build are in the text."""


class StoreError(LabError):
    """The store cannot be used as it is set up; the hint names the setting."""


class ContenderError(LabError):
    """A contender did not start, or did not become ready; the end of its log is in the text."""


class LinkError(LabError):
    """An emulated network failed, or cannot be had here."""


def with_log(what: str, log_path: Path, tail: str) -> str:
    """Add the end of a log to a message, and where the whole of it is."""
    return f"{what}; {end_of_log(log_path, tail)}"


def end_of_log(log_path: Path, tail: str) -> str:
    """Quote the end of a log, and say where the whole of it is."""
    quoted = "\n".join(f"  | {line}" for line in tail.splitlines())
    return f"the end of {log_path}:\n{quoted or '  | (empty)'}"
