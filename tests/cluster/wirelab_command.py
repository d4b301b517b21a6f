"""`wirelab run --cluster` as users start it, and what it left."""

import time
from collections.abc import Callable
from pathlib import Path

import psutil

from tests.cluster.conftest import Machines
from tests.support.commands import Command
from tests.support.worlds import copy_world

PATIENCE_S = 240.0
DESIGN = """
[design.spread]
summary = "short blocks for several machines"
blocks = {blocks}
warm_up = {{ transactions = 20 }}
slices = {{ permutations = 4, transactions = 20, longest_ms = 2000 }}
workloads = ["read"]
"""


def world(folder: Path, *, blocks: int) -> Path:
    """Return the folder of a study with a design `spread` of this number of blocks."""
    study = copy_world(folder)
    with (study / "study.toml").open("a") as file:
        file.write(DESIGN.format(blocks=blocks))
    return study


def start(machines: Machines, bundle: Path, *arguments: str | Path) -> Command:
    """Start `wirelab run` on the cluster; what it says goes to a file beside the bundle."""
    output = output_path(bundle)
    return Command("run", *arguments, "--cluster", machines.address, stdout=output, stderr=output)


def run(machines: Machines, bundle: Path, study: Path, *contenders: str) -> int:
    """Carry a study out on the cluster, and return the exit code."""
    only = ("--only", ",".join(contenders))
    started = start(machines, bundle, study, "--design", "spread", "--output", bundle, *only)
    return finished(started)


def finished(process: Command) -> int:
    """Wait for the end of a command."""
    try:
        return process.wait(PATIENCE_S)
    finally:
        process.kill()


def output_of(bundle: Path) -> str:
    """Return what the command printed; messages are wrapped at spaces."""
    return " ".join(output_path(bundle).read_text(errors="replace").split())


def output_path(bundle: Path) -> Path:
    """Name the file with what the command printed."""
    return bundle.with_suffix(".output")


def wait_for(what: Callable[[], bool], process: Command | None = None) -> None:
    """Wait until something holds, while a process runs."""
    deadline = time.monotonic() + PATIENCE_S
    while not what():
        assert process is None or process.poll() is None, "the command has ended before"
        assert time.monotonic() < deadline, "it did not come about"
        time.sleep(0.05)


def is_gone(process: psutil.Process) -> bool:
    """Tell whether a process has ended; a zombie has."""
    try:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True
