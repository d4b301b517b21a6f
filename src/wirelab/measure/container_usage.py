"""What a container has used: of a role what processes tell natively, and what only it can tell."""

from pydantic import BaseModel, ConfigDict

from wirelab.lab.environment import InContainer
from wirelab.measure.cgroup import Cgroup, CgroupUsage, NetworkUsage, read_network
from wirelab.measure.process_table import ProcessTable, Usage


class ContainerCounters(BaseModel):
    """What a container used in the window, over and above what every role has."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    cgroup_version: int
    cpu_user_us: float
    cpu_system_us: float
    throttled_us: float
    """It was kept from running for so long, by a limit of its CPU time."""
    memory_charged_bytes: int
    """At the end: what the kernel charges it with, files that it read included."""
    memory_charged_peak_bytes: int | None
    """Since it was started; None where the kernel does not tell."""
    network: NetworkUsage | None
    """Through its own interface, store included; None where it shares this machine's network."""


class ContainerUsage:
    """Reads what a container uses, from the moment of `begin` on.

    CPU time is the kernel's count for the container's control group. Memory is counted as it is
    natively, the proportional set size of the processes in that group: what a group is charged with
    holds cached files, too, and would make the same server look larger in a container.
    """

    def __init__(self, container: InContainer, table: ProcessTable) -> None:
        self._pid = container.pid if container.own_network else None
        self._cgroup = Cgroup(container.pid)
        self._table = table

    def now(self) -> Usage:
        """Read what it has used since it was started, and its memory now."""
        memory = self._table.memory_of(self._cgroup.pids())
        return Usage(self._cgroup.usage().cpu_us, memory)

    def pids(self) -> frozenset[int]:
        """Return the processes of the container, as this machine numbers them."""
        return self._cgroup.pids()

    def begin(self) -> None:
        """Read what is to be subtracted at the end of the window."""
        self._before = self._read()

    def end(self) -> ContainerCounters:
        """Read again, and return what was used meanwhile."""
        (before, passed_before), (after, passed) = self._before, self._read()
        network = None
        if passed is not None and passed_before is not None:
            network = passed - passed_before
        return ContainerCounters(
            cgroup_version=self._cgroup.version,
            cpu_user_us=after.cpu_user_us - before.cpu_user_us,
            cpu_system_us=after.cpu_system_us - before.cpu_system_us,
            throttled_us=after.throttled_us - before.throttled_us,
            memory_charged_bytes=after.memory_charged_bytes,
            memory_charged_peak_bytes=after.memory_charged_peak_bytes,
            network=network,
        )

    def _read(self) -> tuple[CgroupUsage, NetworkUsage | None]:
        network = None if self._pid is None else read_network(self._pid)
        return self._cgroup.usage(), network
