"""Environments that give servers fewer CPUs than there are."""

import os
from pathlib import Path
from unittest.mock import patch

import psutil
import pytest

from tests.lab.conftest import server
from tests.support.running import NO_DATABASE, MakeContender, expecting
from wirelab.lab.contenders.build import BuiltContender
from wirelab.lab.contenders.running import Starting, wait_for
from wirelab.lab.environments.environment import NativeOnCpus
from wirelab.lab.environments.kinds import ENVIRONMENTS, is_native
from wirelab.lab.processes.cpu import CpuPlan

CPUS = tuple(sorted(os.sched_getaffinity(0)))


def test_a_machine_offers_the_cpus_that_it_has() -> None:
    with patch("wirelab.lab.environments.environment.plan_cpus", lambda: CpuPlan((3,), (0, 1, 2))):
        assert ENVIRONMENTS["native-3-cpus"].missing() == ""
        assert "3 CPUs for servers" in ENVIRONMENTS["native-4-cpus"].missing()
    assert is_native("native-2-cpus")
    assert not is_native("container")


@pytest.mark.skipif(len(CPUS) < 2, reason="needs two CPUs")
def test_a_server_runs_on_as_many_cpus_as_it_may(
    make_contender: MakeContender, tmp_path: Path
) -> None:
    contender = make_contender(server("connection.sendall(b'ok')"))

    running = wait_for(
        Starting(
            BuiltContender(contender, tmp_path, {}),
            NativeOnCpus("native-1-cpu", 1),
            database=NO_DATABASE,
            ready=expecting(b"ok"),
            log_path=tmp_path / "log",
            cpus=CPUS,
        )
    )

    try:
        assert running.process.root_pid is not None
        assert psutil.Process(running.process.root_pid).cpu_affinity() == [CPUS[0]]
    finally:
        running.stop()
