"""A command, with the command lines of its processes as every user of the machine sees them."""

import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from tests.support.commands import Command

TIMEOUT_S = 200.0


@dataclass(frozen=True, slots=True)
class Watched:
    """How a command ended, what it said, and the command lines of all its processes."""

    returncode: int
    output: str
    command_lines: frozenset[str]


def run_watched(
    command: Sequence[str | Path], folder: Path, environment: Mapping[str, str]
) -> Watched:
    """Run a program in a folder, and look at its processes until it ends."""
    with (
        subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process,
        _watching(process.pid) as seen,
    ):
        output = "".join(process.communicate(timeout=TIMEOUT_S))
    return Watched(process.returncode, output, frozenset(seen))


def wirelab_watched(
    *arguments: str | Path,
    folder: Path,
    environment: Mapping[str, str],
    constants: Mapping[str, object] | None = None,
) -> Watched:
    """Run a command of wirelab in a folder, and look at its processes until it ends."""
    with tempfile.TemporaryDirectory(prefix="wirelab-output-") as kept:
        output = Path(kept) / "output"
        command = Command(
            *arguments,
            stdout=output,
            stderr=output,
            folder=folder,
            environment=environment,
            constants=constants,
        )
        try:
            with _watching(command.pid) as seen:
                code = command.wait(TIMEOUT_S)
        finally:
            command.kill()
        return Watched(code, output.read_text(), frozenset(seen))


@contextmanager
def _watching(pid: int) -> Iterator[set[str]]:
    """Collect command lines until the process has ended, which it must before the block does."""
    seen: set[str] = set()
    looking = threading.Thread(target=collect_command_lines, args=(pid, seen), daemon=True)
    looking.start()
    yield seen
    looking.join()


def collect_command_lines(pid: int, seen: set[str]) -> None:
    """Collect the command lines of a process and of all that it starts, until it ends."""
    try:
        root = psutil.Process(pid)
        while root.is_running() and root.status() != psutil.STATUS_ZOMBIE:
            for each in (root, *root.children(recursive=True)):
                try:
                    seen.add(" ".join(each.cmdline()))
                except psutil.Error:
                    continue
            time.sleep(0.02)
    except psutil.Error:
        return
