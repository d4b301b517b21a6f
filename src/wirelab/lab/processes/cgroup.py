"""Control groups, in which the kernel counts the resource use of a container.

Version 1 has a tree for every resource, version 2 has one for all; on a machine with both, the one
that counts CPU time is used. Version and mount points are read from the machine.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

from wirelab.errors import MeasureError

UNLIMITED_BYTES = 1 << 60
"""From this value on, version 1 means that there is no limit."""


class Cgroup:
    """The control group of a process. Raises `MeasureError` if none counts its use."""

    def __init__(self, pid: int, root: Path = Path("/")) -> None:
        groups = dict(_groups(root / "proc" / str(pid) / "cgroup"))
        mounts = dict(_mounts(root))
        version: Literal[1, 2] = 1 if {"cpuacct", "memory"} <= groups.keys() & mounts.keys() else 2
        self.version = version
        controller = "cpuacct" if version == 1 else ""
        main: Path | None = None
        if controller in groups and controller in mounts:
            mounted, folder = mounts[controller]
            inside = os.path.relpath(groups[controller], mounted)
            main = root / folder.relative_to("/") / inside
        if main is None or not main.is_dir():
            raise MeasureError(
                f"cannot read the CPU time and memory of process {pid}: its control group is not"
                " mounted below /sys/fs/cgroup, neither version 1 (cpuacct and memory) nor 2"
            )
        self._main = main

    @property
    def cpu_file(self) -> Path:
        """The file in which the kernel counts its CPU time."""
        return self._main / ("cpuacct.usage" if self.version == 1 else "cpu.stat")

    def pids(self) -> frozenset[int]:
        """Return the processes in it and in the groups below it; none if it has been removed."""
        pids: set[int] = set()
        for path in (self._main / "cgroup.procs", *self._main.rglob("*/cgroup.procs")):
            try:
                pids.update(map(int, path.read_text().split()))
            except OSError:  # it has ended in the meantime
                continue
        return frozenset(pids)


def memory_headroom_bytes(root: Path = Path("/")) -> int | None:
    """Read how much more memory the control groups of this process allow.

    This is the minimum below any limit from its own group up to the mounted one. Inactive files in
    the page cache do not count as used. None if memory is not limited.
    """
    groups, mounts = dict(_groups(root / "proc/self/cgroup")), dict(_mounts(root))
    version_1 = "memory" in groups.keys() & mounts.keys()
    controller = "memory" if version_1 else ""
    if controller not in groups or controller not in mounts:
        return None
    mounted, folder = mounts[controller]
    top = root / folder.relative_to("/")
    inside = Path(os.path.normpath(top / os.path.relpath(groups[controller], mounted)))
    folders = (each for each in (inside, *inside.parents) if each.is_relative_to(top))
    headrooms = [_headroom_bytes(folder, version_1) for folder in folders]
    return min((each for each in headrooms if each is not None), default=None)


def _headroom_bytes(folder: Path, version_1: bool) -> int | None:
    names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
    if not version_1:
        names = ("memory.max", "memory.current", "inactive_file")
    try:
        limit = (folder / names[0]).read_text().strip()
        if limit == "max" or int(limit) >= UNLIMITED_BYTES:
            return None
        used = _number(folder / names[1]) - _fields(folder / "memory.stat").get(names[2], 0)
    except FileNotFoundError:  # the root group of version 2 has no limit
        return None
    return max(int(limit) - used, 0)


def _groups(path: Path) -> Iterator[tuple[str, str]]:
    """Read the groups of a process: the path by controller; "" is version 2."""
    try:
        lines = path.read_text().splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, group = line.split(":", 2)
        for controller in controllers.split(","):
            yield controller, group


def _mounts(root: Path) -> Iterator[tuple[str, tuple[str, Path]]]:
    """Read the mounts of the trees by controller: the mounted part, and the folder."""
    for line in (root / "proc/self/mountinfo").read_text().splitlines():
        before, _, after = line.partition(" - ")
        kind, _, options = after.split(" ", 2)
        mount = (before.split()[3], Path(before.split()[4]))
        if kind == "cgroup2":
            yield "", mount
        elif kind == "cgroup":
            for controller in options.split(","):
                yield controller, mount


def _fields(path: Path) -> Mapping[str, int]:
    pairs = (line.split() for line in path.read_text().splitlines())
    return {name: int(value) for name, value in pairs}


def _number(path: Path) -> int:
    return int(path.read_text())
