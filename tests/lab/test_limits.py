"""Limits of the embedded store: what is written, what the kernel is told, and that it holds."""

import os
import time
from pathlib import Path

import psutil
import psycopg
import pytest
from typer.testing import CliRunner

from wirelab.cli import app
from wirelab.lab.errors import StoreError
from wirelab.lab.limits import ROOT, ControlGroup, Limits
from wirelab.lab.process import family
from wirelab.lab.stores import open_store

ASKED = "postgresql?cpus=0.25&memory_mb=512"
SPIN = "SELECT count(*) FROM generate_series(1, 3000000)"


def test_limits_are_written_as_a_query() -> None:
    assert Limits.parse("") == Limits()
    assert not Limits.parse("")
    assert Limits.parse("cpus=2&memory_mb=1024") == Limits(2.0, 1024)
    assert Limits.parse("cpus=0.5").declared() == {"limit: CPUs": "0.5"}
    assert Limits.parse("memory_mb=1024").declared() == {"limit: memory": "1024MB"}


@pytest.mark.parametrize(
    "wrong", ["cpus", "cpus=", "cpus=0", "cpus=-1", "memory_mb=1", "memory_mb=1.5", "memory=1024"]
)
def test_other_limits_are_an_error(wrong: str, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"cpus=NUMBER&memory_mb=NUMBER"):
        open_store(f"postgresql?{wrong}", log_path=tmp_path / "log")


def test_without_control_groups_the_reason_is_reported(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot limit the store on this machine"):
        ControlGroup(Limits(cpus=1.0), root=tmp_path)


def groups(pid: int) -> str:
    """Name the control groups of a process; none of one that has ended, or that nobody awaited."""
    try:
        found = Path(f"/proc/{pid}/cgroup").read_text()
        return "" if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE else found
    except (FileNotFoundError, ProcessLookupError, psutil.NoSuchProcess):
        return ""


def test_the_store_keeps_within_them_and_leaves_no_group(tmp_path: Path) -> None:
    try:
        store = open_store(ASKED, log_path=tmp_path / "log")
    except StoreError as error:
        pytest.skip(f"no control groups here: {error}")
    with store:
        assert isinstance(store.counted, int)
        server = [pid for pid in family(store.counted) if pid != store.counted]
        held = [found for pid in server if (found := groups(pid))]
        assert held
        assert all("/wirelab-" in found for found in held)
        assert "/wirelab-" not in groups(os.getpid())
        made = [folder for folder in ROOT.glob("**/wirelab-*") if folder.is_dir()]
        assert made
        assert store.settings["limit: CPUs"] == "0.25"
        with psycopg.connect(store.server_url) as connection:
            pid = connection.info.backend_pid
            began = time.monotonic()
            before_s = cpu_time_s(pid)
            while time.monotonic() < began + 1.0:
                connection.execute(SPIN)
            used = (cpu_time_s(pid) - before_s) / (time.monotonic() - began)

    assert used < 0.4, "a whole CPU would be 1"
    assert not any(folder.exists() for folder in made)


def cpu_time_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_the_command_line_takes_an_address_or_limits() -> None:
    wrong = CliRunner().invoke(app, ["verify", "games", "--store", "postgresql=small"])
    assert wrong.exit_code == 2
    assert "limits for the embedded one" in " ".join(wrong.output.split())

    asked = ["verify", "games", "--only", "rest-flask", "--store", "postgresql=postgresql?cpu=2"]
    limited = CliRunner().invoke(app, asked)
    assert isinstance(limited.exception, StoreError) or limited.exit_code
    assert "invalid limits for an embedded store: 'cpu=2'" in " ".join(
        (limited.output + str(limited.exception)).split()
    )
