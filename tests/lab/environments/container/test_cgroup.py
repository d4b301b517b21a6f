"""Where the kernel counts for a control group: version 1, version 2, both and neither."""

from pathlib import Path

import pytest

from tests.lab.conftest import machine
from tests.lab.environments.container.counting import cpu_us
from wirelab.errors import MeasureError
from wirelab.lab.processes.cgroup import Cgroup

ID = "docker/4c01db0b339c"

VERSION_1 = {
    "proc/7/cgroup": f"""\
        9:name=systemd:/{ID}
        4:memory:/{ID}
        2:cpu,cpuacct:/{ID}
        0::/system.slice/containerd.service
    """,
    "proc/self/mountinfo": """\
        22 1 254:0 / / rw,relatime - ext4 /dev/vda rw
        30 29 0:26 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,name=systemd
        31 29 0:27 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct
        32 29 0:28 / /sys/fs/cgroup/memory rw shared:9 - cgroup cgroup rw,memory
        33 29 0:29 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw
    """,
    f"sys/fs/cgroup/cpu,cpuacct/{ID}/cpuacct.usage": "5000000000",
    f"sys/fs/cgroup/cpu,cpuacct/{ID}/cgroup.procs": "7\n11",
}

SCOPE = "system.slice/docker-4c01db0b339c.scope"

VERSION_2 = {
    "proc/7/cgroup": f"0::/{SCOPE}",
    "proc/self/mountinfo": "35 24 0:30 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate",
    f"sys/fs/cgroup/{SCOPE}/cpu.stat": """\
        usage_usec 5000000
        user_usec 4000000
        system_usec 1000000
        nr_periods 0
        throttled_usec 250
    """,
    f"sys/fs/cgroup/{SCOPE}/cgroup.procs": "7",
    f"sys/fs/cgroup/{SCOPE}/worker/cgroup.procs": "11\n12",
}


@pytest.mark.parametrize(
    ("files", "version", "pids"), [(VERSION_1, 1, {7, 11}), (VERSION_2, 2, {7, 11, 12})]
)
def test_controllers_that_share_a_tree_and_groups_below(
    tmp_path: Path, files: dict[str, str], version: int, pids: set[int]
) -> None:
    group = Cgroup(7, machine(tmp_path, files))

    assert group.version == version
    assert group.pids() == pids
    assert cpu_us(group) == 5_000_000


def test_a_tree_of_which_only_a_part_is_mounted(tmp_path: Path) -> None:
    """As it is seen from inside a container that has its own part of the tree."""
    files = {name.replace(f"/{SCOPE}/", "/inner/"): text for name, text in VERSION_2.items()}
    files["proc/7/cgroup"] = "0::/outer/inner"
    files["proc/self/mountinfo"] = "35 24 0:30 /outer /sys/fs/cgroup rw - cgroup2 cgroup rw"

    assert cpu_us(Cgroup(7, machine(tmp_path, files))) == 5_000_000


def test_a_removed_group(tmp_path: Path) -> None:
    root = machine(tmp_path, VERSION_2)
    group = Cgroup(7, root)
    for path in sorted((root / f"sys/fs/cgroup/{SCOPE}").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()

    assert group.pids() == frozenset()


@pytest.mark.parametrize("group", ["0::/somewhere", ""])
def test_a_machine_that_counts_nothing(group: str, tmp_path: Path) -> None:
    files = {"proc/7/cgroup": group, "proc/self/mountinfo": "22 1 254:0 / / rw - ext4 /dev/vda rw"}

    with pytest.raises(MeasureError, match="process 7"):
        Cgroup(7, machine(tmp_path, files))
