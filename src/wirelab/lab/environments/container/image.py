"""The image of a stack, built from its Dockerfile; existing layers are reused."""

import os
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from wirelab.errors import Log, MissingProgramError
from wirelab.installation.build_cache import build_once
from wirelab.lab.contenders.build import VERSIONS_FILE, BuiltContender, read_versions
from wirelab.lab.contenders.building import STEP_LIMIT_S
from wirelab.lab.contenders.contender import Contender
from wirelab.lab.contenders.placeholder import fill
from wirelab.lab.environments.container.base import CHOSEN, base_name
from wirelab.lab.environments.container.docker_client import docker
from wirelab.lab.environments.container.engine import LABEL, ContainerEngineError, connect
from wirelab.lab.environments.container.process import run_in_container
from wirelab.lab.errors import BuildError

DOCKERFILE = "Dockerfile"
BUILD_FOLDER = Path("/build")
"""The value of {build} in an image."""
PYTHON = "python3"
"""The value of {python} in an image."""
PASSED_ON = (
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "PIP_INDEX_URL",
    "PIP_EXTRA_INDEX_URL",
    "NPM_CONFIG_REGISTRY",
    "GOPROXY",
)
"""This machine's sources of packages: build arguments, which are not part of the image."""
TAIL_LINES = 20
COLOURS = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True, slots=True)
class ContenderImage(BuiltContender):
    """A contender that can be started in a container. `folder` is a folder of the image."""

    image: str
    """Its id, since the name moves to the next build."""
    workdir: str


def build_image(contender: Contender, log_path: Path) -> ContenderImage:
    """Build the image of a contender's stack, in the folder of its domain.

    Raises `MissingProgramError` if the stack has no Dockerfile (the contender is then skipped with
    this reason), `ContainerEngineError`, and `BuildError` with the last lines of the build.
    """
    dockerfile = contender.folder / DOCKERFILE
    if not dockerfile.is_file():
        raise MissingProgramError(
            f"{contender.id} cannot run in a container: there is no {dockerfile}",
            "write one, see the contenders of the domain games for an example",
        )
    stack = f"{contender.domain}-{contender.stack}"
    domain_folder = contender.folder.parents[1]
    image = build_from(
        contender.stack,
        log_path,
        name=stack,
        path=str(domain_folder),
        dockerfile=str(dockerfile.relative_to(domain_folder)),
    )
    folder = build_once(
        f"{stack}-image",
        image.short_id.partition(":")[2],
        partial(_write_versions, contender, image.id),
    )
    return ContenderImage(
        contender=contender,
        folder=BUILD_FOLDER,
        versions=read_versions(folder),
        image=image.id,
        workdir=image.attrs["Config"]["WorkingDir"] or "/",
    )


def build_from(
    what: str, log_path: Path, *, name: str, **source: object
) -> "docker.models.images.Image":
    """Build the image wirelab/NAME, and remove the earlier one; `what` is its name in messages.

    `source`: the Dockerfile and its context, as arguments of the engine's client. Raises
    `ContainerEngineError`, and `BuildError` with the last lines of the build.
    """
    client = connect(int(STEP_LIMIT_S))
    try:
        lines = client.api.build(
            **source,
            tag=f"wirelab/{name}",
            labels={LABEL: "image", f"{LABEL}.stack": name},
            buildargs={"BASE_IMAGE": base_name(), **_package_sources()},
            network_mode="host",
            rm=True,
            forcerm=True,
            decode=True,
        )
        try:
            _follow(lines, f"building the image of {what}", log_path)
        except BuildError as error:
            why = _why_no_base_image(client)
            raise BuildError(error.what, why, error.failure.log) from error
        client.images.prune({"dangling": True, "label": [f"{LABEL}.stack={name}"]})
        return client.images.get(f"wirelab/{name}")
    except docker.errors.DockerException as error:
        raise ContainerEngineError(f"cannot build the image of {what}: {error}") from error


def _why_no_base_image(client: "docker.DockerClient") -> str:
    """Return what to do if the base image was missing; "" if it exists."""
    try:
        client.images.get(base_name())
    except docker.errors.ImageNotFound:
        return f"no image {base_name()}: name one with Python in {CHOSEN}, or unset it"
    return ""


def _package_sources() -> Mapping[str, str]:
    """Return the build arguments for this machine's sources of packages."""
    names = [*PASSED_ON, *(name.lower() for name in PASSED_ON[:3])]
    return {name: os.environ[name] for name in names if name in os.environ}


def _follow(lines: Iterator[dict[str, Any]], what: str, log_path: Path) -> None:
    """Write the build's output to the log until it ends, and raise its error."""
    tail: list[str] = []
    with log_path.open("a") as log:
        for line in lines:
            text = COLOURS.sub("", str(line.get("stream") or line.get("error") or ""))
            log.write(text)
            tail = [*tail, *filter(None, text.splitlines())][-TAIL_LINES:]
            if "error" in line:
                raise BuildError(f"{what} failed", log=Log(str(log_path), "\n".join(tail)))


def _write_versions(contender: Contender, image: str, folder: Path) -> None:
    answer = folder / VERSIONS_FILE
    if not contender.build.versions:
        answer.touch()
        return
    values = {"python": PYTHON, "build": BUILD_FOLDER, "folder": ".", "cores": 1}
    command = fill(contender.build.versions, values)
    code = run_in_container(
        connect(), image, command, role="versions", log_path=answer, limit_s=STEP_LIMIT_S
    )
    if code != 0:
        output = answer.read_text().strip()
        raise BuildError(
            f"the image of {contender.stack}: `{shlex.join(command)}` failed: {output}"
        )
