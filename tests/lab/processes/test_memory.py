"""How much memory there is and is used, and which contenders are up at the same time."""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.lab.conftest import machine
from wirelab.lab.processes.memory import GROWTH, available_bytes, plan_groups, used_bytes

GB = 10**9
BASELINE = ("rest", "rest-twin")

MEMINFO = {"proc/meminfo": "MemTotal: 8000000 kB\nMemFree: 1000 kB\nMemAvailable: 4000000 kB\n"}
AVAILABLE = 4_000_000 * 1024
VERSION_1 = {
    "proc/self/cgroup": "4:memory:/a/b\n2:cpu:/\n0::/\n",
    "proc/self/mountinfo": """\
        32 29 0:28 / /sys/fs/cgroup/memory rw shared:9 - cgroup cgroup rw,memory
        33 29 0:29 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw
    """,
    "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712",
    "sys/fs/cgroup/memory/a/memory.limit_in_bytes": "2000000000",
    "sys/fs/cgroup/memory/a/memory.usage_in_bytes": "900000000",
    "sys/fs/cgroup/memory/a/memory.stat": "cache 1\ntotal_inactive_file 400000000\n",
    "sys/fs/cgroup/memory/a/b/memory.limit_in_bytes": "9223372036854771712",
}
VERSION_2 = {
    "proc/self/cgroup": "0::/a/b\n",
    "proc/self/mountinfo": "35 24 0:30 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate",
    "sys/fs/cgroup/cgroup.procs": "",
    "sys/fs/cgroup/a/memory.max": "3000000000",
    "sys/fs/cgroup/a/memory.current": "100000000",
    "sys/fs/cgroup/a/memory.stat": "inactive_file 0\n",
    "sys/fs/cgroup/a/b/memory.max": "1000000000",
    "sys/fs/cgroup/a/b/memory.current": "900000000",
    "sys/fs/cgroup/a/b/memory.stat": "inactive_file 50000000\n",
}
IN_A_CONTAINER = {
    "proc/self/cgroup": "4:memory:/docker/1\n",
    "proc/self/mountinfo": "32 29 0:28 /docker/1 /sys/fs/cgroup/memory - cgroup cgroup rw,memory",
    "sys/fs/cgroup/memory/memory.limit_in_bytes": "500000000",
    "sys/fs/cgroup/memory/memory.usage_in_bytes": "600000000",
    "sys/fs/cgroup/memory/memory.stat": "total_inactive_file 0\n",
}
NO_GROUPS = {"proc/self/cgroup": "", "proc/self/mountinfo": ""}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (VERSION_1, 1_500_000_000),
        (VERSION_2, 150_000_000),
        (IN_A_CONTAINER, 0),
        (NO_GROUPS, AVAILABLE),
        ({**VERSION_2, "sys/fs/cgroup/a/b/memory.max": "max"}, 2_900_000_000),
        ({**VERSION_1, "sys/fs/cgroup/memory/a/memory.limit_in_bytes": "9" * 18}, AVAILABLE),
    ],
)
def test_the_tightest_limit_counts(files: dict[str, str], expected: int, tmp_path: Path) -> None:
    assert available_bytes(machine(tmp_path, MEMINFO | files)) == expected


def test_this_machine_has_memory() -> None:
    assert available_bytes() > 1 << 20


def test_what_a_tree_of_processes_uses_is_counted() -> None:
    held = "import sys; held = b'x' * 50_000_000; print(flush=True); sys.stdin.read()"
    nested = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {held!r}])"
    with subprocess.Popen(
        [sys.executable, "-c", nested], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        used = used_bytes([process.pid])
        assert process.stdin is not None
        process.stdin.close()

    assert used > 50_000_000


@pytest.mark.parametrize(
    ("needs", "groups", "left_out", "needed"),
    [
        ({"a": 1, "b": 1}, ["ab"], "", 4),
        ({"a": 1, "b": 2, "c": 1}, ["b", "ac"], "", 6),
        ({"c": 9, "a": 1}, ["a"], "c", 12),
        ({}, [""], "", 2),
    ],
    ids=["all at once", "overlapping", "too large", "baseline alone"],
)
def test_each_group_of_contenders_has_the_baseline(
    needs: dict[str, int], groups: list[str], left_out: str, needed: int
) -> None:
    needs_bytes = {
        name: each * GB for name, each in {**dict.fromkeys(BASELINE, 1), **needs}.items()
    }

    plan = plan_groups(BASELINE, list(needs), needs_bytes, 5 * GB)

    assert plan.groups == tuple((*BASELINE, *group) for group in groups)
    assert plan.left_out == tuple(left_out)
    assert plan.is_whole == (len(groups) == 1 and not left_out)
    assert plan.needed_bytes == needed * GB * GROWTH


@pytest.mark.parametrize("available", [2 * GB, 3 * GB])
def test_runs_are_separate_if_nothing_fits_beside_the_baseline(available: int) -> None:
    needs = dict.fromkeys((*BASELINE, "a", "b"), GB)

    plan = plan_groups(BASELINE, ["a", "b"], needs, available)

    assert (plan.groups, plan.left_out) == ((), ("a", "b"))
    assert not plan.is_whole
    assert (plan.needed_bytes, plan.available_bytes) == (3 * GB * GROWTH, available)


@given(
    st.lists(st.integers(1, 40), min_size=2, max_size=2),
    st.lists(st.integers(1, 40), max_size=12),
    st.integers(1, 200),
)
def test_every_contender_is_in_one_group_that_fits(
    baseline: list[int], others: list[int], available: int
) -> None:
    first = [f"b{number}" for number in range(len(baseline))]
    rest = [f"c{number}" for number in range(len(others))]
    needs = dict(zip([*first, *rest], [4 * size for size in (*baseline, *others)], strict=True))

    plan = plan_groups(first, rest, needs, 4 * available)

    measured = [name for group in plan.groups for name in group[len(first) :]]
    assert sorted([*measured, *plan.left_out]) == sorted(rest)
    assert all(list(group[: len(first)]) == first for group in plan.groups)
    for group in plan.groups:
        assert sum(needs[name] for name in group) * GROWTH <= 4 * available
    assert plan.is_whole == (len(plan.groups) == 1 and not plan.left_out)
