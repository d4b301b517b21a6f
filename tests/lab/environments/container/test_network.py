"""The private network: the laboratory's own, apart from others, and gone when it is."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from textwrap import dedent

import docker
import psutil
import pytest

from tests.support.left import PATIENCE_S, Left, until
from wirelab.lab.environments.container import network
from wirelab.lab.environments.container.engine import LABEL, ContainerEngineError
from wirelab.lab.environments.container.network import PrivateNetwork, private_network
from wirelab.lab.environments.container.process import ContainerProcess, start_container

Run = Callable[[str, PrivateNetwork], AbstractContextManager[ContainerProcess]]

LISTEN = """
    import socket
    server = socket.create_server(("0.0.0.0", 4000))
    print("listening", flush=True)
    while True:
        server.accept()
"""
REACH = """
    import socket
    try:
        socket.create_connection(("{address}", 4000), timeout=2)
        print("reached")
    except OSError:
        print("out of reach")
"""
LABORATORY = """
    import time
    from pathlib import Path
    from wirelab.lab.environments.container.engine import connect
    from wirelab.lab.environments.container.network import private_network
    from wirelab.lab.environments.container.process import start_container
    from wirelab.lab.processes.process import stopping_everything
    print("begun", flush=True)
    with stopping_everything():
        start_container(
            connect(), {base!r}, ["sleep", "300"], role="test",
            log_path=Path({log!r}), network=private_network().name,
        )
        time.sleep(300)
"""


@pytest.fixture
def another(base: str, nothing_left: Left) -> Iterator[PrivateNetwork]:
    """The network of what might be another laboratory."""
    made = network._make()
    yield made
    made.keeper.stop()


@pytest.fixture
def run(engine: docker.DockerClient, base: str, tmp_path: Path) -> Run:
    @contextmanager
    def run(program: str, place: PrivateNetwork) -> Iterator[ContainerProcess]:
        process = start_container(
            engine,
            base,
            ["python3", "-c", dedent(program)],
            role="test",
            log_path=tmp_path / f"log-{time.monotonic_ns()}",
            network=place.name,
        )
        try:
            yield process
        finally:
            process.stop()

    return run


def test_a_laboratory_has_one_network_whose_label_names_the_owner(
    engine: docker.DockerClient, base: str, another: PrivateNetwork
) -> None:
    ours = private_network()

    assert private_network() is ours
    assert ours.name != another.name
    assert ours.address != another.address
    assert engine.networks.get(ours.name).attrs["Labels"] == {LABEL: "network"}


def test_members_are_reached_from_their_network_only(run: Run, another: PrivateNetwork) -> None:
    ours = private_network()
    with run(LISTEN, ours) as server:
        until(lambda: "listening" in server.log_tail())
        for place, output in ((ours, "reached"), (another, "out of reach")):
            with run(REACH.format(address=server.address), place) as client:
                assert client.wait(PATIENCE_S) == 0
                assert client.log_tail() == output


def test_without_an_engine_the_error_states_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/docker.sock")

    with pytest.raises(ContainerEngineError, match="private network"):
        network._make()


def begin(base: str, tmp_path: Path) -> subprocess.Popen[bytes]:
    program = dedent(LABORATORY).format(base=base, log=str(tmp_path / "log"))
    laboratory = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert laboratory.stdout is not None
    laboratory.stdout.readline()
    return laboratory


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_laboratory_that_ends_leaves_neither_network_nor_members(
    number: signal.Signals, base: str, nothing_left: Left, tmp_path: Path
) -> None:
    laboratory = begin(base, tmp_path)
    until(lambda: len(nothing_left()) == 2)

    laboratory.send_signal(number)
    laboratory.communicate(timeout=PATIENCE_S)

    until(lambda: not nothing_left())


def test_a_laboratory_that_is_killed_while_creating_a_network_leaves_none(
    base: str, nothing_left: Left, tmp_path: Path
) -> None:
    for delay_s in (0.1, 0.25, 0.5):
        laboratory = begin(base, tmp_path)
        time.sleep(delay_s)
        guards = psutil.Process(laboratory.pid).children()
        laboratory.kill()
        laboratory.communicate()
        psutil.wait_procs(guards, timeout=PATIENCE_S)
        assert nothing_left() == []
