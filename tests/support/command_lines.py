"""A command, with the command lines of its processes as every user of the machine sees them."""

import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil


@dataclass(frozen=True, slots=True)
class Watched:
    """How a command ended, what it said, and the command lines of all its processes."""

    returncode: int
    output: str
    command_lines: frozenset[str]


def run_watched(
    command: Sequence[str | Path], folder: Path, environment: Mapping[str, str]
) -> Watched:
    """Run a command in a folder, and look at its processes until it ends."""
    seen: set[str] = set()
    with subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        looking = threading.Thread(target=collect_command_lines, args=(process.pid, seen))
        looking.start()
        output = "".join(process.communicate(timeout=200))
        looking.join()
    return Watched(process.returncode, output, frozenset(seen))


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
