"""Links for the tests, and servers at their near end; without the rights for one they skip."""

import json
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from wirelab.installation.programs import find_program
from wirelab.lab.network.link import REMEDY, Link, why_no_link
from wirelab.study.network import Network, NetworkDirection

CLIENT = Path(__file__).parent / "client.py"
PATIENCE_S = 60
SO_SNDBUFFORCE = 32
"""From the kernel's headers: Python has no name for it."""
NOTHING = NetworkDirection()

StartLink = Callable[..., Link]


@pytest.fixture(scope="session", autouse=True)
def permitted() -> None:
    if missing := why_no_link():
        pytest.skip(f"{missing}: {REMEDY}")


@pytest.fixture
def start_link(tmp_path: Path) -> Iterator[StartLink]:
    """Start links whose conditions a test names; all end with it."""
    with ExitStack() as ends:

        def start(
            down: NetworkDirection = NOTHING, up: NetworkDirection = NOTHING, seed: int = 1
        ) -> Link:
            folder = tmp_path / str(len(list(tmp_path.iterdir())))
            folder.mkdir()
            network = Network(source="a test", down=down, up=up)
            return ends.enter_context(Link.start("tested", network, folder, seed=seed))

        yield start


def run_at_client(link: Link, *command: str) -> Any:
    """Run a command at the client's end; return the JSON that it prints."""
    guard = [str(find_program("wirelab-guard")), "--network", str(link.ready.namespace), "--"]
    done = subprocess.run(
        [*guard, *command], capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def at_client(link: Link, what: str, *numbers: int) -> Any:
    """Carry out a function of client.py at the client's end; return what it says."""
    arguments = [what, link.ready.server, *map(str, numbers)]
    return run_at_client(link, sys.executable, "-S", str(CLIENT), *arguments)


@contextmanager
def datagrams(link: Link) -> Iterator[tuple[int, list[bytes]]]:
    """Receive datagrams at the server's end: the port, and what has come so far."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as channel:
        channel.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        channel.settimeout(0.1)
        channel.bind((link.ready.server, 0))
        came: list[bytes] = []
        ended = threading.Event()

        def receive() -> None:
            while not ended.is_set():
                try:
                    came.append(channel.recv(2000))
                except TimeoutError:
                    continue

        thread = threading.Thread(target=receive)
        thread.start()
        try:
            yield channel.getsockname()[1], came
        finally:
            ended.set()
            thread.join()


@contextmanager
def serving(link: Link, size: int, congestion_control: str = "reno") -> Iterator[int]:
    """Send a number of bytes to every client at the server's end; return the port.

    The kernel takes them all at once: how fast they go is up to TCP alone.
    """
    with socket.create_server((link.ready.server, 0)) as listener:
        listener.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, 2 * size)
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, congestion_control.encode())
        listener.settimeout(PATIENCE_S)

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.sendall(b"x" * size)
                connection.shutdown(socket.SHUT_WR)
                connection.recv(1)  # until the client has read it all

        thread = threading.Thread(target=serve)
        thread.start()
        yield listener.getsockname()[1]
        thread.join()
