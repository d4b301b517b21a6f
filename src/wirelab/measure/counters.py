"""Resource counters: what every role used in the measured window, and what disturbed it.

CPU time comes from readings exactly at the start and the end of the window, when nothing is under
way. Memory, steal time and frequency are sampled between them, at most a few times a second, by a
thread that runs where the engine does and gives way to it, not to the system under test.
"""

import os
import threading
import time
from collections.abc import Collection, Mapping
from contextlib import suppress
from statistics import median
from types import TracebackType
from typing import Self

from pydantic import BaseModel, ConfigDict

from wirelab.lab.cpu import CpuPlan
from wirelab.lab.environment import Counted, InContainer
from wirelab.lab.host import read_frequency_mhz
from wirelab.measure.container_usage import ContainerCounters, ContainerUsage
from wirelab.measure.errors import MeasureError
from wirelab.measure.process_table import ProcessTable, Usage
from wirelab.measure.system_time import SystemTime, read_system_time

INTERVAL_S = 0.25
SAMPLER_SHARE = 0.03
"""The sampler takes no more of a CPU than this: to read the memory of a large process, or of many
that share theirs, takes the kernel long, and then it is read less often."""
LOW_PRIORITY = 10
ENGINE = "engine"


class CounterModel(BaseModel):
    """A part of counters.json."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class RoleCounters(CounterModel):
    """What one role used."""

    cpu_us: float
    """In the window, all of it."""
    idle_cpu_us_per_s: float | None
    """What the same processes use when nothing is asked of them; None: was not measured."""
    memory_median_bytes: float
    memory_peak_bytes: int
    storage_bytes: int | None = None
    """Read from and written to disks in the window, past the page cache; None: not known."""
    container: ContainerCounters | None = None
    """What is known besides where the role is a container."""

    def cpu_us_per_transaction(self, transactions: int, window_s: float) -> float | None:
        """Return the CPU time a transaction costs, what idling costs taken off."""
        if transactions == 0:
            return None
        idle_us = (self.idle_cpu_us_per_s or 0.0) * window_s
        return max(0.0, self.cpu_us - idle_us) / transactions


class Sample(CounterModel):
    """One look at everything, `seconds` after the start of the window."""

    seconds: float
    cpu_us: Mapping[str, float]
    """By role, since the start of the window."""
    memory_bytes: Mapping[str, int]
    steal_us: float
    """Since the start of the window, on the CPUs of the plan."""
    frequency_mhz: Mapping[int, float]


class Counters(CounterModel):
    """counters.json: the window of one run."""

    window_s: float
    roles: Mapping[str, RoleCounters]
    steal_share: float
    """The part of the CPUs' time that the hypervisor gave to others."""
    other_share: float
    """The part of the CPUs' time that programs used which are no role of this run.

    What reads the counters in the window is among them: at most `SAMPLER_SHARE` of one CPU."""
    samples: tuple[Sample, ...]

    @property
    def frequency_change_share(self) -> float | None:
        """The largest change of any CPU's frequency in the window, as a part of its highest."""
        cpus = {cpu for sample in self.samples for cpu in sample.frequency_mhz}
        changes = []
        for cpu in cpus:
            seen = [sample.frequency_mhz[cpu] for sample in self.samples]
            changes.append((max(seen) - min(seen)) / max(seen))
        return max(changes, default=None)


class CounterRecorder:
    """Reads the counters of one run. An `Observer` of the engine; use it as a context manager."""

    def __init__(
        self,
        roles: Mapping[str, Counted],
        plan: CpuPlan,
        *,
        interval_s: float = INTERVAL_S,
        table: ProcessTable | None = None,
    ) -> None:
        """Take for every role the process that all of its processes descend from, or a container.

        Raises `MeasureError` where nothing counts what a container uses.
        """
        table = table or ProcessTable()
        self._roots = {role: root for role, root in roles.items() if isinstance(root, int)}
        self._containers = {
            role: ContainerUsage(root, table)
            for role, root in roles.items()
            if isinstance(root, InContainer)
        }
        self._cpus = tuple(sorted({*plan.engine, *plan.system}))
        self._aside = plan.engine
        self._interval_s = interval_s
        self._table = table
        self._idle_cpu_us_per_s: dict[str, float] = {}
        self._samples: list[Sample] = []
        self._closing = threading.Event()
        self._sampler: threading.Thread | None = None
        self._window: tuple[float, SystemTime] | None = None
        self._roles: dict[str, RoleCounters] = {}

    def measure_idle(self, seconds: float = 0.5) -> None:
        """Measure what the roles use while nothing is asked of them; for before the load."""
        began = time.monotonic()
        before = self._usage()
        time.sleep(seconds)
        after = self._usage()
        taken_s = time.monotonic() - began
        for role in before:
            self._idle_cpu_us_per_s[role] = (after[role].cpu_us - before[role].cpu_us) / taken_s

    def started(self, pid: int) -> None:
        """Count the engine, too."""
        self._roots[ENGINE] = pid

    def before_window(self) -> None:
        """Read everything and begin to sample."""
        for container in self._containers.values():
            container.begin()
        self._storage_before = self._storage()
        self._usage_before = self._usage()
        # Last, so that the reading itself is no part of what the machine did in the window.
        self._system_before = read_system_time(self._cpus)
        self._began = time.monotonic()
        self._sample(self._usage_before)
        self._sampler = threading.Thread(target=self._sample_until_closed, daemon=True)
        self._sampler.start()

    def after_window(self) -> None:
        """Read everything again, and be done."""
        window_s = time.monotonic() - self._began
        system = read_system_time(self._cpus) - self._system_before
        usage = self._usage()
        self._storage_after = self._storage()
        self._stop_sampling()
        self._sample(usage)
        self._roles = {role: self._of_role(role, used) for role, used in usage.items()}
        self._window = window_s, system

    def engine_used(self, cpu_us: float) -> None:
        """Take the engine's own count in place of ours: it may have ended before it was read."""
        self._roles[ENGINE] = self._roles[ENGINE].model_copy(update={"cpu_us": cpu_us})

    @property
    def counters(self) -> Counters:
        """What was read; raises `MeasureError` when there was no whole window."""
        if self._window is None:
            raise MeasureError("the window was not measured from start to end")
        window_s, system = self._window
        ours_us = sum(counters.cpu_us for counters in self._roles.values())
        return Counters(
            window_s=window_s,
            roles=self._roles,
            steal_share=system.steal_share,
            other_share=max(0.0, system.busy_us - ours_us) / max(system.total_us, 1.0),
            samples=tuple(self._samples),
        )

    def _usage(self) -> dict[str, Usage]:
        return {**self._table.usage(self._roots), **self._of_containers()}

    def _of_containers(self) -> dict[str, Usage]:
        return {role: container.now() for role, container in self._containers.items()}

    def _storage(self) -> dict[str, int | None]:
        """Read what each role has had read from and written to disks."""
        pids = {role: it.pids() for role, it in self._containers.items()}
        trees = {**self._table.trees(self._roots), **pids}
        return {role: self._table.storage_of(tree) for role, tree in trees.items()}

    def _of_role(self, role: str, usage: Usage) -> RoleCounters:
        memory = [sample.memory_bytes[role] for sample in self._samples]
        memory = [seen for seen in memory if seen] or [0]  # it may have ended before the last look
        before, after = self._storage_before.get(role), self._storage_after.get(role)
        return RoleCounters(
            cpu_us=max(0.0, usage.cpu_us - self._usage_before[role].cpu_us),
            idle_cpu_us_per_s=self._idle_cpu_us_per_s.get(role),
            memory_median_bytes=median(memory),
            memory_peak_bytes=max(memory),
            storage_bytes=None if before is None or after is None else after - before,
            container=self._containers[role].end() if role in self._containers else None,
        )

    def _sample(self, usage: Mapping[str, Usage]) -> None:
        frequencies = {cpu: read_frequency_mhz(cpu) for cpu in self._cpus}
        self._samples.append(
            Sample(
                seconds=time.monotonic() - self._began,
                cpu_us={
                    role: max(0.0, used.cpu_us - self._usage_before[role].cpu_us)
                    for role, used in usage.items()
                },
                memory_bytes={role: used.memory_bytes for role, used in usage.items()},
                steal_us=(read_system_time(self._cpus) - self._system_before).steal_us,
                frequency_mhz={cpu: mhz for cpu, mhz in frequencies.items() if mhz is not None},
            )
        )

    def _sample_until_closed(self) -> None:
        _stand_aside(self._aside)
        pause_s = self._interval_s
        while not self._closing.wait(pause_s):
            began_s = time.thread_time()
            trees = self._table.trees(self._roots)
            processes = {role: self._table.usage_of(pids) for role, pids in trees.items()}
            with suppress(MeasureError):  # a container has ended; who watches it will say so
                self._sample({**processes, **self._of_containers()})
            pause_s = max(self._interval_s, (time.thread_time() - began_s) / SAMPLER_SHARE)

    def _stop_sampling(self) -> None:
        self._closing.set()
        if self._sampler is not None:
            self._sampler.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop_sampling()


def _stand_aside(cpus: Collection[int]) -> None:
    """Keep this thread off the system under test, and behind whoever else wants to run."""
    thread = threading.get_native_id()
    with suppress(OSError):  # it measures from where it is, then
        os.sched_setaffinity(thread, cpus)
        os.setpriority(os.PRIO_PROCESS, thread, LOW_PRIORITY)
