"""The resource use of processes: CPU time and memory of a process and all its descendants."""

import os
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

Key = TypeVar("Key")

CPU_CLOCK_OF_A_PROCESS = 2
SNAPSHOT_ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class Usage:
    """The use of a process tree: CPU time since its start, current memory."""

    cpu_us: float
    memory_bytes: int


def cpu_clock_ns(pid: int) -> int | None:
    """Read the kernel's clock of the CPU time of a process, ended threads included.

    It is exact, while /proc/PID/stat counts hundredths of a second. None if the process has ended.
    """
    clock = (~pid << 3) | CPU_CLOCK_OF_A_PROCESS  # as clock_getcpuclockid(3) computes it
    try:
        return time.clock_gettime_ns(clock)
    except OSError:
        return None


class ProcessTable:
    """The processes of this machine, or those of a folder that looks like /proc.

    CPU time of a tree is that of its running processes, plus the times that each has inherited from
    children that it waited for. The time of a child that ends moves from one to the other, so the
    sum only grows. Inherited times are in hundredths of a second. Time is lost only if a process
    ignores SIGCHLD, because the kernel then discards it.

    Memory is the proportional set size: pages shared by several processes of a tree, such as the
    buffers of a database, count once. If only the owner may read that, the resident set size.
    """

    def __init__(
        self,
        proc: Path = Path("/proc"),
        clock: Callable[[int], int | None] = cpu_clock_ns,
        ticks_per_s: int | None = None,
    ) -> None:
        self._proc = proc
        self._clock = clock
        self._us_per_tick = 1e6 / (ticks_per_s or os.sysconf("SC_CLK_TCK"))

    def trees(self, roots: Mapping[Key, int]) -> dict[Key, frozenset[int]]:
        """Return, for every key, its root and all descendants; empty if the root has ended."""
        children = self._children()
        return {role: frozenset(_family(root, children)) for role, root in roots.items()}

    def family(self, root: int) -> list[int]:
        """Return a process and then its descendants; empty if it has ended."""
        return _family(root, self._children())

    def quick_family(self, root: int) -> list[int]:
        """Return a process and then its descendants, without a look at all processes.

        It takes a fraction of the time of `family`, but may miss children if others end meanwhile.
        """
        tree = [root]
        try:
            for pid in tree:
                for task in os.scandir(f"{self._proc}/{pid}/task"):
                    with open(f"{task.path}/children", "rb", buffering=0) as file:
                        tree.extend(map(int, file.read().split()))
        except OSError:  # the kernel has no lists of children, or a process has ended
            return self.family(root)
        return tree

    def usage(self, roots: Mapping[Key, int]) -> dict[Key, Usage]:
        """Read the use of all roles, as nearly as possible at the same time.

        Reads again if processes started or ended in the meantime: one that ends between two reads
        would be counted twice or not at all.
        """
        trees = self.trees(roots)
        for _ in range(SNAPSHOT_ATTEMPTS):
            usage = {role: self.usage_of(pids) for role, pids in trees.items()}
            after = self.trees(roots)
            if after == trees:
                break
            trees = after
        return usage

    def usage_of(self, pids: Collection[int]) -> Usage:
        """Read the total use of these processes."""
        return Usage(sum(self._cpu_us(pid) for pid in pids), self.memory_of(pids))

    def storage_of(self, pids: Collection[int]) -> int | None:
        """Read how many bytes these processes have read from and written to disks.

        Reads from the page cache do not count. None if the processes may not be inspected.
        """
        total = 0
        for pid in pids:
            try:
                text = (self._proc / str(pid) / "io").read_text()
            except PermissionError:
                return None
            except OSError:  # it has ended in the meantime
                continue
            fields = dict(line.split(": ") for line in text.splitlines())
            total += int(fields["read_bytes"]) + int(fields["write_bytes"])
        return total

    def memory_of(self, pids: Collection[int]) -> int:
        """Read the total memory of these processes, in bytes."""
        return sum(self._memory_bytes(pid) for pid in pids)

    def _cpu_us(self, pid: int) -> float:
        fields = self._stat(pid)
        if not fields:
            return 0.0
        user, system, inherited_user, inherited_system = map(int, fields[11:15])
        inherited_us = (inherited_user + inherited_system) * self._us_per_tick
        own_ns = self._clock(pid)
        own_us = (user + system) * self._us_per_tick if own_ns is None else own_ns / 1e3
        return own_us + inherited_us

    def _memory_bytes(self, pid: int) -> int:
        folder = self._proc / str(pid)
        try:
            for line in (folder / "smaps_rollup").read_text().splitlines():
                if line.startswith("Pss:"):
                    return int(line.split()[1]) * 1024
        except OSError:
            try:
                resident = int((folder / "statm").read_text().split()[1])
            except OSError:
                return 0
            return resident * os.sysconf("SC_PAGE_SIZE")
        return 0

    def _children(self) -> dict[int, list[int]]:
        """Return the children of each process."""
        pids = [int(entry.name) for entry in os.scandir(self._proc) if entry.name.isdecimal()]
        parents = {pid: int(fields[1]) for pid in pids if (fields := self._stat(pid))}
        children: dict[int, list[int]] = {pid: [] for pid in parents}
        for pid, parent in parents.items():
            children.setdefault(parent, []).append(pid)
        return children

    def _stat(self, pid: int) -> list[bytes]:
        """Return the fields of /proc/PID/stat after the name, which may contain anything.

        Paths and decoded text would double the time, and each look reads those of all processes.
        """
        try:
            with open(f"{self._proc}/{pid}/stat", "rb", buffering=0) as file:
                return file.read().rpartition(b")")[2].split()
        except OSError:
            return []


def _family(root: int, children: Mapping[int, list[int]]) -> list[int]:
    tree = [root] if root in children else []
    for pid in tree:
        tree.extend(children[pid])
    return tree
