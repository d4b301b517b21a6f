"""What the tests of containers share: an engine, the base image, and a contender made to order."""

from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent

import docker
import pytest

from wirelab.errors import LabError
from wirelab.lab.contenders.contender import Contender
from wirelab.lab.contenders.contender_file import Build
from wirelab.lab.environments.container.base import base_name, make_base, why_no_base
from wirelab.lab.environments.container.engine import LABEL, ContainerEngineError, connect
from wirelab.lab.environments.container.network import private_network

DOCKERFILE = """
ARG BASE_IMAGE
FROM ${BASE_IMAGE}
WORKDIR /srv/made-up
COPY contenders/made-up/server.py ./
RUN mkdir /build && echo 'made-up==1.2.3' > /build/versions
USER nobody
"""


@pytest.fixture(scope="session")
def engine() -> Iterator[docker.DockerClient]:
    """The engine of this machine, or the test is skipped with the reason."""
    try:
        client = connect()
    except ContainerEngineError as error:
        pytest.skip(str(error))
    yield client
    client.close()


@pytest.fixture(scope="session")
def base(engine: docker.DockerClient, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The base image, made if it is not there, which takes minutes."""
    if why_no_base(engine):
        try:
            make_base(tmp_path_factory.mktemp("base") / "log")
        except LabError as error:
            pytest.skip(str(error))
    return base_name()


@pytest.fixture
def nothing_left(engine: docker.DockerClient) -> Iterator[Callable[[], list[str]]]:
    """Containers and networks that were not there when the test began: none at its end."""
    private_network()  # this laboratory's own stays until all tests have run

    def names() -> set[str]:
        there = engine.api.containers(all=True, filters={"label": LABEL})
        networks = engine.networks.list(filters={"label": LABEL})
        containers = (name for container in there for name in container["Names"])
        return {*containers, *(network.name for network in networks)}

    before = names()
    yield lambda: sorted(names() - before)
    assert not names() - before


@pytest.fixture
def make_contender(
    tmp_path: Path, engine: docker.DockerClient
) -> Iterator[Callable[..., Contender]]:
    """Make a contender with a Dockerfile out of the body of a Python program."""

    def make(program: str, *, dockerfile: str = DOCKERFILE, versions: bool = False) -> Contender:
        folder = tmp_path / "made-up" / "contenders" / "made-up"
        folder.mkdir(parents=True, exist_ok=True)
        head = "import os, socket, sys, time\nhost, port = sys.argv[1], int(sys.argv[2])\n"
        (folder / "server.py").write_text(head + dedent(program))
        (folder / "Dockerfile").write_text(dockerfile)
        return Contender(
            id="rest-made-up",
            title="Made up",
            protocol="rest",
            path="/",
            command=("{python}", "-u", "{folder}/server.py", "{host}", "{port}"),
            settings={},
            packages=("made-up",),
            environment={"AT": "{host}:{port}"},
            domain="test",
            stack="made-up",
            folder=folder,
            requires=(),
            build=Build(versions=("cat", "{build}/versions") if versions else ()),
        )

    yield make
    for image in engine.images.list("wirelab/test-made-up"):
        engine.images.remove(image.id, force=True)
