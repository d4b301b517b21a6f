"""The image of a stack, built from its Dockerfile; layers that were built before are kept."""

import os
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import docker
from docker.errors import DockerException

from wirelab.lab.build import VERSIONS_FILE, BuiltContender, read_versions
from wirelab.lab.building import STEP_LIMIT_S, build_once
from wirelab.lab.container.base import base_name
from wirelab.lab.container.engine import LABEL, EngineError, connect
from wirelab.lab.container.process import start_container
from wirelab.lab.contender import Contender
from wirelab.lab.errors import BuildError, MissingProgramError, with_log
from wirelab.lab.placeholder import fill

DOCKERFILE = "Dockerfile"
BUILD_FOLDER = Path("/build")
"""What {build} is in an image."""
PYTHON = "python3"
"""What {python} is in an image."""
PASSED_ON = (
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "PIP_INDEX_URL",
    "PIP_EXTRA_INDEX_URL",
    "NPM_CONFIG_REGISTRY",
    "GOPROXY",
)
"""How this machine gets packages: build arguments, which are no part of the image."""
TAIL_LINES = 20
COLOURS = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True, slots=True)
class ContenderImage(BuiltContender):
    """A contender that can be started in a container. `folder` is a folder of the image."""

    image: str
    """Its id: the name moves on with the next build."""
    workdir: str


def build_image(contender: Contender, log_path: Path) -> ContenderImage:
    """Build the image of a contender's stack, in the folder of its domain.

    Raises `MissingProgramError` when the stack has no Dockerfile (the contender is to be skipped
    with that reason), `EngineError`, and `BuildError` with the last lines of the build.
    """
    dockerfile = contender.folder / DOCKERFILE
    if not dockerfile.is_file():
        raise MissingProgramError(
            f"{contender.id} cannot run in a container: there is no {dockerfile}",
            "write one, see the contenders of the domain games for an example",
        )
    client = connect(int(STEP_LIMIT_S))
    stack = f"{contender.domain}-{contender.stack}"
    domain_folder = contender.folder.parents[1]
    name = f"wirelab/{stack}"
    try:
        lines = client.api.build(
            path=str(domain_folder),
            dockerfile=str(dockerfile.relative_to(domain_folder)),
            tag=name,
            labels={LABEL: "image", f"{LABEL}.stack": stack},
            buildargs={"BASE_IMAGE": base_name(), **package_sources()},
            network_mode="host",
            rm=True,
            forcerm=True,
            decode=True,
        )
        follow_build(lines, f"building the image of {contender.stack}", log_path)
        client.images.prune({"dangling": True, "label": [f"{LABEL}.stack={stack}"]})
        image = client.images.get(name)
    except DockerException as error:
        raise EngineError(f"the image of {contender.stack} cannot be built: {error}") from error
    folder = build_once(
        f"{stack}-image",
        image.short_id.partition(":")[2],
        partial(_ask_versions, client, contender, image.id),
    )
    return ContenderImage(
        contender=contender,
        folder=BUILD_FOLDER,
        versions=read_versions(folder),
        image=image.id,
        workdir=image.attrs["Config"]["WorkingDir"] or "/",
    )


def package_sources() -> Mapping[str, str]:
    """Return the build arguments that say how this machine gets packages."""
    names = [*PASSED_ON, *(name.lower() for name in PASSED_ON[:3])]
    return {name: os.environ[name] for name in names if name in os.environ}


def follow_build(lines: Iterator[dict[str, Any]], what: str, log_path: Path) -> None:
    """Write the build's output to the log until it ends, and raise its error."""
    tail: list[str] = []
    with log_path.open("a") as log:
        for line in lines:
            text = COLOURS.sub("", str(line.get("stream") or line.get("error") or ""))
            log.write(text)
            tail = [*tail, *filter(None, text.splitlines())][-TAIL_LINES:]
            if "error" in line:
                raise BuildError(with_log(f"{what} failed", log_path, "\n".join(tail)))


def _ask_versions(
    client: docker.DockerClient, contender: Contender, image: str, folder: Path
) -> None:
    answer = folder / VERSIONS_FILE
    if not contender.build.versions:
        answer.touch()
        return
    values = {"python": PYTHON, "build": BUILD_FOLDER, "folder": ".", "cores": 1}
    command = fill(contender.build.versions, values)
    asking = start_container(
        client, image, command, role="versions", log_path=answer, network="none"
    )
    try:
        code = asking.wait(STEP_LIMIT_S)
    finally:
        asking.stop()
    if code != 0:
        raise BuildError(
            f"the image of {contender.stack}: `{shlex.join(command)}` failed: {asking.log_tail()}"
        )
