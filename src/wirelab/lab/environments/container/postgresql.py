"""The embedded PostgreSQL in a container: the same server, with its own network and control group.

The image contains the same binaries that run natively, so that the environment is the only
difference. Contenders and the laboratory reach it at its address in the private network, which
other machines cannot reach; no port is published. Its data are in a volume, not in the layered file
system, and are removed with the container.
"""

import io
import secrets
import shlex
import tarfile
import time
from collections.abc import Collection
from functools import partial
from pathlib import Path

import psycopg

from wirelab.errors import MissingProgramError
from wirelab.lab.environments.container.engine import connect
from wirelab.lab.environments.container.environment import Container
from wirelab.lab.environments.container.image import build_from
from wirelab.lab.environments.container.network import private_network
from wirelab.lab.environments.container.process import ContainerProcess, start_container
from wirelab.lab.environments.environment import InContainer
from wirelab.lab.errors import StoreError, log_of
from wirelab.lab.stores.postgresql import PostgresqlStore
from wirelab.lab.stores.postgresql_binaries import PACKAGE, wheel_binaries
from wirelab.lab.stores.postgresql_initial import USER
from wirelab.lab.stores.postgresql_server import ACCESS, SETTINGS
from wirelab.lab.stores.store_server import DisposableServer, Started
from wirelab.study.limits import ResourceLimits

NAME = "postgresql"
PACKAGES = "/opt/packages"
DATA = "/data"
PORT = 5432
START_LIMIT_S = 30.0
PASSWORD = "WIRELAB_PASSWORD"  # noqa: S105 (the name of a variable)
DOCKERFILE = f"""\
ARG BASE_IMAGE
FROM ${{BASE_IMAGE}}
COPY packages {PACKAGES}
RUN mkdir {DATA} && chown nobody {DATA}
VOLUME {DATA}
USER nobody
"""


def start_postgresql_in_container(
    *, log_path: Path, cpus: Collection[int] = (), limits: ResourceLimits
) -> PostgresqlStore:
    """Start the embedded server in a container, with an empty data folder.

    `limits`: its limits of CPU time and memory. Raises `StoreError`, `MissingProgramError` if no
    container can run, and `LabError`.
    """
    if missing := Container().missing():
        raise MissingProgramError(f"cannot run a store in a container: {missing}")
    server = DisposableServer(
        "PostgreSQL in a container",
        partial(_start, _image(log_path), log_path, tuple(cpus), limits),
        settings={**SETTINGS, **limits.declared(), "place": "a container on a private bridge"},
        location="embedded, in a container",
    )
    try:
        return PostgresqlStore(server=server)
    except BaseException:
        server.stop()
        raise


def _start(image: str, log_path: Path, cpus: tuple[int, ...], limits: ResourceLimits) -> Started:
    password = secrets.token_urlsafe(16)
    process = start_container(
        connect(),
        image,
        ["sh", "-c", _script()],
        role="store",
        log_path=log_path,
        network=private_network().name,
        cpus=cpus,
        environment={PASSWORD: password, "LANG": "C.UTF-8"},
        limits=limits,
    )
    try:
        url = _wait_until_ready(process, password)
    except BaseException:
        process.stop()
        raise
    assert process.root_pid is not None, "the server accepts connections"
    return Started(process, url, counted=InContainer(process.root_pid))


def _script() -> str:
    binaries = f"{PACKAGES}/{PACKAGE}/pginstall18/bin"
    listening = {
        "listen_addresses": "*",  # of the container
        "hba_file": "/tmp/access",  # noqa: S108 (of the container)
        "port": str(PORT),
        "unix_socket_directories": "",
        "dynamic_shared_memory_type": "mmap",
    }
    make = [f"{binaries}/initdb", "--pgdata", f"{DATA}/pg", "--username", USER, "--no-sync"]
    make += ["--pwfile", "/tmp/password", "--auth", "scram-sha-256", "--encoding", "UTF8"]  # noqa: S108
    make += ["--locale", "C", "--no-instructions"]
    serve = [f"{binaries}/postgres", "-D", f"{DATA}/pg"]
    serve += [f"--{name}={value}" for name, value in {**listening, **SETTINGS}.items()]
    return (
        f'umask 077; printf %s "${PASSWORD}" > /tmp/password;'
        f" printf %s {shlex.quote(ACCESS)} > /tmp/access;"
        f" {shlex.join(make)} && exec {shlex.join(serve)}"
    )


def _wait_until_ready(process: ContainerProcess, password: str) -> str:
    """Wait until it accepts connections; return its URL in the private network."""
    deadline = time.monotonic() + START_LIMIT_S
    while process.poll() is None and time.monotonic() < deadline:
        if address := process.address:
            url = f"postgresql://{USER}:{password}@{address}:{PORT}/postgres"
            try:
                psycopg.connect(url, connect_timeout=2).close()
            except psycopg.OperationalError:
                pass
            else:
                return url
        time.sleep(0.02)
    raise StoreError("PostgreSQL did not start in a container", log=log_of(process))


def _image(log_path: Path) -> str:
    """Build the image from the wheel's files; existing layers are reused."""
    packages = wheel_binaries().parents[2]
    context = io.BytesIO()
    with tarfile.open(fileobj=context, mode="w") as tar:
        recipe = tarfile.TarInfo("Dockerfile")
        recipe.size = len(DOCKERFILE.encode())
        tar.addfile(recipe, io.BytesIO(DOCKERFILE.encode()))
        # The programs find their libraries by relative paths inside the wheel.
        for part in (Path(PACKAGE) / "pginstall18", Path(f"{PACKAGE}.libs")):
            if (packages / part).is_dir():
                tar.add(packages / part, f"packages/{part}", filter=_open_to_all)
    context.seek(0)
    image = build_from("PostgreSQL", log_path, name=NAME, fileobj=context, custom_context=True)
    return str(image.id)


def _open_to_all(file: tarfile.TarInfo) -> tarfile.TarInfo:
    file.mode |= 0o555 if file.isdir() or file.mode & 0o100 else 0o444
    file.uid = file.gid = 0
    return file
