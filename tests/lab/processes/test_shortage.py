"""What a machine has run out of, and the remedy, follow from an error or a log."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest
from pyarrow.lib import ArrowException

from wirelab.lab.processes.shortage import (
    DESCRIPTORS,
    DISK,
    FILE_SIZE,
    MEMORY,
    PATH,
    PORTS,
    PROCESSES,
    READ_ONLY,
    REMEDIES,
    remedy_in,
    remedy_of,
)
from wirelab.terminal.exit_codes import ExitCode


@pytest.mark.parametrize(
    ("error", "what"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), DISK),
        (OSError(errno.EROFS, "Read-only file system"), READ_ONLY),
        (OSError(errno.EMFILE, "Too many open files"), DESCRIPTORS),
        (BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable"), PROCESSES),
        (RuntimeError("can't start new thread"), PROCESSES),
        (ArrowException("Unknown error: Failed to launch worker thread: Resource …"), PROCESSES),
        (MemoryError(), MEMORY),
        (ImportError("libarrow.so.2600: failed to map segment from shared object"), MEMORY),
        (OSError(errno.EFBIG, "File too large"), FILE_SIZE),
        (OSError(errno.EADDRINUSE, "Address already in use"), PORTS),
        (OSError(errno.ENAMETOOLONG, "File name too long"), PATH),
        (NotADirectoryError(errno.ENOTDIR, "Not a directory"), PATH),
    ],
)
def test_errors(error: Exception, what: str) -> None:
    assert remedy_of(error) == REMEDIES[what]


@pytest.mark.parametrize("error", [RuntimeError("x"), FileNotFoundError(2, "x"), OSError("x")])
def test_a_defect_is_not_reported_as_a_shortage(error: Exception) -> None:
    assert remedy_of(error) == ""


@pytest.mark.parametrize(
    ("expected", "what"),
    [
        ("initdb: error: could not write to file: No space left on device", DISK),
        ("FATAL:  could not extend file\nHINT:  Check free disk space.", DISK),
        ("PANIC:  insufficient file descriptors available to start server process", DESCRIPTORS),
        ("could not fork new process: Resource temporarily unavailable", PROCESSES),
        ("LOG:  could not fork new process for connection: Cannot allocate memory", MEMORY),
        ("FATAL:  could not map anonymous shared memory: Cannot allocate memory", MEMORY),
        ("could not bind IPv4 address: Address already in use", PORTS),
    ],
)
def test_logs(expected: str, what: str) -> None:
    assert remedy_in(expected) == REMEDIES[what]


def test_a_disk_that_is_full_may_have_silenced_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert remedy_in("", tmp_path) == ""
    monkeypatch.setattr("wirelab.lab.processes.shortage.LITTLE_BYTES", 1 << 62)
    assert remedy_in("", tmp_path) == REMEDIES[DISK]


def test_a_command_without_free_descriptors_reports_it_without_a_traceback(tmp_path: Path) -> None:
    program = (
        "import resource, sys; from wirelab.cli import main; import wirelab.commands.studies.run;"
        " import wirelab.lab.host;"
        " resource.setrlimit(resource.RLIMIT_NOFILE, (4, 4)); sys.exit(main())"
    )

    done = subprocess.run(
        [sys.executable, "-c", program, "run", "kaminski-2022", "--output", tmp_path / "bundle"],
        capture_output=True,
        text=True,
        # Without descriptors, an empty temporary folder cannot be removed.
        env={**os.environ, "COLUMNS": "1000", "TMPDIR": str(tmp_path)},
        check=False,
    )

    assert done.returncode == ExitCode.FAILED, done.stderr
    assert "Traceback" not in done.stderr
    assert "error: cannot continue: " in done.stderr
    assert REMEDIES[DESCRIPTORS] in done.stderr


@pytest.mark.parametrize("limit_mb", [250, 450, 700, 6_000])
def test_a_command_without_memory_reports_it_at_once(tmp_path: Path, limit_mb: int) -> None:
    """Libraries would try again without end, crash, or print lines of their own."""
    limited = f'ulimit -v {limit_mb}000; exec "$@"'
    command = [Path(sys.executable).with_name("wirelab"), "report", tmp_path]
    done = subprocess.run(
        ["sh", "-c", limited, "sh", *map(str, command)], capture_output=True, text=True, check=False
    )

    assert done.returncode == ExitCode.NOT_READY
    problem, remedy = done.stderr.splitlines()
    assert problem.startswith("error: ")
    assert "ulimit -v" in remedy
