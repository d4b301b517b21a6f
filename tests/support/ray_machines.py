"""Ray on several machines, all of them this one, and `wirelab run --cluster` there."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from tests.support.commands import Command
from tests.support.worlds import copy_world

SMALL = {
    "object_store_memory": 80 * 1024 * 1024,
    "include_dashboard": False,
    "include_log_monitor": False,
    "no_monitor": True,  # which starts machines on demand
}
PATIENCE_S = 240.0
DESIGN = """
[design.spread]
summary = "short blocks for several machines"
blocks = {blocks}
warm_up = {{ transactions = 20 }}
slices = {{ permutations = 4, transactions = 20, longest_ms = 2000 }}
workloads = ["read"]
"""


@dataclass
class RayMachines:
    """The nodes of a cluster, by name."""

    cluster: Any
    nodes: dict[str, Any] = field(default_factory=dict)

    @property
    def address(self) -> str:
        """Where the head is."""
        return str(self.cluster.address)

    def add(
        self, name: str, environment: Mapping[str, str] | None = None, *, cpus: int = 1
    ) -> None:
        """Start Ray on another machine."""
        self.nodes[name] = self.cluster.add_node(
            node_name=name, num_cpus=cpus, env_vars=dict(environment or {}) or None, **SMALL
        )

    def remove(self, name: str) -> None:
        """Let Ray on a machine end itself."""
        self.cluster.remove_node(self.nodes.pop(name), allow_graceful=True)

    def kill(self, name: str) -> None:
        """Kill Ray on a machine without a word to what runs there; wait until Ray misses it."""
        self.cluster.remove_node(self.nodes.pop(name), allow_graceful=False)
        while any(self._is_up(name, known) for known in self.cluster.global_state.node_table()):
            time.sleep(0.2)

    @staticmethod
    def _is_up(name: str, known: Mapping[str, Any]) -> bool:
        return bool(known["NodeName"] == name and known["Alive"])

    def running_on(self, name: str) -> list[psutil.Process]:
        """Return all that Ray on a machine has started, and what that has started."""
        (raylet,) = self.nodes[name].all_processes["raylet"]
        found: list[psutil.Process] = psutil.Process(raylet.process.pid).children(recursive=True)
        return found


def world(folder: Path, *, blocks: int) -> Path:
    """Return the folder of a study with a design `spread` of this number of blocks."""
    study = copy_world(folder)
    with (study / "study.toml").open("a") as file:
        file.write(DESIGN.format(blocks=blocks))
    return study


def start(machines: RayMachines, bundle: Path, *arguments: str | Path) -> Command:
    """Start `wirelab run` on the cluster; what it says goes to a file beside the bundle."""
    output = output_path(bundle)
    return Command("run", *arguments, "--cluster", machines.address, stdout=output, stderr=output)


def run(machines: RayMachines, bundle: Path, study: Path, *contenders: str) -> int:
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
