"""Whose CPU time and memory appear: those of the process on the port, or of the one named."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.compare.running import QUICK, serving, wirelab
from wirelab.bundle import Bundle, RoleUsage
from wirelab.terminal.exit_codes import ExitCode

BALLAST_BYTES = 200 * 2**20
"""More than the servers of these tests need by far."""
WORKING = f"""
import time
kept = b"x" * {BALLAST_BYTES}
print("up", flush=True)
while True:
    sum(range(20_000))
    time.sleep(0.002)
"""


@contextmanager
def working() -> Iterator[int]:
    """Run a process that uses CPU time and much memory; yield its pid."""
    command = [sys.executable, "-c", WORKING]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            yield process.pid
        finally:
            process.kill()


def test_the_process_of_pid_is_counted_and_the_other_one_found_by_its_port(tmp_path: Path) -> None:
    with serving() as one, serving() as other, working() as pid:
        sides = f"named=http://{one}/items/7", f"found=http://{other}/items/7"
        done = wirelab(
            *("compare", *sides, "--pid", f"named={pid}", "--output", "bundle", *QUICK),
            folder=tmp_path,
        )
    assert done.returncode == ExitCode.OK, done.stderr
    used: dict[str, list[RoleUsage]] = {"named": [], "found": []}
    for block in Bundle.open(tmp_path / "bundle").block_records():
        for run in block.runs:
            used[run.run.cell.contender].append(run.roles["contender"])

    assert all((it.memory_peak_bytes or 0) > BALLAST_BYTES for it in used["named"])
    assert all(0 < (it.memory_peak_bytes or 0) < BALLAST_BYTES for it in used["found"])
    assert all((it.cpu_us_per_transaction or 0) > 0 for each in used.values() for it in each)
    report = (tmp_path / "bundle" / "report" / "report.html").read_text()
    assert "CPU, memory and" in report
    assert "memory are unknown" not in report
