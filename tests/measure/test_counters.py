"""What every role used in a window."""

import subprocess
import sys
import threading
import time
from collections.abc import Collection, Iterator

import pytest
from wirelab.measure.counters import CounterRecorder, Counters, RoleCounters, Sample

from tests.support.undisturbed import undisturbed
from wirelab.lab.cpu import plan_cpus
from wirelab.measure.errors import MeasureError
from wirelab.measure.process_table import ProcessTable, Usage
from wirelab.measure.system_time import read_system_time

WORKER = """
import sys, time
held = []
for line in sys.stdin:
    end = time.process_time() + float(line)
    while time.process_time() < end:
        pass
    held.append(bytearray(b"1") * (10 << 20))
    print(flush=True)
"""


class Worker:
    """A process that uses CPU time and memory when it is told to."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", WORKER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        self.work(0)

    def work(self, seconds: float) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{seconds}\n")
        self.process.stdout.readline()


@pytest.fixture
def worker() -> Iterator[Worker]:
    worker = Worker()
    yield worker
    worker.process.communicate()


def test_exactly_the_window_counts(worker: Worker) -> None:
    with CounterRecorder(
        {"contender": worker.process.pid}, plan_cpus(), interval_s=0.05
    ) as recorder:
        worker.work(0.2)
        recorder.before_window()
        worker.work(0.3)
        time.sleep(1.0)
        recorder.after_window()
        worker.work(0.2)

    counters = recorder.counters
    used = counters.roles["contender"]
    assert 300_000 <= used.cpu_us < 350_000
    assert counters.window_s >= 1.3
    memory = [sample.memory_bytes["contender"] for sample in counters.samples]
    assert used.memory_peak_bytes == max(memory) >= memory[0] + (5 << 20)
    assert len(memory) > 2, "it was looked at between start and end, too"
    seen = [sample.cpu_us["contender"] for sample in counters.samples]
    assert seen == sorted(seen)
    assert seen[0] == 0
    assert seen[-1] == used.cpu_us
    assert Counters.model_validate_json(counters.model_dump_json()) == counters


def test_the_engine_becomes_a_role_when_it_is_started(worker: Worker) -> None:
    with CounterRecorder({}, plan_cpus()) as recorder:
        recorder.started(worker.process.pid)
        recorder.before_window()
        worker.work(0.1)
        recorder.after_window()

    assert recorder.counters.roles["engine"].cpu_us >= 100_000
    assert recorder.counters.roles["engine"].idle_cpu_us_per_s is None


def test_what_idling_costs_is_taken_off(worker: Worker) -> None:
    stop = threading.Event()

    def fidget() -> None:
        while not stop.wait(0.02):
            worker.work(0.002)

    def idle_cpu_us_per_s() -> float:
        recorder = CounterRecorder({"contender": worker.process.pid}, plan_cpus())
        recorder.measure_idle(0.5)
        recorder.before_window()
        recorder.after_window()
        return recorder.counters.roles["contender"].idle_cpu_us_per_s or 0.0

    fidgeting = threading.Thread(target=fidget)
    fidgeting.start()
    try:
        idle = undisturbed(idle_cpu_us_per_s, lambda idle: idle > 20_000)
    finally:
        stop.set()
        fidgeting.join()

    assert idle > 20_000
    used = RoleCounters(
        cpu_us=1_000_000, idle_cpu_us_per_s=100_000, memory_median_bytes=1, memory_peak_bytes=1
    )
    assert used.cpu_us_per_transaction(100, 2.0) == 8_000
    assert used.cpu_us_per_transaction(0, 2.0) is None


def test_other_programs_show(worker: Worker) -> None:
    stranger = Worker()

    def counted() -> Counters:
        with CounterRecorder({"contender": worker.process.pid}, plan_cpus()) as recorder:
            recorder.before_window()
            stranger.work(0.5)
            recorder.after_window()
        return recorder.counters

    try:
        counters = undisturbed(counted, lambda counters: counters.other_share > 0.1)
    finally:
        stranger.process.communicate()

    assert counters.other_share > 0.1
    assert counters.roles["contender"].cpu_us < 50_000


class CostlyTable(ProcessTable):
    """Takes 30 ms of CPU time to read what processes use, as a large one does."""

    reads = 0

    def usage_of(self, pids: Collection[int]) -> Usage:
        self.reads += 1
        end = time.thread_time() + 0.03
        while time.thread_time() < end:
            pass
        return super().usage_of(pids)


def test_reading_the_counters_is_no_other_program(worker: Worker) -> None:
    plan = plan_cpus()
    cpus = {*plan.engine, *plan.system}
    roles = {f"role {number}": worker.process.pid for number in range(12)}

    def other_share_beyond_what_was_before() -> float:
        before = read_system_time(cpus)
        time.sleep(0.2)
        idle = read_system_time(cpus) - before
        with CounterRecorder(roles, plan, interval_s=60, table=CostlyTable()) as recorder:
            recorder.before_window()
            time.sleep(0.2)
            recorder.after_window()
        return recorder.counters.other_share - idle.busy_us / idle.total_us

    # Before and after the window, twelve roles take 0.7 s of CPU time to read. What programs of
    # this machine take besides they took just before, too.
    share = undisturbed(other_share_beyond_what_was_before, lambda share: share < 0.25)
    assert share < 0.25


def test_what_is_costly_to_read_is_read_less_often(worker: Worker) -> None:
    table = CostlyTable()
    roles = {"contender": worker.process.pid}
    with CounterRecorder(roles, plan_cpus(), interval_s=0.02, table=table) as recorder:
        recorder.before_window()
        began, read = time.monotonic(), table.reads
        while table.reads == read:
            time.sleep(0.01)
        time.sleep(0.5)
        recorder.after_window()
        elapsed_s = time.monotonic() - began

    between = table.reads - read - 1  # the last is that of the end
    # 0.02 s to the first, then 0.03/0.03 = 1 s of rest after each.
    assert 1 <= between <= 1 + elapsed_s
    assert len(recorder.counters.samples) == between + 2


def test_a_window_that_was_not_finished_has_no_counters(worker: Worker) -> None:
    threads = threading.active_count()
    with CounterRecorder({"contender": worker.process.pid}, plan_cpus()) as recorder:
        recorder.before_window()
        time.sleep(0.01)

    with pytest.raises(MeasureError, match="not measured from start to end"):
        _ = recorder.counters
    assert threading.active_count() == threads


def test_a_changing_frequency_shows() -> None:
    def sample(**frequency_mhz: float) -> Sample:
        by_cpu = {int(name[3:]): value for name, value in frequency_mhz.items()}
        return Sample(seconds=0, cpu_us={}, memory_bytes={}, steal_us=0, frequency_mhz=by_cpu)

    def counters(*samples: Sample) -> Counters:
        return Counters(window_s=1, roles={}, steal_share=0, other_share=0, samples=samples)

    steady, dropping = sample(cpu0=2000, cpu1=3000), sample(cpu0=2000, cpu1=2400)

    assert counters(steady, steady).frequency_change_share == 0
    assert counters(steady, dropping, steady).frequency_change_share == pytest.approx(0.2)
    assert counters(sample()).frequency_change_share is None
