"""The steps of building the base image, detected in the log."""

from collections.abc import Callable
from pathlib import Path

DOWNLOADING, EXTRACTING, INSTALLING, COMPLETING, IMPORTING, CHECKING = STEPS = (
    "downloading Debian’s packages",
    "extracting packages",
    "installing packages",
    "adding certificates and Python",
    "importing the image into the engine",
    "running its Python",
)
BEGINNINGS = {
    "I: Extracting ": EXTRACTING,
    "I: Installing core packages": INSTALLING,
    "I: Base system installed": COMPLETING,
}
"""The beginning of the first line that debootstrap writes in a step."""


class BaseSteps:
    """Follows a log and calls `begin` with each step once, in order."""

    def __init__(self, log_path: Path, begin: Callable[[str], None]) -> None:
        self._log_path = log_path
        self._begin = begin
        self._position = 0
        self._begun = 0
        self.go_on_to(DOWNLOADING)

    def look(self) -> None:
        """Read new lines of the log. Raises `OSError`."""
        with self._log_path.open("rb") as log:
            log.seek(self._position)
            lines, newline, _ = log.read().rpartition(b"\n")
        self._position += len(lines + newline)
        for line in lines.decode(errors="replace").splitlines():
            for beginning, step in BEGINNINGS.items():
                if line.startswith(beginning):
                    self.go_on_to(step)

    def go_on_to(self, step: str) -> None:
        """Begin a step, and earlier ones that have not begun."""
        for each in STEPS[self._begun : STEPS.index(step) + 1]:
            self._begin(each)
            self._begun += 1
