"""A study limits what is under test, and says so."""

import signal
import time
from pathlib import Path

import psutil
import pytest

from tests.faults.matrix import World
from tests.faults.worlds import copy_world
from tests.support.commands import Command
from tests.support.laboratory import start_laboratory
from wirelab.bundle import Bundle
from wirelab.inputs.problems import ProblemsError
from wirelab.lab.network.proxy import find_nginx
from wirelab.lab.processes.limits import ROOT, why_no_limits
from wirelab.planning.plan import plan_study
from wirelab.study.limits import ResourceLimits
from wirelab.terminal.exit_codes import ExitCode

LIMITS = """
[limits.contender]
cpus = 0.5

[limits.proxy]
memory_mb = 256

[limits.store]
memory_mb = 512
"""
UNDER_TEST = ("server.py", "nginx", "postgres")
"""The programs; each is among the first two words of its command line."""
HERE = why_no_limits(ResourceLimits(cpus=1.0, memory_mb=64))
PATIENCE_S = 120.0


def limited_study(folder: Path, limits: str = LIMITS) -> Path:
    study = copy_world(World.TURNS, folder)
    with (study / "study.toml").open("a") as text:
        text.write(limits)
    return study


@pytest.mark.slow
@pytest.mark.skipif(bool(HERE), reason=HERE)
@pytest.mark.skipif(find_nginx() is None, reason="needs nginx")
def test_contender_proxy_and_store_are_limited_while_they_are_measured(tmp_path: Path) -> None:
    study, bundle = limited_study(tmp_path), tmp_path / "bundle"
    laboratory = start_laboratory("run", study, "--design", "behind", "--output", bundle)
    try:
        found = wait_for_programs(laboratory)
        assert all("/wirelab-" in controlled for controlled in found.values()), found
    finally:
        laboratory.send_signal(signal.SIGINT)
        code = laboratory.wait(PATIENCE_S)

    assert code == ExitCode.INTERRUPTED
    assert not list(ROOT.glob("**/wirelab-*"))
    recorded = Bundle.open(bundle)
    assert recorded.contenders["good"].settings["limit: CPUs"] == "0.5"
    assert recorded.environments["nginx"]["limit: memory"] == "256MB"


def wait_for_programs(laboratory: Command) -> dict[str, str]:
    """Wait until all under test are there and limited, and return their control groups."""
    deadline = time.monotonic() + PATIENCE_S
    found: dict[str, str] = {}
    while time.monotonic() < deadline and laboratory.poll() is None:
        for process in psutil.Process(laboratory.pid).children(recursive=True):
            try:
                words = process.cmdline()
                groups = Path(f"/proc/{process.pid}/cgroup").read_text()
            except (psutil.NoSuchProcess, FileNotFoundError, ProcessLookupError):
                continue
            names = {Path(word.split(":")[0]).name for word in words[:2]}
            found.update((name, groups) for name in UNDER_TEST if name in names)
        if len(found) == len(UNDER_TEST) and all("/wirelab-" in it for it in found.values()):
            break
        time.sleep(0.05)
    return found


def test_the_study_does_not_begin_if_limits_cannot_be_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "wirelab.planning.plan.why_no_limits", lambda limits: "no groups" if limits else ""
    )

    plan = plan_study(limited_study(tmp_path), "smoke", 1)

    assert plan.schedule.runs == ()
    assert ("environment", "native", True) in {
        (skipped.factor, skipped.level, skipped.wanted) for skipped in plan.schedule.skipped
    }


@pytest.mark.parametrize("wrong", ["cpus = 0", "memory_mb = 1", "cpus = inf", "disk_mb = 5"])
def test_other_limits_are_an_error(wrong: str, tmp_path: Path) -> None:
    study = limited_study(tmp_path, f"\n[limits.contender]\n{wrong}\n")

    with pytest.raises(ProblemsError, match=rf"limits\.contender\.{wrong.split(maxsplit=1)[0]}"):
        plan_study(study, "smoke", 1)
