"""The CPU plan: the CPUs of the engine, and those of the system under test.

On a shared CPU, the load generator would slow down what it measures. So they get separate CPUs, or
physical cores on machines with hyper-threads, and the plan warns if the machine is too small for
that.
"""

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

TOPOLOGY = Path("/sys/devices/system/cpu")


@dataclass(frozen=True, slots=True)
class CpuPlan:
    """Disjoint CPU sets; `warning` says why if they are not disjoint."""

    engine: tuple[int, ...]
    system: tuple[int, ...]
    """Contender and store: together they are the system under test."""
    warning: str = ""

    @property
    def is_disjoint(self) -> bool:
        """Whether the engine has cores that the system under test does not need."""
        return not self.warning


def plan_cpus(
    available: Collection[int] | None = None,
    siblings: Mapping[int, frozenset[int]] | None = None,
) -> CpuPlan:
    """Give the engine the last physical core, and all others to the system under test.

    `available`: the CPUs to divide, by default those that this process may use. `siblings`: for
    every CPU the CPUs of its physical core, by default from the kernel.
    """
    cpus = sorted(os.sched_getaffinity(0) if available is None else available)
    if len(cpus) == 1:
        both = (cpus[0],)
        return CpuPlan(both, both, "engine and system under test share the only CPU")
    cores = read_siblings(cpus) if siblings is None else siblings
    engine = tuple(cpu for cpu in cpus if cpu in cores.get(cpus[-1], {cpus[-1]}))
    system = tuple(cpu for cpu in cpus if cpu not in engine)
    if not system:
        return CpuPlan(
            (cpus[-1],),
            tuple(cpus[:-1]),
            "engine and system under test share the only physical core (hyper-threads)",
        )
    return CpuPlan(engine, system)


def read_siblings(cpus: Collection[int], root: Path = TOPOLOGY) -> dict[int, frozenset[int]]:
    """Read which CPUs are hyper-threads of one core; a CPU without that file has none."""
    siblings = {}
    for cpu in cpus:
        path = root / f"cpu{cpu}" / "topology" / "thread_siblings_list"
        try:
            siblings[cpu] = frozenset(parse_cpus(path.read_text()))
        except OSError:
            siblings[cpu] = frozenset({cpu})
    return siblings


def parse_cpus(text: str) -> tuple[int, ...]:
    """Read the kernel's notation: "0,2-3" is (0, 2, 3)."""
    cpus: list[int] = []
    for part in filter(None, text.strip().split(",")):
        first, _, last = part.partition("-")
        cpus.extend(range(int(first), int(last or first) + 1))
    return tuple(cpus)


def format_cpus(cpus: Collection[int]) -> str:
    """Write CPUs in the guard's notation: "0,2,3"."""
    return ",".join(str(cpu) for cpu in sorted(cpus))
