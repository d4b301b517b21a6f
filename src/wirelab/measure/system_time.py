"""Total and stolen time of the CPUs, from /proc/stat."""

import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path


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
