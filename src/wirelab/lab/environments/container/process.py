"""Run one container, which ends when the laboratory ends."""

import json
import os
import secrets
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from wirelab.lab.environments.container import keeper
from wirelab.lab.environments.container.docker_client import docker
from wirelab.lab.environments.container.engine import LABEL
from wirelab.lab.processes.cpu import format_cpus
from wirelab.lab.processes.process import GuardedProcess, start_guarded
from wirelab.study.limits import UNLIMITED, ResourceLimits

KEEPER = [sys.executable, "-P", "-m", keeper.__name__]  # -P: no module of the working folder


class ContainerProcess:
    """A container under the guard, created by `start_container`; see `Launched`."""

    def __init__(
        self,
        name: str,
        guarded: GuardedProcess,
        client: "docker.DockerClient",
        cpus: Sequence[int] = (),
    ) -> None:
        self.name = name
        self.cpus = cpus
        """The CPUs that it may use; empty: all."""
        self.pid = guarded.pid
        """The guard of its keeper; the container's processes are not its descendants."""
        self.log_path = guarded.log_path
        self.killed = False
        """Unknown: the container engine stops its processes."""
        self._guarded = guarded
        self._client = client
        self._root_pid: int | None = None

    @property
    def root_pid(self) -> int | None:
        """The first process of the container, by this machine's pid; None before its start."""
        if self._root_pid is None:
            with suppress(docker.errors.DockerException):
                state = self._client.containers.get(self.name).attrs["State"]
                self._root_pid = state["Pid"] or None
        return self._root_pid

    @property
    def address(self) -> str:
        """Its address in its network; "" until it has one."""
        with suppress(docker.errors.DockerException):
            settings = self._client.containers.get(self.name).attrs["NetworkSettings"]
            addresses = (each.get("IPAddress") for each in settings["Networks"].values())
            return next(filter(None, addresses), "")
        return ""

    def poll(self) -> int | None:
        """Return the exit code of its program; None while it runs."""
        return self._guarded.poll()

    def wait(self, timeout_s: float | None = None) -> int:
        """Wait for the end and return the exit code; raises TimeoutError."""
        return self._guarded.wait(timeout_s)

    def stop(self) -> int:
        """End the container and remove it."""
        return self._guarded.stop()

    def log_tail(self, lines: int = 20) -> str:
        """Return the last lines of its output."""
        return self._guarded.log_tail(lines)


def _our_priority() -> list[str]:
    """Give it this process's priority, which processes of the container engine do not inherit."""
    nice = os.getpriority(os.PRIO_PROCESS, 0)
    return ["nice", "-n", str(nice)] if nice > 0 else []


def start_container(
    client: "docker.DockerClient",
    image: str,
    command: Sequence[str],
    *,
    role: str,
    log_path: Path,
    network: str,
    cpus: Sequence[int] = (),
    environment: Mapping[str, str] | None = None,
    ports: Mapping[int, tuple[str, int]] | None = None,
    limits: ResourceLimits = UNLIMITED,
) -> ContainerProcess:
    """Start a container with a unique name that cannot outlive this process.

    `network`: the engine's network to use, or "host" or "none". `cpus`: the CPUs that it may use,
    by default all. `ports`: its port, and the address to publish it at. `limits`: of its CPU time
    and memory; by default none, as natively.
    """
    name = f"wirelab-{secrets.token_hex(6)}"
    specification: dict[str, Any] = {
        "image": image,
        "command": [*_our_priority(), *command],
        "name": name,
        "labels": {LABEL: role},
        "environment": dict(environment or {}),
        "network_mode": network,
        "log_config": {"Type": "none"},
        "ports": {str(inside): outside for inside, outside in (ports or {}).items()},
    }
    if cpus:
        specification["cpuset_cpus"] = format_cpus(cpus)
    if limits.cpus is not None:
        specification["nano_cpus"] = int(limits.cpus * 1e9)
    if limits.memory_mb is not None:
        specification["mem_limit"] = limits.memory_mb << 20
    guarded = start_guarded(
        KEEPER,
        role=role,
        log_path=log_path,
        environment={**os.environ, keeper.SPECIFICATION: json.dumps(specification)},
        on_end=[*KEEPER, keeper.REMOVE, name],
    )
    return ContainerProcess(name, guarded, client, cpus)


def run_in_container(
    client: "docker.DockerClient",
    image: str,
    command: Sequence[str],
    *,
    role: str,
    log_path: Path,
    limit_s: float,
) -> int:
    """Run a command in a container without a network; return its exit code.

    Raises `TimeoutError` after `limit_s`.
    """
    process = start_container(client, image, command, role=role, log_path=log_path, network="none")
    try:
        return process.wait(limit_s)
    finally:
        process.stop()
