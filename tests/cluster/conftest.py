"""A real Ray cluster on this machine: a head that measures nothing, and machines for a test.

All machines are this one, each with a Ray node of its own; so they share its CPUs, and every test
says what happens, never how long it takes.
"""

import os
import shutil
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import psutil
import pytest

SMALL = {
    "object_store_memory": 80 * 1024 * 1024,
    "include_dashboard": False,
    "include_log_monitor": False,
    "no_monitor": True,  # which starts machines on demand
}


@dataclass
class Machines:
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


@pytest.fixture(scope="package")
def equipped(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the environment of a machine that has the program `rare-program`."""
    programs = tmp_path_factory.mktemp("programs")
    (programs / "rare-program").symlink_to("/bin/true")
    return {"PATH": f"{programs}:{os.environ['PATH']}"}


@pytest.fixture(scope="package")
def machines(equipped: dict[str, str]) -> Iterator[Machines]:
    """Start a head without CPUs, and the machines "one" and "two"; tests remove what they add.

    Only "two" is equipped.
    """
    ray_cluster = pytest.importorskip("ray.cluster_utils")
    folder: str | None = None
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        # Only root can take Ray's niceness back. With the default, 15, Ray's own workers would
        # get hardly any CPU beside other tests.
        patch.setenv("RAY_worker_niceness", "1" if os.geteuid() == 0 else "0")
        # Ray misses a killed machine after five checks. They fail at once, and those of a machine
        # that is only busy after ten seconds each.
        patch.setenv("RAY_health_check_period_ms", "500")
        cluster = ray_cluster.Cluster()
        try:
            head = cluster.add_node(node_name="head", num_cpus=0, **SMALL)
            folder = head.get_session_dir_path()
            found = Machines(cluster)
            found.add("one")
            found.add("two", equipped)
            yield found
        finally:
            cluster.shutdown()
            if folder is not None:
                shutil.rmtree(folder, ignore_errors=True)
