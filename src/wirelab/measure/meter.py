"""Memory, storage and disturbances of a measurement: which the engine does not measure.

The engine reads CPU time and stolen time at the boundaries of slices, when no request is in flight.
Reading memory takes the kernel longer, so it is read less often: between permutations, or a few
times a second inside a window, on the engine's CPUs.
"""

import os
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from wirelab.lab.environments.environment import Counted, InContainer
from wirelab.lab.host import read_frequency_mhz
from wirelab.lab.processes.cgroup import Cgroup
from wirelab.lab.processes.cpu import CpuPlan
from wirelab.lab.processes.process_table import ProcessTable

SHARE = 0.03
"""The largest share of a CPU that reading may take; large processes are read less often."""
INTERVAL_S = 0.25

RoleKey = tuple[str, str]
"""A server's name, and one of its roles."""


@dataclass(frozen=True, slots=True)
class SystemTime:
    """CPU time of some CPUs since boot, in microseconds."""

    total_us: float
    busy_us: float
    steal_us: float

    def __sub__(self, earlier: "SystemTime") -> "SystemTime":
        return SystemTime(
            self.total_us - earlier.total_us,
            self.busy_us - earlier.busy_us,
            self.steal_us - earlier.steal_us,
        )

    @property
    def steal_share(self) -> float:
        """The share of the time that the hypervisor gave to other machines."""
        return self.steal_us / self.total_us if self.total_us > 0 else 0.0


def read_system_time(cpus: Collection[int], proc: Path = Path("/proc")) -> SystemTime:
    """Read the time of these CPUs, with a resolution of a hundredth of a second."""
    names = {f"cpu{cpu}" for cpu in cpus}
    us_per_tick = 1e6 / os.sysconf("SC_CLK_TCK")
    total = busy = stolen = 0
    for line in (proc / "stat").read_text().splitlines():
        name, *rest = line.split()
        if name in names:
            # Guest time, the last two fields, is already part of user time.
            user, nice, system, idle, wait, interrupts, soft, steal = map(int, rest[:8])
            working = user + nice + system + interrupts + soft
            total += working + idle + wait + steal
            busy += working
            stolen += steal
    return SystemTime(total * us_per_tick, busy * us_per_tick, stolen * us_per_tick)


@dataclass(frozen=True, slots=True)
class MemoryUse:
    """Memory and storage use of a role; storage is None if its processes may not be inspected."""

    median_bytes: float
    peak_bytes: int
    storage_bytes: int | None


@dataclass(frozen=True, slots=True)
class MachineActivity:
    """The activity of all CPUs of the plan together during the measurement."""

    time: SystemTime
    frequency_change_share: float | None


@dataclass
class Meter:
    """Reads the use of some roles from `begin` to `end`; a role is a process tree or a container.

    Raises `MeasureError` if a container has no control group.
    """

    roles: Mapping[RoleKey, Counted]
    plan: CpuPlan
    table: ProcessTable = field(default_factory=ProcessTable)

    def __post_init__(self) -> None:
        containers = {k: v for k, v in self.roles.items() if isinstance(v, InContainer)}
        self._cgroups = {role: Cgroup(container.pid) for role, container in containers.items()}
        self._roots = {role: it for role, it in self.roles.items() if isinstance(it, int)}
        self._cpus = tuple(sorted({*self.plan.engine, *self.plan.system}))
        self._memory: dict[RoleKey, list[int]] = {role: [] for role in self.roles}
        self._frequencies: list[Mapping[int, float]] = []
        self._not_before = 0.0

    def begin(self) -> None:
        """Read the initial values, which `end` subtracts."""
        self._storage_before = self._storage(self._trees())
        self._look()
        self._machine_before = read_system_time(self._cpus)

    def look(self) -> bool:
        """Read memory and clock rates unless just read; return whether they were read now."""
        if time.monotonic() < self._not_before:
            return False
        self._look()
        return True

    def latest(self) -> dict[RoleKey, int]:
        """Return the memory of each role at the latest reading, in bytes."""
        return {role: looks[-1] for role, looks in self._memory.items() if looks}

    def end(self) -> tuple[MachineActivity, dict[RoleKey, MemoryUse]]:
        """Read again; return the machine's activity and each role's use."""
        spent = read_system_time(self._cpus) - self._machine_before
        self._look()
        storage = self._storage(self._trees())
        return MachineActivity(spent, frequency_change_share(self._frequencies)), {
            role: MemoryUse(
                median(seen),
                max(seen),
                _difference(self._storage_before.get(role), storage.get(role)),
            )
            for role, looks in self._memory.items()
            if (seen := [each for each in looks if each])
        }

    def _look(self) -> None:
        began_s = time.thread_time()
        for role, pids in self._trees().items():
            self._memory[role].append(self.table.memory_of(pids))
        rates = {cpu: read_frequency_mhz(cpu) for cpu in self._cpus}
        self._frequencies.append({cpu: mhz for cpu, mhz in rates.items() if mhz is not None})
        pause_s = max(INTERVAL_S, (time.thread_time() - began_s) / SHARE)
        self._not_before = time.monotonic() + pause_s

    def _trees(self) -> dict[RoleKey, frozenset[int]]:
        inside = {role: cgroup.pids() for role, cgroup in self._cgroups.items()}
        return {**self.table.trees(self._roots), **inside}

    def _storage(self, trees: Mapping[RoleKey, Collection[int]]) -> dict[RoleKey, int | None]:
        return {role: self.table.storage_of(tree) for role, tree in trees.items()}


def frequency_change_share(looks: Collection[Mapping[int, float]]) -> float | None:
    """Return the largest change of any CPU's clock rate, as a share of its highest rate."""
    cpus = {cpu for look in looks for cpu in look}
    changes = []
    for cpu in cpus:
        seen = [look[cpu] for look in looks if cpu in look]
        changes.append((max(seen) - min(seen)) / max(seen))
    return max(changes, default=None)


@contextmanager
def off_system_cpus(plan: CpuPlan) -> Iterator[None]:
    """Keep this program off the CPUs of the system under test during the `with` block."""
    before = os.sched_getaffinity(0)
    if plan.is_disjoint:
        os.sched_setaffinity(0, plan.engine)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def _difference(before: int | None, after: int | None) -> int | None:
    return None if before is None or after is None else after - before
