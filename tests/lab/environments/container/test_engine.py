"""If containers cannot be run, the message contains the reason and the remedy."""

import os
import socket
from pathlib import Path

import docker
import pytest

from wirelab.lab.environments.container import engine as container_engine
from wirelab.lab.environments.container.engine import ContainerEngineError, connect
from wirelab.lab.environments.container.network import private_network
from wirelab.lab.environments.kinds import ENVIRONMENTS, store_host


@pytest.fixture(params=["container", "container-host"])
def environment(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


def test_no_engine(environment: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/docker.sock")

    missing = ENVIRONMENTS[environment].missing()

    assert f"{tmp_path}/docker.sock" in missing
    assert "hint: install Docker" in missing


def test_a_socket_without_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "docker.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        monkeypatch.setenv("DOCKER_HOST", f"unix://{path}")
        monkeypatch.setattr(os, "access", lambda request, mode: Path(request) != path)

        with pytest.raises(ContainerEngineError, match="no permission for") as refusal:
            connect()
        assert "add your account" in str(refusal.value)


def test_a_stopped_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "docker.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
    monkeypatch.setenv("DOCKER_HOST", f"unix://{path}")

    with pytest.raises(ContainerEngineError, match=f"not answer at {path}"):
        connect()


def test_podmans_socket_is_found_if_there_is_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DOCKER_HOST", raising=False)
    monkeypatch.setattr(container_engine, "DOCKER_SOCKET", tmp_path / "none.sock")
    monkeypatch.setattr(container_engine, "PODMAN_SOCKET", tmp_path / "none-either.sock")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert container_engine.engine_address() == f"unix://{tmp_path}/none.sock"

    own = tmp_path / "podman" / "podman.sock"
    own.parent.mkdir()
    own.touch()
    assert container_engine.engine_address() == f"unix://{own}"

    monkeypatch.setenv("DOCKER_HOST", "unix:///elsewhere.sock")
    assert container_engine.engine_address() == "unix:///elsewhere.sock"


def test_an_engine_of_another_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", "tcp://192.0.2.1:2375")

    with pytest.raises(ContainerEngineError, match="another machine"):
        connect()


def test_no_base_image(
    environment: str, engine: docker.DockerClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "wirelab.lab.environments.container.base.own_suite", lambda: "no-such-suite"
    )

    missing = ENVIRONMENTS[environment].missing()

    assert "wirelab-base:no-such-suite" in missing.splitlines()[0]
    assert "`wirelab container base`" in missing


def test_a_chosen_image_is_left_to_the_engine(
    engine: docker.DockerClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WIRELAB_BASE_IMAGE", "no-such-image:none")

    assert ENVIRONMENTS["container-host"].missing() == ""


def test_a_store_listens_where_all_environments_reach_it(engine: docker.DockerClient) -> None:
    private = private_network().address

    assert store_host(["native", "container-host"]) == "127.0.0.1"
    assert store_host(["native", "container", "container-host"]) == private
    with socket.create_server((private, 0)):
        pass
