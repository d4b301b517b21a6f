"""What a control group has used: all that runs in one container, counted by the kernel.

Version 1 has a tree for every resource, version 2 one for all; on a machine with both, the one that
counts CPU time is asked. Which it is, and where, is read from the machine and not assumed.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from wirelab.measure.errors import MeasureError

UNLIMITED_BYTES = 1 << 60
"""From here on a limit of version 1 is none: it has no other word for that."""


@dataclass(frozen=True, slots=True)
class CgroupUsage:
    """What a control group has used since it was made."""

    cpu_us: float
    cpu_user_us: float
    cpu_system_us: float
    throttled_us: float
    """Time it was kept from running by a limit of its CPU time."""
    memory_charged_bytes: int
    """Now: memory of its processes, and of files that it was the first to read."""
    memory_charged_peak_bytes: int | None
    """At most so far; None where the kernel is too old to tell."""


@dataclass(frozen=True, slots=True)
class NetworkUsage:
    """What has passed through the network interfaces of a container, but not the loopback."""

    received_bytes: int
    received_packets: int
    sent_bytes: int
    sent_packets: int

    def __sub__(self, earlier: "NetworkUsage") -> "NetworkUsage":
        return NetworkUsage(
            self.received_bytes - earlier.received_bytes,
            self.received_packets - earlier.received_packets,
            self.sent_bytes - earlier.sent_bytes,
            self.sent_packets - earlier.sent_packets,
        )


class Cgroup:
    """The control group that a process is in. Raises `MeasureError` where none counts."""

    def __init__(self, pid: int, root: Path = Path("/")) -> None:
        groups = dict(_groups(root / "proc" / str(pid) / "cgroup"))
        mounts = dict(_mounts(root))
        version: Literal[1, 2] = 1 if {"cpuacct", "memory"} <= groups.keys() & mounts.keys() else 2
        self.version = version
        controllers = ("cpuacct", "cpu", "memory") if version == 1 else ("",)
        self._folders: dict[str, Path] = {}
        for controller in controllers:
            if controller in groups and controller in mounts:
                mounted, place = mounts[controller]
                inside = os.path.relpath(groups[controller], mounted)
                self._folders[controller] = root / place.relative_to("/") / inside
        if not self._main.is_dir():
            raise MeasureError(
                f"no control group counts what process {pid} uses: neither version 1 (cpuacct and"
                " memory) nor version 2 is mounted below /sys/fs/cgroup for it"
            )

    @property
    def _main(self) -> Path:
        return self._folders.get("cpuacct" if self.version == 1 else "", Path("/nowhere"))

    @property
    def cpu_file(self) -> Path:
        """The file in which the kernel counts its CPU time."""
        return self._main / ("cpuacct.usage" if self.version == 1 else "cpu.stat")

    def usage(self) -> CgroupUsage:
        """Read what it has used. Raises `MeasureError` when it is gone."""
        try:
            return self._usage_1() if self.version == 1 else self._usage_2()
        except (OSError, KeyError, ValueError) as error:
            raise MeasureError(f"the control group {self._main} cannot be read: {error}") from error

    def pids(self) -> frozenset[int]:
        """Return the processes in it and in the groups below it; none when it is gone."""
        found: set[int] = set()
        for path in (self._main / "cgroup.procs", *self._main.rglob("*/cgroup.procs")):
            try:
                found.update(map(int, path.read_text().split()))
            except OSError:  # it has ended meanwhile
                continue
        return frozenset(found)

    def _usage_1(self) -> CgroupUsage:
        time, memory = self._folders["cpuacct"], self._folders["memory"]
        total_us = _number(time / "cpuacct.usage") / 1e3
        # Exact is only the total here: its halves are guessed by the clock's ticks.
        user, system = (_number(time / f"cpuacct.usage_{half}") for half in ("user", "sys"))
        user_us = total_us * user / max(user + system, 1)
        throttled = _fields(self._folders["cpu"] / "cpu.stat") if "cpu" in self._folders else {}
        return CgroupUsage(
            cpu_us=total_us,
            cpu_user_us=user_us,
            cpu_system_us=total_us - user_us,
            throttled_us=throttled.get("throttled_time", 0) / 1e3,
            memory_charged_bytes=_number(memory / "memory.usage_in_bytes"),
            memory_charged_peak_bytes=_number(memory / "memory.max_usage_in_bytes"),
        )

    def _usage_2(self) -> CgroupUsage:
        time = _fields(self._main / "cpu.stat")
        peak = self._main / "memory.peak"
        return CgroupUsage(
            cpu_us=time["usage_usec"],
            cpu_user_us=time["user_usec"],
            cpu_system_us=time["system_usec"],
            throttled_us=time.get("throttled_usec", 0),
            memory_charged_bytes=_number(self._main / "memory.current"),
            memory_charged_peak_bytes=_number(peak) if peak.exists() else None,
        )


def memory_room_bytes(root: Path = Path("/")) -> int | None:
    """Read how much more memory the control groups of this process let it use.

    It is the least room below any limit from its own group up to the mounted one. Files in the page
    cache that nobody has used lately do not count as used. None where no memory is limited.
    """
    groups, mounts = dict(_groups(root / "proc/self/cgroup")), dict(_mounts(root))
    version_1 = "memory" in groups.keys() & mounts.keys()
    controller = "memory" if version_1 else ""
    if controller not in groups or controller not in mounts:
        return None
    mounted, place = mounts[controller]
    top = root / place.relative_to("/")
    inside = Path(os.path.normpath(top / os.path.relpath(groups[controller], mounted)))
    folders = (each for each in (inside, *inside.parents) if each.is_relative_to(top))
    rooms = [room for folder in folders if (room := _room_bytes(folder, version_1)) is not None]
    return min(rooms, default=None)


def _room_bytes(folder: Path, version_1: bool) -> int | None:
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


def read_network(pid: int, proc: Path = Path("/proc")) -> NetworkUsage:
    """Read what has passed through the network that a process is in, all interfaces together."""
    received_bytes = received_packets = sent_bytes = sent_packets = 0
    try:
        lines = (proc / str(pid) / "net" / "dev").read_text().splitlines()[2:]
    except OSError as error:
        raise MeasureError(f"the network of process {pid} cannot be read: {error}") from error
    for line in lines:
        name, _, numbers = line.partition(":")
        if name.strip() != "lo":
            fields = [int(number) for number in numbers.split()]
            received_bytes += fields[0]
            received_packets += fields[1]
            sent_bytes += fields[8]
            sent_packets += fields[9]
    return NetworkUsage(received_bytes, received_packets, sent_bytes, sent_packets)


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
    """Read where the trees are mounted: the part that is, and the folder, by controller."""
    for line in (root / "proc/self/mountinfo").read_text().splitlines():
        before, _, after = line.partition(" - ")
        kind, _, options = after.split(" ", 2)
        place = (before.split()[3], Path(before.split()[4]))
        if kind == "cgroup2":
            yield "", place
        elif kind == "cgroup":
            for controller in options.split(","):
                yield controller, place


def _fields(path: Path) -> Mapping[str, int]:
    pairs = (line.split() for line in path.read_text().splitlines())
    return {name: int(value) for name, value in pairs}


def _number(path: Path) -> int:
    return int(path.read_text())
