"""Contenders run without the rights of root where they can, and what they expose is said."""

import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from tests.lab.conftest import as_root, server
from tests.support.running import run
from wirelab.lab.contenders.contender import Contender
from wirelab.lab.contenders.exposure import exposures
from wirelab.lab.processes.account import CONTENDER, program_files

MakeContender = Callable[..., Contender]

PERL = """\
use IO::Socket::INET;
my ($host, $port) = @ARGV;
my $server = IO::Socket::INET->new(LocalAddr => $host, LocalPort => $port, Listen => 5);
while (my $client = $server->accept()) { print $client "ok"; close($client); }
"""


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user can read."""
    with tempfile.TemporaryDirectory(prefix="wirelab-test-") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@as_root
def test_a_program_that_every_user_can_read_runs_as_a_separate_user(
    make_contender: MakeContender, open_folder: Path
) -> None:
    (open_folder / "server.pl").write_text(PERL)
    command = ("/usr/bin/perl", str(open_folder / "server.pl"), "{host}", "{port}")
    contender = replace(make_contender(""), folder=open_folder, command=command)

    running = run(contender, open_folder)
    assert running.process.root_pid is not None
    process = psutil.Process(running.process.root_pid)
    status = Path(f"/proc/{process.pid}/status").read_text()

    assert process.username() == CONTENDER
    assert "NoNewPrivs:\t1" in status
    assert list(exposures(running)) == []
    running.stop()


@as_root
@pytest.mark.parametrize("lost", ["setuid", "setgid", "chown", "kill"])
def test_root_that_may_not_become_another_user_learns_that(lost: str) -> None:
    program = "from wirelab.lab.processes.account import *; unprivileged_account(CONTENDER)"
    without = ["setpriv", f"--bounding-set=-{lost}", f"--inh-caps=-{lost}"]
    done = subprocess.run(
        [*without, sys.executable, "-c", program], capture_output=True, text=True, check=False
    )

    assert f"lacks CAP_{lost.upper()} here" in done.stderr


@as_root
def test_a_program_that_no_other_user_can_read_runs_as_root_and_is_reported(
    make_contender: MakeContender, tmp_path: Path
) -> None:
    tmp_path.chmod(0o700)
    running = run(make_contender(server("connection.sendall(b'ok')")), tmp_path)

    ((services, exposure),) = exposures(running)

    assert services == ()
    named = re.match(
        r"runs as root, because user 'wirelab-contender' cannot read (\S+): ", exposure
    )
    assert named
    assert tmp_path.is_relative_to(named[1])
    assert Path(named[1]).stat().st_mode & 0o001 == 0
    running.stop()


def test_a_server_that_other_machines_can_reach_is_named(
    make_contender: MakeContender, tmp_path: Path
) -> None:
    program = "host = '0.0.0.0'\n" + server("connection.sendall(b'ok')")
    running = run(make_contender(program), tmp_path)

    beyond = "listens beyond 127.0.0.1"
    assert any(exposure.startswith(beyond) for _, exposure in exposures(running))
    running.stop()


def test_a_script_needs_its_interpreter(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("#!/bin/sh -e\n")
    script.chmod(0o755)

    assert program_files(str(script)) == [script, Path("/bin/sh").resolve()]
    assert program_files("no-such-program-anywhere") == []
