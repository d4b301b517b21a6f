"""Undo Ray's settings of its processes, which servers must not inherit.

Ray lowers the priority of its workers (niceness 15 by default), and limits the threads of numerical
libraries (OMP_NUM_THREADS).
"""

import os
from contextlib import suppress
from pathlib import Path

SETTING = "RAY_worker_niceness"


def environment_of_parent() -> dict[str, str]:
    """Return the environment variables that this process's parent was started with."""
    content = Path(f"/proc/{os.getppid()}/environ").read_bytes()
    entries = (os.fsdecode(entry).partition("=") for entry in content.split(b"\0") if entry)
    return {name: value for name, _, value in entries}


def niceness_of_parent() -> int:
    """Return the niceness of this process's parent."""
    return os.getpriority(os.PRIO_PROCESS, os.getppid())


def take_niceness(niceness: int) -> None:
    """Set the niceness of this process, if that is permitted.

    Only root can lower it; `niceness_beyond` returns whether that succeeded.
    """
    with suppress(PermissionError):
        os.setpriority(os.PRIO_PROCESS, 0, niceness)


def niceness_beyond(niceness: int) -> int:
    """Return how far the niceness of this process exceeds the one that it should have."""
    return os.getpriority(os.PRIO_PROCESS, 0) - niceness
