"""What a cluster adds to a block: time between blocks, and memory of its machine.

The same study is carried out here and on a cluster of one machine, which is this one. The time of a
block itself is the same; what differs is the time from the end of one to the start of the next.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from statistics import fmean

import psutil

import wirelab
from wirelab.cluster import actor

STUDY = (
    "kaminski-2022",
    "--design",
    "smoke",
    "--only",
    "rest-flask,graphql-graphene,fetch_one",
)
SAMPLED_S = 0.5


@dataclass(frozen=True, slots=True)
class Carried:
    """One way of carrying the study out: mean seconds between blocks, and the largest memory."""

    blocks: int
    between_s: float
    memory_bytes: int


def measure_blocks(cluster: str) -> None:
    """Print what both ways took, and the difference."""
    here = _carry_out()
    there = _carry_out("--cluster", cluster)
    print("| blocks | carried out | between two blocks | memory |")
    print("|---|---|---|---|")
    for name, it in (("on this machine", here), ("by a cluster", there)):
        print(f"| {it.blocks} | {name} | {it.between_s:.2f} s | {it.memory_bytes / 1e6:.0f} MB |")
    more_s, more_bytes = there.between_s - here.between_s, there.memory_bytes - here.memory_bytes
    print(f"\nmore by a cluster: {more_s:.2f} s a block, {more_bytes / 1e6:.0f} MB a machine")


def _carry_out(*options: str) -> Carried:
    with tempfile.TemporaryDirectory() as folder:
        bundle = Path(folder) / "bundle"
        command = [
            str(Path(sys.executable).with_name("wirelab")),
            "run",
            *STUDY,
            "--output",
            str(bundle),
        ]
        process = subprocess.Popen(
            [*command, *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        largest = 0
        while process.poll() is None:
            largest = max(largest, sum(_memory(process.pid, on_cluster=bool(options))))
            time.sleep(SAMPLED_S)
        times = sorted(
            (datetime.fromisoformat(block.started_utc), datetime.fromisoformat(block.finished_utc))
            for block in wirelab.open_bundle(bundle).block_records()
        )
    gaps_s = [(after[0] - before[1]).total_seconds() for before, after in pairwise(times)]
    return Carried(len(times), fmean(gaps_s), largest)


def _memory(pid: int, *, on_cluster: bool) -> Iterator[int]:
    """Yield the proportional memory of each process that is a laboratory, or keeps one for Ray."""
    if not on_cluster:
        yield _pss(psutil.Process(pid))
        return
    for process in psutil.process_iter(["cmdline"]):
        if actor.MAIN in (process.info["cmdline"] or ()):
            yield _pss(process)
            parent = process.parent()
            if parent is not None:
                yield _pss(parent)


def _pss(process: psutil.Process) -> int:
    try:
        return int(process.memory_full_info().pss)
    except psutil.Error:
        return 0  # it has just ended
