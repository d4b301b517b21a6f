"""The time that a container and a proxy add to an answer, and where it is spent.

A container on its own bridge differs from the native contender in two ways: in how requests reach
it, and in how it runs. A container in the host's network differs only in the second. So the
difference between the two containers is the cost of bridge, address translation and forwarded port;
the difference between the second container and the native contender is the cost of isolation:
control groups, system call filter and layered file system. All differences are taken within blocks.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from wirelab.analysis.model import Measured
from wirelab.analysis.values import RunValues
from wirelab.statistics import mean_estimate
from wirelab.study import METRICS, NO_PROXY, Cell, Study
from wirelab.terminal import words

NATIVE, BRIDGED, HOSTED = "native", "container", "container-host"
TIME = "latency_mean_us"
CPU = "contender_cpu_us_per_transaction"
FORWARDER = "forwarder_cpu_us_per_transaction"
PROXY = "proxy_cpu_us_per_transaction"
STORAGE = "contender_storage_bytes_per_transaction"


@dataclass(frozen=True, slots=True)
class ContainerCost:
    """The time that a container adds to one answer, in µs; a part is None if it is unknown.

    `bridge_us` and `isolation_us` add up to `added_us` if both kinds of container were measured.
    `cpu_us` is the increase of the contender's CPU time, `forwarder_cpu_us` the CPU time of the
    forwarder between the published port and the container, and `storage_bytes` what the contender
    in the container reads from and writes to disks: if that is zero, the file system affects only
    the start.
    """

    cell: Cell
    native_us: float
    added_us: Measured | None
    bridge_us: Measured | None
    isolation_us: Measured | None
    cpu_us: Measured | None
    forwarder_cpu_us: float | None
    storage_bytes: float | None
    start_s: Measured | None
    """The additional time of the start."""
    launch_s: Measured | None
    """The part of it that the container engine takes until the contender's program runs."""

    def where(self, study: Study) -> str:
        """Name where it was measured: the workload, and the proxy if there was one."""
        title, cell = study.workloads[self.cell.workload].title, self.cell
        return title if cell.proxy == NO_PROXY else f"{title}, {cell.level_title('proxy')}"

    @property
    def is_split(self) -> bool:
        """Whether both kinds of container were measured, which separates bridge and isolation."""
        return self.bridge_us is not None and self.isolation_us is not None

    @property
    def line(self) -> str:
        """Everything that is known, in one line."""
        whole, bridge, isolation = self.added_us, self.bridge_us, self.isolation_us
        shown = isolation if whole is None else whole
        parts = [] if shown is None else [f"{bounded(shown)} on {took(self.native_us)}"]
        if bridge is not None:
            parts.append(f"of it {bounded(bridge)} by bridge and address translation")
        if bridge is not None and isolation is not None:
            parts.append(f"{bounded(isolation)} by isolation")
        if self.forwarder_cpu_us is not None:
            parts.append(f"the forwarder takes {took(self.forwarder_cpu_us)} of CPU")
        if self.cpu_us is not None:
            parts.append(f"server CPU {bounded(self.cpu_us)}")
        if self.storage_bytes is not None:
            parts.append(f"{words.byte_count(self.storage_bytes)} of storage I/O")
        if self.start_s is not None:
            parts.append(f"start {seconds(self.start_s.value)}")
        return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class ProxyCost:
    """The time that a proxy adds to one answer, in µs, and its own CPU time."""

    cell: Cell
    without_us: float
    added_us: Measured
    proxy_cpu_us: float | None

    @property
    def line(self) -> str:
        """Everything that is known, in one line."""
        cpu_us = self.proxy_cpu_us
        own = "" if cpu_us is None else f", the proxy takes {took(cpu_us)} of CPU"
        return f"{bounded(self.added_us)} on {took(self.without_us)}{own}"


def container_costs(cells: Sequence[Cell], values: RunValues) -> tuple[ContainerCost, ...]:
    """Compare each native cell with the same cell in containers, as far as measured."""
    costs = []
    for native in cells:
        bridged, hosted = (replace(native, environment=name) for name in (BRIDGED, HOSTED))
        if native.twin or native.environment != NATIVE:
            continue
        whole, isolation = (_added(values, TIME, place, native) for place in (bridged, hosted))
        if whole is None and isolation is None:
            continue
        inside = hosted if whole is None else bridged
        costs.append(
            ContainerCost(
                cell=native,
                native_us=_mean(values, TIME, native) or 0.0,
                added_us=whole,
                bridge_us=_added(values, TIME, bridged, hosted),
                isolation_us=isolation,
                cpu_us=_added(values, CPU, inside, native),
                forwarder_cpu_us=_mean(values, FORWARDER, bridged),
                storage_bytes=_mean(values, STORAGE, inside),
                start_s=_added(values, "start_s", inside, native),
                launch_s=_added(values, "launch_s", inside, native),
            )
        )
    return tuple(costs)


def proxy_costs(cells: Sequence[Cell], values: RunValues) -> tuple[ProxyCost, ...]:
    """Compare each cell behind a proxy with the same cell without one, if both were measured."""
    costs = []
    for cell in cells:
        without = replace(cell, proxy=NO_PROXY)
        added = _added(values, TIME, cell, without)
        if cell.twin or cell == without or added is None:
            continue
        without_us = _mean(values, TIME, without) or 0.0
        costs.append(ProxyCost(cell, without_us, added, _mean(values, PROXY, cell)))
    return tuple(costs)


def seconds(value: float) -> str:
    """Render added (or saved) seconds."""
    return f"{value:+.2f}{words.NO_BREAK}s".replace("-", "−")


def took(microseconds: float) -> str:
    """Render a time."""
    return words.duration(microseconds)


def signed(microseconds: float) -> str:
    """Render an added (or saved) time."""
    return ("+" if microseconds >= 0 else "−") + words.duration(abs(microseconds))


def bounded(added: Measured) -> str:
    """Render an added time with its interval; if that contains zero, there may be no effect."""
    interval = added.interval
    between = f" ({signed(interval.low)} to {signed(interval.high)})" if interval else ""
    return signed(added.value) + between


def _added(values: RunValues, column: str, a: Cell, b: Cell) -> Measured | None:
    """Average the differences A - B within blocks."""
    of_a, of_b = _values(values, column, a), _values(values, column, b)
    differences = [of_a[block] - of_b[block] for block in sorted(of_a.keys() & of_b.keys())]
    if not differences:
        return None
    estimate = mean_estimate(differences)
    return Measured(estimate.value, estimate.interval())


def _mean(values: RunValues, column: str, cell: Cell) -> float | None:
    measured = _values(values, column, cell).values()
    return sum(measured) / len(measured) if measured else None


def _values(values: RunValues, column: str, cell: Cell) -> Mapping[int, float]:
    """Return the values of a metric, or of another column, by block."""
    return values.values(column, cell) if column in METRICS else values.column(cell, column)
