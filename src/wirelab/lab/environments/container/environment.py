"""The environments with contenders in containers, each from the image of its stack.

The store and the CPUs are those of native contenders, so that the environment of the contender is
the only difference. There are two, which differ in the path of a request:

container       through a port of 127.0.0.1 that the engine publishes, and a bridge: the
                laboratory's private network
container-host  straight: the container is in the network of this machine

The difference between the two is the cost of the bridge.
"""

import os
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path
from typing import ClassVar
from urllib.parse import urlsplit

import psutil

from wirelab.errors import LabError
from wirelab.lab.contenders.build import BuiltContender
from wirelab.lab.contenders.contender import Contender
from wirelab.lab.contenders.placeholder import fill
from wirelab.lab.environments.container.base import base_name, why_no_base
from wirelab.lab.environments.container.engine import (
    ContainerEngineError,
    connect,
    engine_facts,
    is_rootless,
)
from wirelab.lab.environments.container.image import (
    BUILD_FOLDER,
    DOCKERFILE,
    PYTHON,
    ContenderImage,
    build_image,
)
from wirelab.lab.environments.container.network import HOST, private_network
from wirelab.lab.environments.container.process import ContainerProcess, start_container
from wirelab.lab.environments.environment import (
    LOOPBACK,
    Counted,
    Environment,
    InContainer,
    Launch,
    Launched,
    cores,
    start_environment,
)
from wirelab.lab.network.ports import is_listener, is_open_for, is_taken

LOOPBACK_NAMES = {LOOPBACK, "localhost", "::1"}
ROOTLESS = (
    "the container engine is rootless, so its bridges cannot reach a store on this machine\n"
    "hint: run the engine as root, or use the environment container-host"
)


class ContainerHost(Environment):
    """A container in the network of this machine."""

    name = "container-host"
    network_title: ClassVar[str] = "the host's"
    listening_host: ClassVar[str] = LOOPBACK
    """The address that a contender must listen on."""

    def network(self) -> str:
        """Return the engine's name of the network of contenders."""
        return HOST

    def missing(self) -> str:
        """Return how to get an engine, or the base image, if missing."""
        try:
            client = connect()
        except ContainerEngineError as error:
            return str(error)
        return why_no_base(client)

    def cannot_run(self, contender: Contender) -> str:
        """Check for its Dockerfile: everything else is in its image."""
        there = (contender.folder / DOCKERFILE).is_file()
        return "" if there else f"no {DOCKERFILE} for a container"

    def facts(self) -> Mapping[str, str]:
        """Name the engine, its storage, the network and the base image."""
        return {
            **engine_facts(connect()),
            "network": self.network_title,
            "base image": base_name(),
        }

    def build(self, contender: Contender, log_path: Path) -> ContenderImage:
        """Build the image of the contender's stack."""
        return build_image(contender, log_path)

    def launch(self, built: BuiltContender, launch: Launch) -> ContainerProcess:
        """Start the contender in its own container."""
        assert isinstance(built, ContenderImage), "built by another environment"
        contender = built.contender
        values: Mapping[str, object] = {
            "python": PYTHON,
            "build": BUILD_FOLDER,
            "folder": built.workdir,
            "cores": cores(launch),
            "host": self.listening_host,
            "port": launch.port,
        }
        return start_container(
            connect(),
            built.image,
            fill(contender.command, values),
            role="contender",
            log_path=launch.log_path,
            network=self.network(),
            cpus=launch.cpus,
            environment=start_environment(contender, launch, values),
            ports={launch.port: (launch.host, launch.port)} if self.publishes else {},
            limits=launch.limits,
        )

    def listens(self, process: Launched, port: int) -> bool:
        """Search for the listening socket in the open files of the container's processes."""
        assert isinstance(process, ContainerProcess)
        if process.root_pid is None:
            return False
        if os.geteuid() != 0:  # then their open files cannot be read
            return is_taken(port)
        return is_listener(process.root_pid, port)

    def counted(self, process: Launched, port: int) -> Mapping[str, Counted]:
        """Count everything in the container, and the forwarder of its published port.

        The forwarder serves the contender, so it is restricted to the same CPUs: on those of the
        load engine it would slow down the measurement.
        """
        assert isinstance(process, ContainerProcess)
        assert process.root_pid is not None, "the contender has answered"
        contender = InContainer(process.root_pid)
        forwarder = find_forwarder(port) if self.publishes else None
        if forwarder is None:
            return {"contender": contender}
        if process.cpus:
            pin(forwarder, process.cpus)
        return {"contender": contender, "forwarder": forwarder}


class Container(ContainerHost):
    """A container in the laboratory's private network, with its port published at 127.0.0.1."""

    name = "container"
    publishes = True
    network_title = "a private bridge, port published"
    listening_host = "0.0.0.0"  # noqa: S104 (of the container)

    def network(self) -> str:
        """Return the private network's name."""
        return private_network().name

    def missing(self) -> str:
        """Return what is missing for containers, or why a store could not be reached."""
        if missing := super().missing():
            return missing
        try:
            rootless = is_rootless(connect())
        except ContainerEngineError as error:
            return str(error)
        return ROOTLESS if rootless else ""

    def store_host(self) -> str:
        """Return this machine's address in the private network."""
        return private_network().address

    def build(self, contender: Contender, log_path: Path) -> ContenderImage:
        """Create the network, too, which every container needs."""
        private_network()
        return super().build(contender, log_path)

    def launch(self, built: BuiltContender, launch: Launch) -> ContainerProcess:
        """Start the contender in its own container, if it can reach its store from there."""
        if urlsplit(launch.store_url).hostname in LOOPBACK_NAMES:
            raise LabError(
                "the store listens on 127.0.0.1, which a container on a bridge cannot reach",
                "make the server listen on another address of this machine as well, and use that"
                " in the store's URL; or use the environment container-host",
            )
        return super().launch(built, launch)

    def peer_host(self, process: Launched, host: str) -> str:  # noqa: ARG002
        """Return the container's address in the private network, where no port is forwarded."""
        assert isinstance(process, ContainerProcess)
        return process.address

    def listens(self, process: Launched, port: int) -> bool:
        """Check the port in the network of the container, which nothing else uses."""
        return process.root_pid is not None and is_open_for(process.root_pid, port)


PROGRAM = "docker-proxy"


def find_forwarder(port: int) -> int | None:
    """Return the process that forwards a published port."""
    for process in psutil.process_iter(["name", "cmdline"]):
        words = process.info["cmdline"] or []
        if process.info["name"] == PROGRAM and str(port) in words:
            return int(process.pid)
    return None


def pin(pid: int, cpus: Collection[int]) -> None:
    """Restrict all threads of a process, including later ones, to these CPUs.

    Has no effect without permission, which only root has.
    """
    pinned: set[int] = set()
    with suppress(OSError, psutil.Error):
        while new := {thread.id for thread in psutil.Process(pid).threads()} - pinned:
            for thread in new:  # later threads are pinned next time
                os.sched_setaffinity(thread, cpus)
            pinned |= new
