"""The base image: a small Debian with Python, built without an image registry.

It is built with debootstrap from Debian's packages and imported into the engine. The Python that
runs wirelab, and native contenders, is included if it is not Debian's: with another one, half of a
difference between environments could be that between two builds of Python.
"""

import json
import os
import platform
import select
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from wirelab.errors import MissingProgramError
from wirelab.lab.environments.container.base_steps import CHECKING, IMPORTING, BaseSteps
from wirelab.lab.environments.container.docker_client import docker
from wirelab.lab.environments.container.engine import LABEL, ContainerEngineError, connect
from wirelab.lab.environments.container.process import run_in_container
from wirelab.lab.errors import BuildError, log_of
from wirelab.lab.processes.process import start_guarded

CHOSEN = "WIRELAB_BASE_IMAGE"
DEFAULT_SUITE = "bookworm"
MIRROR = "http://deb.debian.org/debian"
SCRIPT = Path(__file__).with_name("base.sh")
IMPORT_LIMIT_S = 1800
LOOK_S = 0.5
"""Interval between two reads of the log."""
CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"
CHANGES = [
    "ENV LANG=C.UTF-8",
    # Each of these tools would otherwise trust only its own list.
    *(
        f"ENV {name}={CERTIFICATES}"
        for name in ("SSL_CERT_FILE", "PIP_CERT", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS")
    ),
    f"LABEL {LABEL}=base",
]


@dataclass(frozen=True, slots=True)
class BaseImage:
    """The image that was built."""

    name: str
    size_bytes: int
    python: str
    """Version and build of its `python3`."""
    same_python: bool
    """Whether it is the Python that runs wirelab."""


def base_name() -> str:
    """Return the name of the base image: $WIRELAB_BASE_IMAGE, else that of the image built here."""
    return os.environ.get(CHOSEN) or f"wirelab-base:{own_suite()}"


def own_suite() -> str:
    """Return this machine's release of Debian, or a default for other systems."""
    try:
        facts = platform.freedesktop_os_release()
    except OSError:
        return DEFAULT_SUITE
    return (
        facts.get("VERSION_CODENAME", DEFAULT_SUITE) if facts["ID"] == "debian" else DEFAULT_SUITE
    )


def why_no_base(client: "docker.DockerClient") -> str:
    """Return what to do if the base image is missing; "" if it exists.

    Also "" for an image that the user chose: the engine may pull it from a registry.
    """
    if os.environ.get(CHOSEN):
        return ""
    try:
        client.images.get(base_name())
    except docker.errors.ImageNotFound:
        return (
            f"the base image {base_name()} does not exist\n"
            f"hint: build it with `wirelab container base`, or name another image in {CHOSEN}"
        )
    return ""


def make_base(
    log_path: Path,
    *,
    name: str = "",
    suite: str = "",
    mirror: str = MIRROR,
    begin: Callable[[str], None] = lambda _: None,
) -> BaseImage:
    """Build the base image and give it its name, which replaces an earlier image.

    Takes 1 to 2 minutes; `log_path` receives debootstrap's output, and `begin` is called for each
    of `STEPS`. Raises `ContainerEngineError`, `MissingProgramError` and `BuildError`.
    """
    if os.geteuid() != 0:
        raise MissingProgramError(
            "building the base image needs root",
            f"run it with sudo, or name an existing image with Python in {CHOSEN}",
        )
    missing = [program for program in ("debootstrap", "unshare") if not shutil.which(program)]
    if missing:
        raise MissingProgramError(
            f"building the base image needs {' and '.join(missing)}, not found on PATH",
            f"install Debian's package {missing[0]}, or name an image with Python in {CHOSEN}",
        )
    client = connect(IMPORT_LIMIT_S)
    name = name or base_name()
    log_path.touch()
    steps = BaseSteps(log_path, begin)
    _import(client, name, log_path, {"SUITE": suite or own_suite(), "MIRROR": mirror}, steps)
    client.images.prune({"dangling": True, "label": f"{LABEL}=base"})  # the earlier one
    steps.go_on_to(CHECKING)
    return _inspected(client, name)


def _import(
    client: "docker.DockerClient",
    name: str,
    log_path: Path,
    values: Mapping[str, str],
    steps: BaseSteps,
) -> None:
    root = Path(tempfile.mkdtemp(prefix="wirelab-base-"))
    root.chmod(0o755)
    own = Path(sys.base_prefix).resolve()
    process = start_guarded(
        ["nice", "sh", SCRIPT],
        role="building the base image",
        log_path=log_path,
        environment={
            **os.environ,
            **values,
            "ROOT": str(root),
            "PYTHON": "" if own == Path("/usr") else str(own),
        },
        on_end=["rm", "-rf", "--one-file-system", root],
        piped=True,
    )
    repository, _, tag = name.partition(":")
    try:
        # The pipe is empty until the tree is complete; an empty tree would be imported, too.
        while not select.select([process.stdout], [], [], LOOK_S)[0]:
            steps.look()
        if first := process.stdout.peek(1):  # type: ignore[attr-defined]
            steps.go_on_to(IMPORTING)
            answer = client.api.import_image_from_stream(
                process.stdout, repository=repository, tag=tag or "latest", changes=CHANGES
            )
        code = process.wait()
    except docker.errors.DockerException as error:
        raise ContainerEngineError(f"cannot import the base image: {error}") from error
    finally:
        process.stop()
    if code != 0 or not first:
        raise BuildError(
            "cannot build the base image",
            "check that the Debian mirror is reachable, or name another with --mirror",
            log_of(process),
        )
    last = json.loads(answer.splitlines()[-1])
    if "error" in last:
        raise ContainerEngineError(f"cannot import the base image: {last['error']}")


def _inspected(client: "docker.DockerClient", name: str) -> BaseImage:
    with tempfile.TemporaryDirectory(prefix="wirelab-base-") as folder:
        answer = Path(folder) / "version"
        command = ["python3", "-c", "import sys; print(sys.version)"]
        code = run_in_container(client, name, command, role="base", log_path=answer, limit_s=60)
        python = answer.read_text().strip()
    if code != 0:
        raise BuildError(f"Python does not run in the base image: {python}")
    image = client.images.get(name)
    return BaseImage(name, image.attrs["Size"], python, python == sys.version)
