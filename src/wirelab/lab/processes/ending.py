"""How a server ended: its exit code, and the remedy if the kernel killed it for its memory."""

import re
import signal
from contextlib import suppress
from pathlib import Path

from wirelab.errors import Failure, Log
from wirelab.terminal import words

SIGNALLED_CODE = 128
"""The exit code of a program that a signal has ended, minus the number of the signal."""
KILLED_CODE = SIGNALLED_CODE + signal.SIGKILL
LIMIT_REACHED = re.compile(
    r"^wirelab: (the kernel killed .+ limit of \d+ MiB was reached)$", re.MULTILINE
)
RAISE_LIMIT = "raise memory_mb of that server in [limits] of study.toml, or in --store"
FREE_MEMORY = "end programs that use much memory, or use a machine with more memory"
VMSTAT = Path("/proc/vmstat")


def limit_reached(role: str, limit_mb: int) -> str:
    """Return the line for a server's log if its memory limit, in MiB, has ended a process."""
    return (
        f"wirelab: the kernel killed a process of {role} because its memory limit of"
        f" {limit_mb} MiB was reached"
    )


def describe_exit(code: int, log_tail: str) -> tuple[str, str]:
    """Return an exit code with its cause as far as it is known, and the remedy; "" without one."""
    what = f"exit code {code}"
    if limits := LIMIT_REACHED.findall(log_tail):
        return f"{what}: {limits[-1]}", RAISE_LIMIT
    if code == KILLED_CODE and (kills := out_of_memory_kills() - _KILLS_BEFORE) > 0:
        cause = f"lack of memory: the kernel killed {words.plural(kills, 'process', 'processes')}"
        return f"{what}; {cause} on this machine since wirelab started", FREE_MEMORY
    with suppress(ValueError):  # of another code
        what += f": it was killed ({signal.Signals(code - SIGNALLED_CODE).name})"
    return what, ""


def how_ended(what: str, code: int, log: Log) -> Failure:
    """Return a failure such as "X ended" with its exit code, cause, log and remedy."""
    ended, remedy = describe_exit(code, log.tail)
    return Failure(f"{what} with {ended}", remedy, log)


def out_of_memory_kills(vmstat: Path = VMSTAT) -> int:
    """Return how many processes this machine's kernel has killed for lack of memory; 0: unknown."""
    try:
        kills = re.search(r"^oom_kill (\d+)$", vmstat.read_text(), re.MULTILINE)
    except OSError:
        return 0
    return int(kills[1]) if kills else 0


_KILLS_BEFORE = out_of_memory_kills()
