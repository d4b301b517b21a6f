"""What Ray does to the processes it starts, taken back: servers must not be measured under it.

Ray puts its workers behind all other programs (niceness 15 by default), and limits the threads of
numerical libraries (OMP_NUM_THREADS). Servers would inherit both.
"""

import os
from contextlib import suppress
from pathlib import Path

SETTING = "RAY_worker_niceness"


def niceness_of_ray() -> int:
    """Return how much less this process is favoured than Ray's own on this machine."""
    return os.getpriority(os.PRIO_PROCESS, 0) - os.getpriority(os.PRIO_PROCESS, os.getppid())


def without_settings_of_ray() -> None:
    """Go back to the priority and the environment that Ray itself was started with.

    Only root may raise a priority: `niceness_of_ray` tells whether it was.
    """
    with suppress(PermissionError):
        os.setpriority(os.PRIO_PROCESS, 0, os.getpriority(os.PRIO_PROCESS, os.getppid()))
    given = _names_in_environment(os.getppid())
    for name in [name for name in os.environ if not name.startswith("RAY_") and name not in given]:
        del os.environ[name]


def _names_in_environment(pid: int) -> set[str]:
    """Return the names of the variables that a process was started with."""
    content = Path(f"/proc/{pid}/environ").read_bytes()
    return {os.fsdecode(entry).partition("=")[0] for entry in content.split(b"\0") if entry}
