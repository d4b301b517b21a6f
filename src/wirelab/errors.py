"""Why something failed: what happened, what the user can do about it, and the log that shows it."""

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

ERROR = re.compile(
    "error|exception|fail|fatal|panic|cannot|can't|could not|unable|denied|refused|no such|"
    "not found|missing|in use|out of memory|exit code|invalid|unknown",
    re.IGNORECASE,
)
"""What a line of a log contains if it says why a program ended."""


@dataclass(frozen=True, slots=True)
class Log:
    """The end of a program's log: the file, and its last lines."""

    path: str
    tail: str = ""

    def __str__(self) -> str:
        """Quote the end, and give the path."""
        if not self.tail.strip():
            return f"its log {self.path} is empty"
        quoted = "\n".join(f"  | {line}" for line in self.tail.splitlines())
        return f"the end of {self.path}:\n{quoted}"

    def moved(self, folder: Path | str, to: Path | str) -> "Log":
        """Return it as it is after its folder, or one above that, has been moved."""
        path = Path(self.path)
        if not path.is_relative_to(folder):
            return self
        return replace(self, path=str(Path(to) / path.relative_to(folder)))


@dataclass(frozen=True, slots=True)
class Failure:
    """What failed; `hint` names the remedy, `log` shows the cause."""

    what: str
    hint: str = ""
    log: Log | None = None

    def __str__(self) -> str:
        """Render all of it."""
        whole = self.without_hint
        return f"{whole}\nhint: {self.hint}" if self.hint else whole

    @property
    def without_hint(self) -> str:
        """What failed, with the end of the log."""
        return f"{self.what}; {self.log}" if self.log else self.what

    def moved(self, folder: Path | str, to: Path | str) -> "Failure":
        """Return it as it is after the folder of its log has been moved."""
        return replace(self, log=self.log.moved(folder, to)) if self.log else self

    @property
    def brief(self) -> str:
        """One line: what happened and, if it looks like an error, the last line of the log."""
        what = self.what.partition("\n")[0]
        if self.log is None or not self.log.tail.strip():
            return what
        last = self.log.tail.splitlines()[-1].strip()
        return f"{what}{': ' if ERROR.search(last) else '; its log ends with: '}{last}"


class StatedError(Exception):
    """An error with a `Failure` that says what happened."""

    def __init__(self, what: str, hint: str = "", log: Log | None = None) -> None:
        super().__init__(what, hint, log)  # which pickling calls it with
        self.failure = Failure(what, hint, log)

    @classmethod
    def from_failure(cls, failure: Failure) -> Self:
        """Return the error for what failed."""
        return cls(failure.what, failure.hint, failure.log)

    def __str__(self) -> str:
        """Render all of it."""
        return str(self.failure)

    @property
    def what(self) -> str:
        """What happened, without the remedy and the log."""
        return self.failure.what

    @property
    def hint(self) -> str:
        """The remedy; "" if none is known."""
        return self.failure.hint


class CommandError(StatedError):
    """A command cannot continue."""


class LabError(CommandError):
    """This machine does not meet a requirement, or an operation on it failed."""


class MissingProgramError(LabError):
    """A required program is not installed; what needs it is skipped with this reason."""


class MeasureError(StatedError):
    """A measurement failed; this is recorded as a reason of the run."""
