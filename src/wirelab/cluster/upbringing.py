"""What Ray does to the processes it starts, kept from servers: they must not be measured under it.

Ray puts its workers behind all other programs (niceness 15 by default), and limits the threads of
numerical libraries (OMP_NUM_THREADS). Servers would inherit both.
"""

import os
from contextlib import suppress
from pathlib import Path

SETTING = "RAY_worker_niceness"


def environment_of_parent() -> dict[str, str]:
    """Return the environment that this process's parent was started in."""
    content = Path(f"/proc/{os.getppid()}/environ").read_bytes()
    entries = (os.fsdecode(entry).partition("=") for entry in content.split(b"\0") if entry)
    return {name: value for name, _, value in entries}


def niceness_of_parent() -> int:
    """Return how far this process's parent stands behind other programs."""
    return os.getpriority(os.PRIO_PROCESS, os.getppid())


def take_niceness(wanted: int) -> None:
    """Stand as far behind other programs as wanted, where that is permitted.

    Only root may come forward; `niceness_beyond` tells whether it did.
    """
    with suppress(PermissionError):
        os.setpriority(os.PRIO_PROCESS, 0, wanted)


def niceness_beyond(wanted: int) -> int:
    """Return how much further behind other programs this process stands than wanted."""
    return os.getpriority(os.PRIO_PROCESS, 0) - wanted
