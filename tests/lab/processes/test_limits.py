"""Limits of servers: how they are written, what the kernel gets, and that they hold."""

import os
import re
import signal
import sys
import time
from contextlib import closing
from pathlib import Path

import psutil
import psycopg
import pytest
from typer.testing import CliRunner

from tests.support.left import until
from tests.support.wording import assert_worded, raises_worded
from wirelab.cli import app
from wirelab.errors import LabError
from wirelab.inputs.problems import ProblemsError
from wirelab.lab.errors import StoreError, log_of
from wirelab.lab.processes import ending
from wirelab.lab.processes.ending import how_ended, out_of_memory_kills
from wirelab.lab.processes.limits import ROOT, ControlGroup, parse_limits, why_no_limits
from wirelab.lab.processes.process import family, start_guarded
from wirelab.lab.stores.open_store import open_store
from wirelab.study.limits import ResourceLimits

LIMITED = "postgresql?cpus=0.25&memory_mb=512"
SPIN = "SELECT count(*) FROM generate_series(1, 3000000)"
NEEDY = "SELECT count(DISTINCT repeat(x::text, 50)) FROM generate_series(1, 2000000) x"
"""A query that needs more than 128 MiB, if its working memory is not limited."""
HERE = why_no_limits(ResourceLimits(cpus=1.0, memory_mb=64))
needs_control_groups = pytest.mark.skipif(bool(HERE), reason=HERE)


def test_limits_are_written_as_a_query() -> None:
    assert parse_limits("") == ResourceLimits()
    assert not parse_limits("")
    assert parse_limits("cpus=2&memory_mb=1024") == ResourceLimits(cpus=2.0, memory_mb=1024)
    assert parse_limits("cpus=0.5").declared() == {"limit: CPUs": "0.5"}
    assert parse_limits("memory_mb=1024").declared() == {"limit: memory": "1024MB"}


@pytest.mark.parametrize(
    "wrong",
    [
        "cpus",
        "cpus=",
        "cpus=0",
        "cpus=-1",
        "cpus=inf",
        "memory_mb=1",
        "memory_mb=1.5",
        "memory=1024",
    ],
)
def test_other_limits_are_an_error(wrong: str, tmp_path: Path) -> None:
    with raises_worded(StoreError):
        open_store(f"postgresql?{wrong}", log_path=tmp_path / "log")


def test_without_control_groups_the_reason_is_reported(tmp_path: Path) -> None:
    with pytest.raises(LabError, match="limit the store"):
        ControlGroup(ResourceLimits(cpus=1.0), "the store", root=tmp_path)
    assert why_no_limits(ResourceLimits(cpus=1.0), tmp_path)
    assert why_no_limits(ResourceLimits(), tmp_path) == ""


def test_a_server_of_the_user_cannot_be_limited(tmp_path: Path) -> None:
    theirs = "postgresql://user@127.0.0.1:1/database"
    with raises_worded(StoreError):
        open_store(theirs, log_path=tmp_path / "log", limits=ResourceLimits(cpus=1.0))


def groups(pid: int) -> str:
    """Name the control groups of a process; none of one that has ended, or is a zombie."""
    try:
        found = Path(f"/proc/{pid}/cgroup").read_text()
        return "" if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE else found
    except (FileNotFoundError, ProcessLookupError, psutil.NoSuchProcess):
        return ""


@needs_control_groups
def test_a_program_and_what_it_starts_keep_within_the_cpu_time(tmp_path: Path) -> None:
    spin = "import os\nos.fork()\nwhile True: pass"
    limits = ResourceLimits(cpus=0.25)
    command = [sys.executable, "-c", spin]
    process = start_guarded(command, role="two", log_path=tmp_path / "log", limits=limits)
    process.limit()
    try:
        assert process.root_pid is not None
        while len(both := family(process.root_pid)) < 2:
            time.sleep(0.01)
        assert all("/wirelab-" in groups(pid) for pid in both)
        made = [folder for folder in ROOT.glob("**/wirelab-*") if folder.is_dir()]
        began, before_s = time.monotonic(), sum(map(cpu_time_s, both))
        time.sleep(1.0)
        used = (sum(map(cpu_time_s, both)) - before_s) / (time.monotonic() - began)
    finally:
        process.stop()

    assert 0 < used < 0.4  # two whole CPUs would be 2
    assert made
    assert not any(folder.exists() for folder in made)


@needs_control_groups
def test_a_program_that_needs_more_memory_is_killed(tmp_path: Path) -> None:
    limits = ResourceLimits(memory_mb=64)
    needy = "input()\nb'x' * (256 << 20)\nprint('more than allowed', flush=True)"
    process = start_guarded(
        [sys.executable, "-c", needy],
        role="needy",
        log_path=tmp_path / "log",
        limits=limits,
        piped=True,
    )
    process.limit()
    process.stdin.write(b"\n")
    process.stdin.close()

    assert process.wait(60) == 128 + signal.SIGKILL
    assert process.stdout.read() == b""
    failure = how_ended("needy ended", process.wait(), log_of(process))
    assert_worded(failure.what)
    assert "memory_mb" in failure.hint
    assert failure.log is not None


@needs_control_groups
def test_a_store_that_reaches_its_memory_limit_is_reported_until_its_restart(
    tmp_path: Path,
) -> None:
    limit = "its memory limit of 128 MiB was reached"
    with open_store("postgresql?memory_mb=128", log_path=tmp_path / "log") as store:
        with closing(psycopg.connect(store.server_url)) as connection:
            connection.execute("SET work_mem = '1GB'")
            with pytest.raises(psycopg.OperationalError):
                connection.execute(NEEDY)
        reason = str(until(store.why_ended))
        assert limit in reason
        assert_worded(reason)

        store.restart()
        assert store.why_ended() is None
        assert isinstance(store.counted, int)
        _guard, _shell, postmaster, *_ = family(store.counted)
        os.kill(postmaster, signal.SIGKILL)
        assert limit not in str(until(store.why_ended))


def test_kills_for_lack_of_memory_are_counted_by_the_kernel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vmstat = tmp_path / "vmstat"
    vmstat.write_text("oom_kill_disable 1\noom_kill 7\n")
    assert out_of_memory_kills(vmstat) == 7
    assert out_of_memory_kills(tmp_path / "missing") == 0
    monkeypatch.setattr(ending, "_KILLS_BEFORE", out_of_memory_kills())
    what, hint = ending.describe_exit(137, "")
    assert ("SIGKILL" in what, hint) == (True, "")
    monkeypatch.setattr(ending, "_KILLS_BEFORE", out_of_memory_kills() - 2)
    assert_worded(ending.describe_exit(137, "")[0])
    assert ending.describe_exit(1, "") == ("exit code 1", "")


@needs_control_groups
def test_the_store_keeps_within_them_and_leaves_no_group(tmp_path: Path) -> None:
    with open_store(LIMITED, log_path=tmp_path / "log") as store:
        assert isinstance(store.counted, int)
        server = [pid for pid in family(store.counted) if pid != store.counted]
        held = [found for pid in server if (found := groups(pid))]
        assert held
        assert all("/wirelab-" in found for found in held)
        assert "/wirelab-" not in groups(os.getpid())
        names = set(re.findall(r"wirelab-\w+", "".join(held)))  # other tests have groups, too
        made = [folder for folder in ROOT.glob("**/wirelab-*") if folder.name in names]
        assert made
        assert store.settings["limit: CPUs"] == "0.25"
        with psycopg.connect(store.server_url) as connection:
            pid = connection.info.backend_pid
            began = time.monotonic()
            before_s = cpu_time_s(pid)
            while time.monotonic() < began + 1.0:
                connection.execute(SPIN)
            used = (cpu_time_s(pid) - before_s) / (time.monotonic() - began)

    assert used < 0.4  # a whole CPU would be 1
    assert not any(folder.exists() for folder in made)


def cpu_time_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_the_command_line_takes_an_address_or_limits() -> None:
    wrong = CliRunner().invoke(app, ["verify", "games", "--store", "postgresql=small"])
    assert isinstance(wrong.exception, ProblemsError)
    assert_worded(wrong.exception)

    arguments = [
        "verify",
        "games",
        "--only",
        "rest-flask",
        "--store",
        "postgresql=postgresql?cpu=2",
    ]
    limited = CliRunner().invoke(app, arguments)
    assert isinstance(limited.exception, StoreError) or limited.exit_code
    assert "'cpu=2'" in limited.output + str(limited.exception)
