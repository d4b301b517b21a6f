"""Memory: how much is available, and which contenders can run at the same time."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from wirelab.lab.environments.environment import Counted, InContainer
from wirelab.lab.processes.cgroup import Cgroup, memory_headroom_bytes
from wirelab.lab.processes.process_table import ProcessTable

GROWTH = 1.25
"""The assumed memory of a contender under load, relative to the value that was read."""


@dataclass(frozen=True, slots=True)
class GroupPlan:
    """Which contenders run at the same time."""

    groups: tuple[tuple[str, ...], ...]
    """Each group contains the baseline; no groups if no contender fits into memory with it."""
    left_out: tuple[str, ...] = ()
    """Contenders that do not fit into memory with the baseline and need separate runs."""
    needed_bytes: int = 0
    """What all need together; without groups, the baseline and the smallest other contender."""
    available_bytes: int = 0

    @property
    def is_whole(self) -> bool:
        """Whether all contenders run at the same time."""
        return len(self.groups) == 1 and not self.left_out


def available_bytes(root: Path = Path("/")) -> int:
    """Return how much memory new processes can use without swapping.

    This is the kernel's estimate for this machine, or the remaining memory below the lowest limit
    of the control groups of this process, whichever is less.
    """
    fields = (line.split() for line in (root / "proc/meminfo").read_text().splitlines())
    kilobytes = next(int(words[1]) for words in fields if words[0] == "MemAvailable:")
    free = memory_headroom_bytes(root)
    return kilobytes * 1024 if free is None else min(kilobytes * 1024, free)


def used_bytes(roles: Iterable[Counted], table: ProcessTable | None = None) -> int:
    """Return the memory of a running contender, including programs that serve only it.

    This is the proportional set size of its processes: shared memory counts once. Raises
    `MeasureError` if a container has ended.
    """
    table = table or ProcessTable()
    pids: set[int] = set()
    for counted in roles:
        if isinstance(counted, InContainer):
            pids |= Cgroup(counted.pid).pids()
        else:
            pids |= table.trees({"": counted})[""]
    return table.memory_of(pids)


def plan_groups(
    baseline: Sequence[str],
    others: Sequence[str],
    memory_bytes: Mapping[str, int],
    available: int,
) -> GroupPlan:
    """Split contenders into as few groups as fit into memory; each contains the baseline.

    `baseline`: the contender that the others are compared with, and its twin. `memory_bytes`: the
    memory of each contender. `available`: bytes for all that run at the same time. The others are
    distributed evenly: the largest first, each into the group with the most free memory.
    """
    needs = {name: math.ceil(memory_bytes[name] * GROWTH) for name in (*baseline, *others)}
    free = available - sum(needs[name] for name in baseline)
    fitting = [name for name in others if needs[name] <= free]
    left_out = tuple(name for name in others if needs[name] > free)
    if free < 0 or (others and not fitting):
        least = available - free + min((needs[name] for name in others), default=0)
        return GroupPlan((), tuple(others), least, available)
    number = 1
    while (groups := _spread(fitting, needs, number, free)) is None:
        number += 1
    return GroupPlan(
        tuple((*baseline, *group) for group in groups),
        left_out,
        sum(needs.values()),
        available,
    )


def _spread(
    names: Sequence[str], needs: Mapping[str, int], number: int, free: int
) -> list[tuple[str, ...]] | None:
    """Distribute contenders to a number of groups; None if a group is too large."""
    groups: list[list[str]] = [[] for _ in range(number)]
    sizes = [0] * number
    for name in sorted(names, key=lambda name: needs[name], reverse=True):
        smallest = sizes.index(min(sizes))
        groups[smallest].append(name)
        sizes[smallest] += needs[name]
    if max(sizes) > free:
        return None
    return [tuple(name for name in names if name in group) for group in groups]
