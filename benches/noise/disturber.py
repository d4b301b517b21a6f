"""A noisy neighbour: takes part of every CPU in bursts, by a seeded plan, as a busy host would.

    python -m benches.noise.disturber --seed 1 --seconds 60

It runs above every other program (SCHED_FIFO, where that is permitted), so that neither servers nor
the load engine can push it aside: for them its turns look like time that the host stole, except
that the kernel does not count them as stolen.
"""

import argparse
import ctypes
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from subprocess import Popen

from numpy.random import PCG64, Generator

SHARE = (0.05, 0.40)
"""Of every CPU, in a burst."""
BURST_S = (0.2, 3.0)
PAUSE_S = (0.1, 1.0)
SLOT_S = 0.02
"""Within a burst it takes its share of each slot in one piece."""
PRIORITY = 50
PARENT_DEATH_SIGNAL = 1


@dataclass(frozen=True, slots=True)
class Burst:
    """So many seconds in which a share of every CPU is taken, after a pause."""

    pause_s: float
    seconds: float
    share: float


def plan(seed: int) -> Iterator[Burst]:
    """Yield bursts without end."""
    random = Generator(PCG64(seed))
    while True:
        yield Burst(random.uniform(*PAUSE_S), random.uniform(*BURST_S), random.uniform(*SHARE))


@contextmanager
def disturbed(seed: int) -> Iterator[None]:
    """Disturb this machine until the end of the block."""
    process = Popen([sys.executable, "-m", "benches.noise.disturber", "--seed", str(seed)])
    try:
        yield
    finally:
        process.terminate()
        process.wait()


def disturb(seed: int, seconds: float, cpu: int) -> None:
    """Take turns on one CPU by the plan, which is the same for all CPUs."""
    os.sched_setaffinity(0, {cpu})
    with suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
    end = time.monotonic() + seconds
    # All CPUs go by one clock, so that they are disturbed at the same times.
    at = time.monotonic()
    for burst in plan(seed):
        at += burst.pause_s
        slots = max(1, round(burst.seconds / SLOT_S))
        for slot in range(slots):
            began = at + slot * SLOT_S
            if began > end:
                return
            time.sleep(max(0.0, began - time.monotonic()))
            busy_until = began + burst.share * SLOT_S
            while time.monotonic() < busy_until:
                pass
        at += slots * SLOT_S


def main() -> None:
    """Disturb every CPU that this process may use, until the time is over or a signal ends it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    children = []
    for cpu in sorted(os.sched_getaffinity(0)):
        child = os.fork()
        if child == 0:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            ctypes.CDLL(None).prctl(PARENT_DEATH_SIGNAL, signal.SIGKILL)
            disturb(options.seed, options.seconds, cpu)
            os._exit(0)
        children.append(child)
    try:
        for child in children:
            os.waitpid(child, 0)
    finally:
        for child in children:
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGTERM)


if __name__ == "__main__":
    main()
