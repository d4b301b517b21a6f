"""How a contender ended: by itself, or because its grace was over."""

import signal
import time

from wirelab.lab.environments.environment import Launched

KILLED = 128 + signal.SIGKILL
"""What the guard reports of a program that did not end within the grace it has."""
PATIENCE_S = 60.0


def exit_code(process: Launched) -> int | None:
    """Wait for a process to end by itself; None if it does not."""
    deadline = time.monotonic() + PATIENCE_S
    while process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    return process.poll()
