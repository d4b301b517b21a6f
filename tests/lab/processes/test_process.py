"""Nothing outlives the laboratory, however it ends."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.lab.conftest import is_alive
from tests.support.left import until
from tests.support.wording import raises_worded
from wirelab.errors import LabError
from wirelab.lab.processes import process as process_module
from wirelab.lab.processes.process import start_guarded

FAMILY = "echo $$; sleep 300 & echo $!; (sleep 300 & echo $!) ; setsid sleep 300 & echo $!; wait"
"""A program with a child, an orphan, and a child in a separate session; prints all four pids."""


def family_in(log: Path) -> list[int]:
    until(lambda: log.exists() and len(log.read_text().splitlines()) == 4)
    return [int(line) for line in log.read_text().splitlines()]


def test_output_is_logged_and_the_exit_code_returned(tmp_path: Path) -> None:
    log = tmp_path / "log"

    process = start_guarded(["sh", "-c", "seq 50; echo no >&2; exit 7"], role="x", log_path=log)

    assert process.wait(10) == 7
    assert process.poll() == 7
    assert process.log_tail(3).splitlines() == ["49", "50", "no"]


def test_the_error_of_a_program_ended_by_a_signal_names_it(tmp_path: Path) -> None:
    process = start_guarded(["sleep", "300"], role="sleeper", log_path=tmp_path / "log")
    process.signal(signal.SIGKILL)

    assert process.wait(10) == 128 + signal.SIGKILL


def test_stop_ends_children_and_orphans(tmp_path: Path) -> None:
    log = tmp_path / "log"
    process = start_guarded(["sh", "-c", FAMILY], role="family", log_path=log)
    family = family_in(log)
    assert all(map(is_alive, family))
    assert process.root_pid == family[0]

    process.stop()

    assert not any(map(is_alive, family))
    assert not process.killed


def test_a_program_that_ignores_sigterm_ends_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process_module, "GRACE_S", 0.5)
    deaf = "trap '' TERM; echo ready; while :; do sleep 1; done"
    log = tmp_path / "log"
    process = start_guarded(["sh", "-c", deaf], role="deaf", log_path=log)
    until(lambda: "ready" in log.read_text())

    assert process.stop() == 128 + signal.SIGKILL
    assert process.killed


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_nothing_outlives_a_laboratory_that_is_ended(
    number: signal.Signals, tmp_path: Path, laboratory: Callable[[str], list[str]]
) -> None:
    log = tmp_path / "log"
    mark = tmp_path / "cleaned"
    program = f"""
        from wirelab.lab.processes.process import stopping_everything, start_guarded
        with stopping_everything():
            start_guarded(["sh", "-c", {FAMILY!r}], role="family", log_path=Path({str(log)!r}),
                          on_end=["touch", {str(mark)!r}])
            time.sleep(300)
    """
    with subprocess.Popen(laboratory(program), stderr=subprocess.DEVNULL) as lab:
        family = family_in(log)

        lab.send_signal(number)
        lab.wait(15)

    until(lambda: not any(map(is_alive, family)))
    until(mark.exists)


def test_a_killed_guard_leaves_nothing_behind(tmp_path: Path) -> None:
    log, mark = tmp_path / "log", tmp_path / "cleaned"
    same_session = FAMILY.replace("setsid", "")
    process = start_guarded(
        ["sh", "-c", same_session], role="family", log_path=log, on_end=["touch", mark]
    )
    family = family_in(log)

    os.kill(process.pid, signal.SIGKILL)
    until(lambda: process.poll() is not None)

    assert not any(map(is_alive, family))
    assert mark.exists()


def test_a_guard_that_was_stopped_still_ends_its_program(tmp_path: Path) -> None:
    log, mark = tmp_path / "log", tmp_path / "cleaned"
    process = start_guarded(
        ["sh", "-c", FAMILY], role="family", log_path=log, on_end=["touch", mark]
    )
    family = family_in(log)

    os.kill(process.pid, signal.SIGSTOP)
    process.stop()

    assert not any(map(is_alive, family))
    assert mark.exists()


def test_a_laboratory_that_fails_stops_what_it_started(
    tmp_path: Path, laboratory: Callable[[str], list[str]]
) -> None:
    log = tmp_path / "log"
    program = f"""
        from wirelab.lab.processes.process import start_guarded
        log = Path({str(log)!r})
        start_guarded(["sh", "-c", {FAMILY!r}], role="family", log_path=log)
        while len(log.read_text().splitlines()) < 4:
            time.sleep(0.01)
        raise SystemExit("failed")
    """

    done = subprocess.run(laboratory(program), capture_output=True, timeout=30, check=False)

    assert done.returncode == 1
    assert not any(map(is_alive, family_in(log)))


def test_a_missing_program_is_named(tmp_path: Path) -> None:
    with raises_worded(LabError):
        start_guarded(["no-such-program"], role="server", log_path=tmp_path / "log")


def test_a_missing_program_is_not_a_matter_of_permission(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0)
    environment = {"PATH": f"{closed}:/usr/bin"}
    other = "nobody" if os.geteuid() == 0 else None  # root may read every folder

    with raises_worded(LabError):
        start_guarded(
            ["no-such-program"],
            role="server",
            log_path=tmp_path / "log",
            environment=environment,
            user=other,
        )
    assert "Permission denied" in (tmp_path / "log").read_text()


def test_it_runs_on_the_given_cpus_only(tmp_path: Path) -> None:
    last = max(os.sched_getaffinity(0))
    show = "import os; print(sorted(os.sched_getaffinity(0)))"

    process = start_guarded(
        [sys.executable, "-c", show], role="x", log_path=tmp_path / "log", cpus=[last]
    )

    process.wait(10)
    assert process.log_tail() == f"[{last}]"


def test_piped_programs_exchange_messages(tmp_path: Path) -> None:
    process = start_guarded(
        ["sh", "-c", "read word; echo got $word; echo aside >&2"],
        role="x",
        log_path=tmp_path / "log",
        piped=True,
    )
    process.stdin.write(b"go\n")
    process.stdin.close()

    assert process.stdout.read() == b"got go\n"
    assert process.wait(10) == 0
    process.stdout.close()
    assert process.log_tail() == "aside"


def test_a_program_that_ends_at_once_with_the_guards_own_codes(tmp_path: Path) -> None:
    for code in (2, 126, 127):
        process = start_guarded(["sh", "-c", f"exit {code}"], role="x", log_path=tmp_path / "log")

        assert process.wait(10) == code
