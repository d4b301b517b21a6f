"""The container engine: Docker, or one with the same interface, such as Podman."""

import os
from pathlib import Path

from wirelab.errors import LabError
from wirelab.lab.environments.container.docker_client import docker

DOCKER_SOCKET = Path("/var/run/docker.sock")
PODMAN_SOCKET = Path("/run/podman/podman.sock")
LABEL = "wirelab"
"""The label of everything that wirelab creates; its value is the kind."""
TIMEOUT_S = 60

HOW_TO_GET_ONE = (
    "install Docker (on Debian the package docker.io) and start `dockerd`, or set DOCKER_HOST to"
    " the socket of another engine, such as Podman's"
)


class ContainerEngineError(LabError):
    """The container engine cannot be used, or rejected a request."""


def connect(timeout_s: int = TIMEOUT_S) -> "docker.DockerClient":
    """Return a client of this machine's engine. Raises `ContainerEngineError` with a hint."""
    address = engine_address()
    scheme, _, path = address.partition("://")
    if scheme != "unix":
        raise ContainerEngineError(
            f"the container engine at {address} may run on another machine",
            "set DOCKER_HOST to a socket of this machine (unix://…): wirelab reads counters here",
        )
    try:
        return docker.DockerClient(base_url=address, version="auto", timeout=timeout_s)
    except docker.errors.DockerException as error:
        raise _unusable(Path(path), error) from error


def engine_address() -> str:
    """Return the engine's address: $DOCKER_HOST, else the first existing socket."""
    own = os.environ.get("XDG_RUNTIME_DIR")
    sockets = [DOCKER_SOCKET, PODMAN_SOCKET, *([Path(own) / "podman/podman.sock"] if own else [])]
    socket = next((path for path in sockets if path.exists()), DOCKER_SOCKET)
    return os.environ.get("DOCKER_HOST") or f"unix://{socket}"


def engine_facts(client: "docker.DockerClient") -> dict[str, str]:
    """Return facts about the engine: names and texts."""
    try:
        info, version = client.info(), client.version()
    except docker.errors.DockerException as error:
        raise ContainerEngineError(
            f"cannot read the version of the container engine: {error}"
        ) from error
    names = [part["Name"] for part in version.get("Components") or () if "Engine" in part["Name"]]
    name = "Docker" if names in ([], ["Engine"]) else names[0]
    cgroup, driver = info.get("CgroupVersion") or "1", info.get("CgroupDriver")
    return {
        "engine": f"{name} {info.get('ServerVersion') or version.get('Version')}",
        "control groups": f"version {cgroup}" + (f" by {driver}" if driver else ""),
        "storage driver": str(info.get("Driver") or "unknown"),
    }


def is_rootless(client: "docker.DockerClient") -> bool:
    """Return whether the engine is rootless: then its bridges are not in this machine's network."""
    try:
        return any("rootless" in option for option in client.info().get("SecurityOptions") or ())
    except docker.errors.DockerException as error:
        raise ContainerEngineError(
            f"cannot read the options of the container engine: {error}"
        ) from error


def _unusable(path: Path, error: "docker.errors.DockerException") -> ContainerEngineError:
    if not path.exists():
        return ContainerEngineError(f"no container engine: {path} does not exist", HOW_TO_GET_ONE)
    if not os.access(path, os.R_OK | os.W_OK):
        return ContainerEngineError(
            f"cannot use the container engine: no permission for {path}",
            "add your account to the group of that socket (usually docker) and log in again",
        )
    return ContainerEngineError(
        f"the container engine does not answer at {path}: {error}",
        "start it (`dockerd`, or your system's service docker)",
    )
