"""Count processes, listeners, mounts, files and shared memory, to detect leftovers of a case.

It is counted in namespaces of the case's own, so whatever is found belongs to the case.
"""

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil

from tests.faults.injection import Places

PATIENCE_S = 20.0
"""Guards allow processes 5 s to end, and then clean up."""
LISTEN = "0A"
UNFINISHED = (".making-", ".writing-", ".partial-")


def leftovers(places: Places, cache: Path, mounts: frozenset[str]) -> list[str]:
    """Return what remains after the time limit for cleaning up."""
    deadline = time.monotonic() + PATIENCE_S
    while (found := sorted(_left(places, cache, mounts))) and time.monotonic() < deadline:
        time.sleep(0.1)
    return found


def mounted() -> frozenset[str]:
    """Return the mount points."""
    return frozenset(
        line.split()[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()
    )


def _left(places: Places, cache: Path, mounts: frozenset[str]) -> Iterator[str]:
    _reap()
    for process in psutil.process_iter():
        with suppress(psutil.NoSuchProcess):
            if process.pid != os.getpid():
                yield f"process {process.name()}: {' '.join(process.cmdline())[:80]}"
    for table in ("tcp", "tcp6"):
        for line in Path("/proc/net", table).read_text().splitlines()[1:]:
            if line.split()[3] == LISTEN:
                yield f"listener {line.split()[1]}"
    yield from (f"mount {where}" for where in mounted() - mounts)
    yield from (f"temporary {path.name}" for path in places.temporary.iterdir())
    yield from (f"shared memory {path.name}" for path in Path("/dev/shm").iterdir())
    segments = Path("/proc/sysvipc/shm").read_text().splitlines()[1:]
    yield from (f"shared memory segment {line.split()[1]}" for line in segments)
    for folder in (cache, places.output):
        for path in folder.rglob("*"):
            inside_a_bundle = folder == places.output and path.parent != folder
            if path.name.startswith(UNFINISHED) and not inside_a_bundle:
                yield f"unfinished {path.name}"


def _reap() -> None:
    """Wait for ended orphans, since this process is their parent in its namespace."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
