"""The private network of a laboratory: a bridge that is removed when the laboratory ends.

Only its contenders and stores in containers use it. A server that listens on this machine's address
in it is reachable from these containers and from this machine only.
"""

import os
import secrets
import socket
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

from wirelab.lab.environments.container.base import base_name
from wirelab.lab.environments.container.docker_client import docker
from wirelab.lab.environments.container.engine import ContainerEngineError, connect
from wirelab.lab.environments.container.keeper import REMOVE
from wirelab.lab.environments.container.network_keeper import MADE, ROLE
from wirelab.lab.environments.container.process import start_container
from wirelab.lab.processes.process import GuardedProcess, start_guarded

HOST = "host"
"""The engine's name of this machine's network."""
KEEPER = [sys.executable, "-P", "-m", "wirelab.lab.environments.container.network_keeper"]
INTERFACE_LIMIT_S = 10.0
DISCARDED = Path(os.devnull)


@dataclass(frozen=True, slots=True)
class PrivateNetwork:
    """A network that exists as long as its keeper runs."""

    name: str
    address: str
    """This machine's address in it."""
    keeper: GuardedProcess


_made: list[PrivateNetwork] = []


def private_network() -> PrivateNetwork:
    """Return the network of this laboratory, created on first use.

    Raises `ContainerEngineError`.
    """
    if not _made or _made[-1].keeper.poll() is not None:
        _made[:] = [_make()]
    return _made[-1]


def _make() -> PrivateNetwork:
    name = f"wirelab-{secrets.token_hex(6)}"
    keeper = start_guarded(
        [*KEEPER, name],
        role=ROLE,
        log_path=DISCARDED,
        on_end=[*KEEPER, REMOVE, name],
        piped=True,
    )
    try:
        with keeper.stdin, keeper.stdout:
            line = keeper.stdout.readline().decode().strip()
        if line != MADE:
            raise ContainerEngineError(
                f"cannot create a private network for containers: {line}",
                "remove unused networks with `docker network prune`",
            )
        return PrivateNetwork(name, _address(connect(), name), keeper)
    except BaseException:
        keeper.stop()
        raise


def _address(client: "docker.DockerClient", name: str) -> str:
    """Return this machine's address in a network, once it has one."""
    try:
        pools = client.networks.get(name).attrs.get("IPAM", {}).get("Config") or ()
    except docker.errors.DockerException as error:
        raise ContainerEngineError(f"cannot inspect the network {name}: {error}") from error
    gateways = {str(pool.get("Gateway", "")).partition("/")[0] for pool in pools}
    if own := gateways & _own_addresses():
        return min(own)
    # Podman creates the bridge with the first container: this one, which remains.
    start_container(
        client,
        base_name(),
        ["sleep", "infinity"],
        role=ROLE,
        log_path=DISCARDED,
        network=name,
    )
    deadline = time.monotonic() + INTERFACE_LIMIT_S
    while time.monotonic() < deadline:
        if own := gateways & _own_addresses():
            return min(own)
        time.sleep(0.05)
    raise ContainerEngineError(
        f"the network {name} has no address on this machine",
        "run the engine as root, or use the environment container-host",
    )


def _own_addresses() -> set[str]:
    interfaces = psutil.net_if_addrs().values()
    return {
        str(address.address)
        for addresses in interfaces
        for address in addresses
        if address.family == socket.AF_INET
    }
