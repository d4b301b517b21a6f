"""Change the wall clock for one part of the laboratory while it runs.

The kernel has one such clock for all processes. So a library that is loaded first (`clock.c`)
answers in its place, and moves what the kernel says by what stands in a file.
"""

import shutil
import struct
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.faults.matrix import Target

SOURCE = Path(__file__).with_name("clock.c")
SECONDS = struct.Struct("=q")
PRELOAD = "LD_PRELOAD"
FILE = "WIRELAB_FAULTS_CLOCK"
"""The environment variable with the file of the offset."""
TARGET, LIBRARY = "WIRELAB_FAULTS_CLOCK_OF", "WIRELAB_FAULTS_CLOCK_LIBRARY"
"""The environment variables with the part that gets the clock, and the library."""


def why_no_clock() -> str:
    """Return why the clock cannot be changed here; "" if it can."""
    return "" if shutil.which("cc") else "no C compiler (cc) for tests/faults/clock.c"


class Clock:
    """A clock that can be changed; its files are in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._library, self._file = folder / "clock.so", folder / "clock"
        build = ["cc", "-O1", "-shared", "-fPIC"]
        subprocess.run([*build, "-o", self._library, SOURCE], check=True)
        self._file.write_bytes(SECONDS.pack(0))

    def environment(self, target: Target) -> dict[str, str]:
        """Return the variables that give it to the lab, or through the lab to another part."""
        kept = {FILE: str(self._file)}
        if target == Target.LAB:
            return {**kept, PRELOAD: str(self._library)}
        return {**kept, TARGET: target.value, LIBRARY: str(self._library)}

    def require(self, pid: int) -> None:
        """Raise `RuntimeError` unless a process uses it: otherwise a case would test nothing."""
        mapped = Path(f"/proc/{pid}/maps").read_text().splitlines()
        if not any(line.endswith(f" {self._file}") for line in mapped):
            raise RuntimeError(f"process {pid} has the clock of the machine")

    @contextmanager
    def moved(self, seconds: int) -> Iterator[None]:
        """Change it during the `with` block."""
        self._write(seconds)
        try:
            yield
        finally:
            self._write(0)

    def _write(self, seconds: int) -> None:
        with self._file.open("r+b") as file:  # in place: it is mapped
            file.write(SECONDS.pack(seconds))
