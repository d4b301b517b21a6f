"""Small contenders, and running them in the laboratory."""

import socket
from collections.abc import Callable
from pathlib import Path

from wirelab.lab.contenders.build import BuiltContender
from wirelab.lab.contenders.contender import Contender
from wirelab.lab.contenders.running import (
    Ready,
    RunningContender,
    Starting,
    wait_for,
)
from wirelab.lab.contenders.service import Service
from wirelab.lab.environments.environment import Environment, Native
from wirelab.lab.stores.store import Database

MakeContender = Callable[..., Contender]
NO_DATABASE = Database("postgresql", "postgresql://nobody@127.0.0.1:1/none")
"""For contenders that do not use it."""


def expecting(expected: bytes) -> Callable[[str], None]:
    """Ready when the server says this."""

    def ready(address: str) -> None:
        host, port = address.split(":")
        with socket.create_connection((host, int(port)), timeout=10) as connection:
            answer = connection.recv(100)
        if answer != expected:
            raise ValueError(f"answered {answer!r}")

    return ready


def answer_ok(listener: socket.socket) -> None:
    """Send ok to every client until the socket is shut down."""
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        with connection:
            connection.sendall(b"ok")


def run(
    contender: Contender,
    folder: Path,
    environment: Environment | None = None,
    *,
    port: int | None = None,
    deadline_s: float = 60.0,
    ready: Ready | None = None,
) -> RunningContender:
    return wait_for(
        Starting(
            BuiltContender(contender, folder, {}),
            environment or Native(),
            database=NO_DATABASE,
            ready=ready or expecting(b"ok"),
            log_path=folder / "log",
            port=port,
            deadline_s=deadline_s,
        )
    )


NAMED = """
name = sys.argv[3]
peers = {key: at for key, at in os.environ.items() if key.startswith("WIRELAB_PEER_")}
print(name, sorted(peers), flush=True)
for at in peers.values():
    socket.create_connection(at.split(":"), 5).close()
"""
SHOP = {
    "orders": Service(arguments=("orders",), calls=("price-list", "users")),
    "price-list": Service(arguments=("price-list",), calls=("users",)),
    "users": Service(arguments=("users",)),
}


FAR_AWAY = Database("postgresql", "postgresql://nobody@192.0.2.1:5432/none")
"""A database that is not on this machine."""
