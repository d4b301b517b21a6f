"""A container runs as a guarded process does, and nothing of it outlives the laboratory."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import docker
import psutil
import pytest

from tests.support.left import PATIENCE_S, Left, until
from wirelab.lab.contenders.running import PORT_TAKEN
from wirelab.lab.environments.container.engine import LABEL
from wirelab.lab.environments.container.keeper import handles_signal
from wirelab.lab.environments.container.process import ContainerProcess, start_container


@pytest.fixture
def run(
    engine: docker.DockerClient, base: str, nothing_left: Left, tmp_path: Path
) -> Callable[..., ContainerProcess]:
    def run(program: str, **more: object) -> ContainerProcess:
        options: dict[str, object] = {"network": "none", **more}
        command = ["python3", "-u", "-c", dedent(program)]
        return start_container(
            engine,
            base,
            command,
            role="test",
            log_path=tmp_path / "log",
            **options,  # type: ignore[arg-type]
        )

    return run


def test_output_and_exit_code_arrive(run: Callable[..., ContainerProcess], tmp_path: Path) -> None:
    process = run(
        # One write for each line: the engine reads both streams, and joins what it reads.
        "import os, sys; sys.stdout.write(f\"printed {os.environ['NAME']}\\n\");"
        "sys.stderr.write('wrong\\n'); sys.exit(9)",
        environment={"NAME": "it"},
    )

    assert process.wait(PATIENCE_S) == 9
    assert sorted(process.log_tail().splitlines()) == ["printed it", "wrong"]


def test_a_container_gets_a_signal_before_it_is_killed(
    run: Callable[..., ContainerProcess], engine: docker.DockerClient, nothing_left: Left
) -> None:
    process = run(
        """
        import signal, sys, time
        def end(*_):
            print("ending")
            sys.exit(0)
        signal.signal(signal.SIGTERM, end)
        print("begun")
        time.sleep(300)
        """
    )
    until(lambda: "begun" in process.log_tail())
    [container] = engine.containers.list(filters={"name": process.name})
    assert container.labels[LABEL] == "test"

    process.stop()

    assert "ending" in process.log_tail()
    assert nothing_left() == []


def test_a_container_that_does_not_end_is_killed(
    run: Callable[..., ContainerProcess], nothing_left: Left
) -> None:
    process = run("import time; print('begun'); time.sleep(300)")  # as process 1, deaf to SIGTERM
    until(lambda: "begun" in process.log_tail())
    pid = process.root_pid
    assert pid is not None

    process.stop()

    assert not psutil.pid_exists(pid)
    assert nothing_left() == []


@pytest.mark.parametrize("catches", [True, False])
def test_a_program_without_a_handler_for_the_signal_is_recognised(catches: bool) -> None:
    """Otherwise, every container whose program does not would take seconds to end."""
    handler = "signal.signal(signal.SIGTERM, lambda *_: None);" if catches else ""
    program = f"import signal, time; {handler} print('begun', flush=True); time.sleep(60)"
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        process.stdout.readline()
        assert handles_signal(process.pid) == catches
    finally:
        process.kill()
        process.communicate()


def test_a_container_has_the_priority_of_the_laboratory(
    run: Callable[..., ContainerProcess], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a laboratory that was started by `nice` would slow down its native contenders alone."""
    here = os.getpriority(os.PRIO_PROCESS, 0)
    monkeypatch.setattr(os, "getpriority", lambda *_: here + 3)

    process = run("import os; print(os.nice(0))")

    assert process.wait(PATIENCE_S) == 0
    assert process.log_tail() == str(here + 3)


def test_it_runs_on_its_cpus(run: Callable[..., ContainerProcess]) -> None:
    process = run("import os; print(sorted(os.sched_getaffinity(0)))", cpus=(0,))

    assert process.wait(PATIENCE_S) == 0
    assert process.log_tail() == "[0]"


def test_a_published_port_in_use_is_recognised(
    run: Callable[..., ContainerProcess], nothing_left: Left
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        process = run("pass", network="bridge", ports={port: ("127.0.0.1", port)})

        assert process.wait(PATIENCE_S) not in {0, None}
        assert PORT_TAKEN.search(process.log_tail())
    assert nothing_left() == []


def test_a_missing_image(engine: docker.DockerClient, nothing_left: Left, tmp_path: Path) -> None:
    process = start_container(
        engine, "wirelab/none", ["true"], role="test", log_path=tmp_path / "log", network="none"
    )

    assert process.wait(PATIENCE_S) != 0
    assert "No such image" in process.log_tail()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_laboratory_that_ends_leaves_no_container(
    number: signal.Signals, base: str, nothing_left: Left, tmp_path: Path
) -> None:
    program = f"""
        import time
        from pathlib import Path
        from wirelab.lab.environments.container.engine import connect
        from wirelab.lab.environments.container.process import start_container
        from wirelab.lab.processes.process import stopping_everything
        with stopping_everything():
            start_container(
                connect(), {base!r}, ["sleep", "300"], role="test",
                log_path=Path({str(tmp_path / "log")!r}), network="none",
            )
            time.sleep(300)
    """
    laboratory = subprocess.Popen([sys.executable, "-c", dedent(program)], stderr=subprocess.PIPE)
    until(nothing_left)

    laboratory.send_signal(number)
    laboratory.communicate(timeout=PATIENCE_S)

    until(lambda: not nothing_left())


def test_a_laboratory_that_is_killed_at_once_leaves_none_either(
    base: str, nothing_left: Left, tmp_path: Path
) -> None:
    """Before the container is there, while it is made, and when it has just been started."""
    program = f"""
        from pathlib import Path
        from wirelab.lab.environments.container.engine import connect
        from wirelab.lab.environments.container.process import start_container
        start_container(
            connect(), {base!r}, ["sleep", "300"], role="test",
            log_path=Path({str(tmp_path / "log")!r}), network="none",
        )
        print("started", flush=True)
        import time; time.sleep(300)
    """
    for delay_s in (0.0, 0.2, 0.4, 0.8):
        laboratory = subprocess.Popen(
            [sys.executable, "-c", dedent(program)], stdout=subprocess.PIPE
        )
        assert laboratory.stdout is not None
        laboratory.stdout.readline()
        guards = psutil.Process(laboratory.pid).children()
        time.sleep(delay_s)
        laboratory.kill()
        laboratory.communicate()
        psutil.wait_procs(guards, timeout=PATIENCE_S)
        assert nothing_left() == []
