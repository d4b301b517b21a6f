"""The engine's program that copies data between a published port and the container.

There is none if the engine lets the kernel forward.
"""

import os
from collections.abc import Collection
from contextlib import suppress

import psutil

PROGRAM = "docker-proxy"


def find_forwarder(port: int) -> int | None:
    """Return the process that forwards a published port."""
    for process in psutil.process_iter(["name", "cmdline"]):
        words = process.info["cmdline"] or []
        if process.info["name"] == PROGRAM and str(port) in words:
            return int(process.pid)
    return None


def pin(pid: int, cpus: Collection[int]) -> None:
    """Restrict all threads of a process, including later ones, to these CPUs.

    Has no effect without permission, which only root has.
    """
    pinned: set[int] = set()
    with suppress(OSError, psutil.Error):
        while new := {thread.id for thread in psutil.Process(pid).threads()} - pinned:
            for thread in new:  # later threads are pinned next time
                os.sched_setaffinity(thread, cpus)
            pinned |= new
