"""CPU time and memory of a process tree, on fixture processes and on real ones."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.left import until
from wirelab.lab.processes.process_table import ProcessTable, Usage, cpu_clock_ns

BURN = """
import time
while time.process_time() < 0.4:
    pass
time.sleep(300)
"""


class FixtureTable:
    """A folder like /proc."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.table = ProcessTable(folder, clock=lambda pid: None, ticks_per_s=100)

    def process(
        self,
        pid: int,
        parent: int,
        *,
        ticks: tuple[int, int, int, int] = (0, 0, 0, 0),
        name: str = "server",
        pss_kib: int | None = None,
        resident_pages: int = 0,
    ) -> None:
        folder = self.folder / str(pid)
        folder.mkdir()
        head = f"{pid} ({name}) S {parent} 1 1 0 -1 4194304 1 2 3 4"
        (folder / "stat").write_text(f"{head} {' '.join(map(str, ticks))} 20 0 1 0 5 6 7\n")
        (folder / "statm").write_text(f"999 {resident_pages} 1 1 0 1 0\n")
        if pss_kib is not None:
            (folder / "smaps_rollup").write_text(
                f"00-ff ---p 0 00:00 0 [rollup]\nRss: 99999 kB\nPss:   {pss_kib} kB\n"
            )


@pytest.fixture
def fixture(tmp_path: Path) -> FixtureTable:
    return FixtureTable(tmp_path)


def test_a_tree_is_everything_below_its_root(fixture: FixtureTable) -> None:
    for pid, parent in ((1, 0), (10, 1), (11, 10), (12, 11), (20, 1), (21, 20)):
        fixture.process(pid, parent)
    (fixture.folder / "self").mkdir()

    trees = fixture.table.trees({"contender": 10, "store": 20, "gone": 99})

    assert trees == {
        "contender": frozenset({10, 11, 12}),
        "store": frozenset({20, 21}),
        "gone": frozenset(),
    }


def test_a_family_is_the_same_by_the_lists_of_the_kernel(shell: subprocess.Popen[str]) -> None:
    table = ProcessTable()
    send_line(shell, "sh -c 'sleep 300 & sleep 300 & wait' &")
    until(lambda: len(table.family(shell.pid)) == 4)
    whole = table.family(shell.pid)

    found = table.quick_family(shell.pid)

    for pid in whole[1:]:
        os.kill(pid, signal.SIGKILL)
    assert found[0] == shell.pid
    assert sorted(found) == sorted(whole)


def test_without_lists_of_the_kernel_all_processes_are_looked_at(fixture: FixtureTable) -> None:
    for pid, parent in ((1, 0), (10, 1), (11, 10), (12, 11)):
        fixture.process(pid, parent)

    assert fixture.table.quick_family(10) == [10, 11, 12]
    assert fixture.table.quick_family(99) == []


def test_a_name_may_contain_anything(fixture: FixtureTable) -> None:
    fixture.process(10, 1, name="a) R 5 (b", ticks=(1, 2, 0, 0))

    assert fixture.table.usage({"x": 10})["x"].cpu_us == 30_000


def test_figures_inherited_from_ended_children_count(fixture: FixtureTable) -> None:
    fixture.process(10, 1, ticks=(100, 20, 3, 4))
    fixture.process(11, 10, ticks=(5, 0, 0, 0))

    assert fixture.table.usage({"x": 10})["x"].cpu_us == 1_320_000


def test_memory_counts_shared_pages_once_where_it_can(fixture: FixtureTable) -> None:
    fixture.process(10, 1, pss_kib=1000, resident_pages=9999)
    fixture.process(11, 10, resident_pages=3)

    page = os.sysconf("SC_PAGE_SIZE")
    assert fixture.table.usage({"x": 10})["x"].memory_bytes == 1000 * 1024 + 3 * page


def test_an_ended_role_uses_nothing(fixture: FixtureTable) -> None:
    assert fixture.table.usage({"x": 10}) == {"x": Usage(0, 0)}


def test_storage_counts_bytes_that_passed_the_page_cache(
    fixture: FixtureTable, tmp_path: Path
) -> None:
    for pid, read, written in ((10, 4096, 0), (11, 100, 8192)):
        fixture.process(pid, 1)
        file = fixture.folder / str(pid) / "io"
        file.write_text(f"rchar: 9\nwchar: 9\nread_bytes: {read}\nwrite_bytes: {written}\n")

    assert fixture.table.storage_of([10, 11, 99]) == 4096 + 100 + 8192


def test_storage_of_a_real_process_grows_with_its_writes(
    shell: subprocess.Popen[str], tmp_path: Path
) -> None:
    table = ProcessTable()
    before = table.storage_of([shell.pid])
    assert before is not None

    send_line(shell, f"printf '%1000000s' x > {tmp_path}/file")

    after = table.storage_of([shell.pid])
    assert after is not None
    assert after - before in range(1_100_000)  # nothing where the file system is memory


@pytest.fixture
def shell() -> Iterator[subprocess.Popen[str]]:
    """A process that starts programs on request, and waits for each."""
    with subprocess.Popen(
        ["bash", "-c", 'echo; while read -r line; do eval "$line"; echo; done'],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.readline()
        yield process
        process.stdin.close()


def send_line(shell: subprocess.Popen[str], line: str) -> None:
    assert shell.stdin is not None
    assert shell.stdout is not None
    shell.stdin.write(line + "\n")
    shell.stdout.readline()


def test_a_real_child_counts_before_and_after_its_end(
    shell: subprocess.Popen[str], tmp_path: Path
) -> None:
    (tmp_path / "burn.py").write_text(BURN)
    table = ProcessTable()
    before = table.usage({"shell": shell.pid})["shell"].cpu_us
    send_line(shell, f"{sys.executable} {tmp_path}/burn.py & child=$!")

    seen: list[float] = []
    deadline = time.monotonic() + 20
    while (not seen or seen[-1] < 400_000) and time.monotonic() < deadline:
        time.sleep(0.02)
        seen.append(table.usage({"shell": shell.pid})["shell"].cpu_us - before)
    send_line(shell, "kill $child; wait $child")
    after = table.usage({"shell": shell.pid})["shell"].cpu_us - before

    assert seen == sorted(seen), "it only grows"
    assert 400_000 <= seen[-1] < 700_000
    assert after == pytest.approx(seen[-1], abs=40_000)  # what has ended was inherited


def test_the_clock_counts_time_that_ticks_miss() -> None:
    first = cpu_clock_ns(os.getpid())
    began = time.process_time_ns()
    while time.process_time_ns() < began + 2_000_000:
        pass
    second = cpu_clock_ns(os.getpid())

    assert first is not None
    assert second is not None
    assert 2_000_000 <= second - first < 50_000_000
    assert cpu_clock_ns(2**22 + 1) is None


def test_memory_of_a_real_process_grows_with_its_data(shell: subprocess.Popen[str]) -> None:
    table = ProcessTable()
    before = table.usage({"shell": shell.pid})["shell"].memory_bytes
    hold = 'x = bytearray(b"1") * (50 << 20); print(flush=True); import time; time.sleep(300)'
    send_line(shell, f"{sys.executable} -c '{hold}' & child=$!")
    assert shell.stdout is not None
    shell.stdout.readline()

    grown = table.usage({"shell": shell.pid})["shell"].memory_bytes - before
    send_line(shell, "kill $child; wait $child")

    assert 50 << 20 <= grown < 80 << 20
