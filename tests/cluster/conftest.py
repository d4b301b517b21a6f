"""A real Ray cluster on this machine: a head that measures nothing, and machines for a test.

All machines are this one, each with a Ray node of its own; so they share its CPUs, and every test
says what happens, never how long it takes.
"""

import os
import shutil
from collections.abc import Iterator

import pytest

from tests.support.ray_machines import SMALL, RayMachines


@pytest.fixture(scope="package")
def equipped(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the environment of a machine that has the program `rare-program`."""
    programs = tmp_path_factory.mktemp("programs")
    (programs / "rare-program").symlink_to("/bin/true")
    return {"PATH": f"{programs}:{os.environ['PATH']}"}


@pytest.fixture(scope="package")
def machines(equipped: dict[str, str]) -> Iterator[RayMachines]:
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
            found = RayMachines(cluster)
            found.add("one")
            found.add("two", equipped)
            yield found
        finally:
            cluster.shutdown()
            if folder is not None:
                shutil.rmtree(folder, ignore_errors=True)
