"""Memory, storage, clock rates and disturbances of a measurement."""

import os
import subprocess
import sys
from collections.abc import Collection, Iterator
from pathlib import Path

import pytest

from wirelab.lab.processes.cpu import CpuPlan, plan_cpus
from wirelab.lab.processes.process_table import ProcessTable
from wirelab.measure import meter
from wirelab.measure.meter import (
    INTERVAL_S,
    Meter,
    SystemTime,
    frequency_change_share,
    off_system_cpus,
    read_system_time,
)

MB = 1 << 20
ROLE = ("contender", "contender")
WORKER = """
import os, sys
held = []
for line in sys.stdin:
    held.append(bytearray(b"1") * (10 << 20))
    with open(sys.argv[1], "wb") as file:
        file.write(held[0])
        os.fsync(file.fileno())
    print(flush=True)
"""


class Worker:
    """A process that takes 10 MB of memory and writes 10 MB to a disk on request."""

    def __init__(self, file: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", WORKER, file],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        self.work()

    def work(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write("\n")
        self.process.stdout.readline()


@pytest.fixture
def worker() -> Iterator[Worker]:
    # Below the project, which lies on a disk; a folder for temporary files may lie in memory.
    file = Path(__file__).with_suffix(f".{os.getpid()}.partial")
    worker = Worker(file)
    yield worker
    worker.process.communicate()
    file.unlink()


class Clock:
    """The clocks of a meter, which advance only on request."""

    def __init__(self) -> None:
        self.now_s = 100.0
        self.own_s = 0.0

    def monotonic(self) -> float:
        return self.now_s

    def thread_time(self) -> float:
        return self.own_s


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(meter, "time", clock)
    return clock


def test_memory_and_storage_are_those_of_the_measurement(worker: Worker, clock: Clock) -> None:
    read = Meter({ROLE: worker.process.pid}, plan_cpus())
    before = ProcessTable().memory_of({worker.process.pid})

    read.begin()
    for _ in range(2):
        worker.work()
        clock.now_s += INTERVAL_S
        read.look()
    machine, used = read.end()

    memory = used[ROLE]
    # Read at the beginning, after each 10 MB, and at the end.
    assert memory.peak_bytes == pytest.approx(before + 20 * MB, abs=MB)
    assert memory.median_bytes == pytest.approx(before + 15 * MB, abs=MB)
    # Nothing where the file system is memory.
    assert memory.storage_bytes in (0, pytest.approx(20 * MB, abs=MB))
    assert machine.time.total_us > 0
    assert machine.time.busy_us <= machine.time.total_us


class CostlyTable(ProcessTable):
    """Takes 30 ms of CPU time to read memory, as a large process does."""

    clock: Clock
    reads = 0

    def memory_of(self, pids: Collection[int]) -> int:
        self.reads += 1
        self.clock.own_s += 0.03
        return super().memory_of(pids)


@pytest.mark.parametrize(("is_costly", "reads"), [(True, {3, 4}), (False, {1 + 12})])
def test_figures_are_read_four_times_a_second_or_less_often_if_that_costs_more(
    clock: Clock, is_costly: bool, reads: set[int]
) -> None:
    """30 ms are 3 % of 1 s: read at the beginning and then once a second."""
    table = CostlyTable()
    table.clock = clock if is_costly else Clock()
    read = Meter({ROLE: os.getpid()}, plan_cpus(), table)
    read.begin()

    for _ in range(24):  # 3 s
        clock.now_s += 0.125
        read.look()

    assert table.reads in reads


def test_an_ended_role_has_no_memory(worker: Worker) -> None:
    read = Meter({ROLE: worker.process.pid, ("other", "contender"): os.getpid()}, plan_cpus())
    worker.process.communicate()

    read.begin()
    _, used = read.end()

    assert set(used) == {("other", "contender")}


def test_a_changing_frequency_shows() -> None:
    steady, dropping = {0: 2000.0, 1: 3000.0}, {0: 2000.0, 1: 2400.0}

    assert frequency_change_share([steady, steady]) == 0
    assert frequency_change_share([steady, dropping, steady]) == pytest.approx(0.2)
    assert frequency_change_share([{}]) is None


def test_the_machine_is_that_of_the_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    requests: list[tuple[int, ...]] = []

    def read_some(cpus: Collection[int]) -> SystemTime:
        requests.append(tuple(cpus))
        return SystemTime(
            total_us=100 * len(requests), busy_us=10 * len(requests), steal_us=len(requests)
        )

    monkeypatch.setattr(meter, "read_system_time", read_some)
    read = Meter({}, CpuPlan(engine=(3,), system=(1, 2)))

    read.begin()
    machine, _ = read.end()

    assert requests == [(1, 2, 3), (1, 2, 3)]
    assert machine.time == SystemTime(total_us=100, busy_us=10, steal_us=1)


def test_this_program_leaves_the_cpus_of_the_system_under_test_for_a_while() -> None:
    before = os.sched_getaffinity(0)
    plan = plan_cpus()

    with off_system_cpus(plan):
        inside = os.sched_getaffinity(0)

    assert inside == (set(plan.engine) if plan.is_disjoint else before)
    assert os.sched_getaffinity(0) == before


BEFORE = """\
cpu  999 999 999 999 999 999 999 999 999 999
cpu0 100 10 50 800 20 5 15 0 40 0
cpu1 0 0 0 1000 0 0 0 0 0 0
cpu10 7 7 7 7 7 7 7 7 7 7
intr 1 2 3
"""
AFTER = BEFORE.replace("100 10 50 800 20 5 15 0 40 0", "150 10 60 810 30 5 15 20 60 0")


def test_only_the_named_cpus_count(tmp_path: Path) -> None:
    (tmp_path / "stat").write_text(BEFORE)

    assert read_system_time([0], tmp_path) == SystemTime(
        total_us=10_000_000, busy_us=1_800_000, steal_us=0
    )
    assert read_system_time([0, 1], tmp_path).total_us == 20_000_000


def test_the_share_that_was_stolen(tmp_path: Path) -> None:
    (tmp_path / "stat").write_text(BEFORE)
    before = read_system_time([0], tmp_path)
    (tmp_path / "stat").write_text(AFTER)

    window = read_system_time([0], tmp_path) - before

    assert window == SystemTime(total_us=1_000_000, busy_us=600_000, steal_us=200_000)
    assert window.steal_share == 0.2
    assert SystemTime(0, 0, 0).steal_share == 0.0
