"""A reverse proxy in front of a contender: nginx, whose CPU time is counted separately.

Debian's nginx runs on this machine like a contender. If it is missing, but there is a container
engine, nginx runs in a container in this machine's network, from an image based on the base image.
"""

import io
import shutil
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from wirelab.errors import MissingProgramError
from wirelab.lab.contenders.running import POLL_S, Ready, RunningContender, not_ready
from wirelab.lab.environments.container.base import base_name
from wirelab.lab.environments.container.engine import connect
from wirelab.lab.environments.container.environment import ContainerHost
from wirelab.lab.environments.container.image import build_from
from wirelab.lab.environments.container.network import HOST
from wirelab.lab.environments.container.process import (
    ContainerProcess,
    run_in_container,
    start_container,
)
from wirelab.lab.environments.environment import Counted, InContainer, Launched
from wirelab.lab.errors import ContenderError, log_of
from wirelab.lab.network.certificate import OPENSSL, OwnCertificate
from wirelab.lab.network.nginx import (
    FLUSH_MS,
    IN_CONTAINER,
    LOCATIONS,
    PLAIN,
    SETTINGS_OF,
    TLS,
    Identity,
    Route,
    caches,
    configuration,
)
from wirelab.lab.network.ports import free_port, is_listener
from wirelab.lab.processes.account import PROXY, hand_over, unprivileged_account
from wirelab.lab.processes.process import GuardedProcess, start_guarded
from wirelab.study.limits import UNLIMITED, ResourceLimits

NGINX = "nginx"
START_LIMIT_S = 20.0
SBIN = "/usr/sbin"
CONFIGURATION = "nginx.conf"
CACHE_LOG = "cache.log"
DOCKERFILE = """\
ARG BASE_IMAGE
FROM ${BASE_IMAGE}
RUN apt-get update && apt-get install --yes --no-install-recommends nginx-light \\
 && rm -rf /var/lib/apt/lists/*
"""

_Proxy = GuardedProcess | ContainerProcess
ReadyBehind = Callable[[str, Path | None], None]
"""Like `Ready`, with the certificate to trust as a further argument; None in clear text."""


@dataclass(frozen=True, slots=True)
class Nginx:
    """The nginx of this laboratory: this machine's, or an image that has one."""

    version: str
    program: str = ""
    """Its path on this machine; "": in the image."""
    image: str = ""
    level: str = PLAIN
    own: OwnCertificate | None = None
    """Its certificate, if it uses TLS."""

    def facts(self) -> dict[str, str]:
        """Return its version, environment and settings: names and texts."""
        place = (
            "this machine" if self.program else f"a container of {base_name()}, the host's network"
        )
        return {"version": self.version, "place": place, **SETTINGS_OF[self.level]}


@dataclass(frozen=True, slots=True)
class BehindNginx:
    """A contender's processes together with those of its proxy."""

    contender: Launched
    proxy: Launched

    @property
    def pid(self) -> int:
        """See `Launched.pid`."""
        return self.contender.pid

    @property
    def root_pid(self) -> int | None:
        """See `Launched.root_pid`."""
        return self.contender.root_pid

    @property
    def log_path(self) -> Path:
        """See `Launched.log_path`."""
        return self._ended_first().log_path

    @property
    def killed(self) -> bool:
        """See `Launched.killed`."""
        return self.contender.killed

    def poll(self) -> int | None:
        """See `Launched.poll`."""
        return self._ended_first().poll()

    def stop(self) -> int:
        """End the proxy, then the contender."""
        self.proxy.stop()
        return self.contender.stop()

    def log_tail(self, lines: int = 20) -> str:
        """See `Launched.log_tail`."""
        return self._ended_first().log_tail(lines)

    def _ended_first(self) -> Launched:
        return self.proxy if self.proxy.poll() is not None else self.contender


def put_nginx_before(
    server: RunningContender,
    transport: str,
    nginx: Nginx,
    *,
    ready: ReadyBehind,
    log_path: Path,
    cpus: tuple[int, ...] = (),
    limits: ResourceLimits = UNLIMITED,
) -> RunningContender:
    """Start nginx in front of a contender; return the contender with the proxy's address.

    `transport`: one of `LOCATIONS`; answers are cached only over http1. `ready`: calls the control
    operation through the proxy. `limits`: the proxy's limits of CPU time and memory.

    The result also has the role `proxy` in `counted`, and stops both. If the proxy cannot be
    started, the contender keeps running. Raises `LabError`.
    """
    if transport not in LOCATIONS:
        raise ContenderError(
            f"nginx cannot forward {transport} to {server.contender.id}",
            f"use a proxy only for contenders that speak {', '.join(LOCATIONS)}",
        )
    route = Route(f"{server.host}:{free_port(server.host)}", server.address, transport)
    keeps = caches(nginx.level, transport)
    scratch = Path(tempfile.mkdtemp(prefix="wirelab-nginx-"))
    proxy: _Proxy
    identity = None
    if nginx.program:
        proxy, identity = _start_natively(
            nginx, route, log_path, cpus, scratch=scratch, limits=limits
        )
    else:
        scratch.rmdir()
        proxy = _start_in_container(nginx, route, log_path, cpus, limits)
    ca = None if identity is None else identity.certificate
    try:
        counted = _wait_until_ready(proxy, route, lambda address: ready(address, ca))
    except BaseException:
        proxy.stop()
        raise
    return replace(
        server,
        port=route.port,
        process=BehindNginx(server.process, proxy),
        counted={**server.counted, "proxy": counted},
        ca=ca,
        cache_log=scratch / CACHE_LOG if keeps else None,
    )


def cache_use(server: RunningContender) -> dict[str, int]:
    """Return the number of requests to a contender's proxy by nginx's cache status.

    HIT, MISS, EXPIRED and REVALIDATED; "-" for requests that no cache may answer. Empty without a
    cache.
    """
    if server.cache_log is None:
        return {}
    time.sleep(3 * FLUSH_MS / 1000)
    try:
        return dict(Counter(server.cache_log.read_text().split()))
    except FileNotFoundError:  # it was removed with a proxy that has ended
        return {}


def why_no_nginx(level: str = PLAIN) -> str:
    """Return why nginx cannot be used here; "" if it can."""
    if level == TLS and shutil.which(OPENSSL) is None:
        return f"{OPENSSL} is not installed; it creates the certificate"
    if find_nginx(level) is not None:
        return ""
    if level not in (PLAIN, IN_CONTAINER):
        return "nginx is not installed"
    missing = ContainerHost().missing()
    natively = "" if level == IN_CONTAINER else "nginx is not installed, and "
    return f"{natively}no container can run: {missing}" if missing else ""


def open_nginx(log_path: Path, level: str = PLAIN) -> Nginx:
    """Find this machine's nginx, or build an image with nginx if there is none, or if it is to be.

    `log_path`: the log of the image's build. Raises `MissingProgramError` if neither is possible,
    and `LabError`.
    """
    missing, program = why_no_nginx(level), find_nginx(level)
    if program is not None and not missing:
        done = subprocess.run([program, "-v"], capture_output=True, text=True, check=False)
        own = OwnCertificate() if level == TLS else None
        return Nginx(_version(done.stderr), program=program, level=level, own=own)
    if missing:
        raise MissingProgramError(missing, "install Debian's package nginx-light")
    image = build_from(NGINX, log_path, name=NGINX, fileobj=io.BytesIO(DOCKERFILE.encode())).id
    with tempfile.TemporaryDirectory(prefix="wirelab-nginx-") as folder:
        answer = Path(folder) / "version"
        run_in_container(
            connect(), image, [NGINX, "-v"], role="versions", log_path=answer, limit_s=START_LIMIT_S
        )
        return Nginx(_version(answer.read_text()), image=image, level=level)


def find_nginx(level: str = PLAIN) -> str | None:
    """Return this machine's nginx; None if there is none, or if the level needs one in a container.

    Debian installs it outside the PATH of ordinary users.
    """
    if level == IN_CONTAINER:
        return None
    return shutil.which("nginx") or shutil.which("nginx", path=SBIN)


def _version(output: str) -> str:
    return output.strip().removeprefix("nginx version: nginx/") or "unknown"


def _start_natively(
    nginx: Nginx,
    route: Route,
    log_path: Path,
    cpus: tuple[int, ...],
    *,
    scratch: Path,
    limits: ResourceLimits,
) -> tuple[GuardedProcess, Identity | None]:
    """Start it with all of its files in `scratch`, which is removed with it in any case.

    If this process is root, nginx runs as an unprivileged user.
    """
    try:
        account = unprivileged_account(PROXY)
        written = scratch / CONFIGURATION
        identity = nginx.own.write(scratch) if nginx.own else None
        text = configuration(
            route,
            scratch=str(scratch),
            workers=max(len(cpus), 1),
            level=nginx.level,
            identity=identity,
        )
        written.write_text(text)
        hand_over(scratch, account)
        proxy = start_guarded(
            [nginx.program, "-p", scratch, "-e", "stderr", "-c", written],
            role="proxy",
            log_path=log_path,
            cpus=cpus,
            user=account,
            no_new_privileges=True,
            on_end=["rm", "-rf", scratch],
            limits=limits,
        )
        proxy.limit()
    except BaseException:
        shutil.rmtree(scratch, ignore_errors=True)
        raise
    return proxy, identity


def _start_in_container(
    nginx: Nginx, route: Route, log_path: Path, cpus: tuple[int, ...], limits: ResourceLimits
) -> ContainerProcess:
    text = configuration(route, scratch="/run", workers=max(len(cpus), 1))
    # The configuration is an argument, since a container has no access to this machine's files.
    script = 'printf %s "$0" > /run/nginx.conf && exec nginx -e stderr -c /run/nginx.conf'
    return start_container(
        connect(),
        nginx.image,
        ["sh", "-c", script, text],
        role="proxy",
        log_path=log_path,
        network=HOST,
        cpus=cpus,
        limits=limits,
    )


def _wait_until_ready(proxy: _Proxy, route: Route, ready: Ready) -> Counted:
    """Wait until it forwards the control operation; return the subject of its counters."""
    deadline = time.monotonic() + START_LIMIT_S
    reason = "it does not listen"
    while proxy.poll() is None and time.monotonic() < deadline:
        counted = _counted(proxy)
        if counted is not None and _listens(counted, route.port):
            try:
                ready(route.address)
            except Exception as error:
                reason = str(not_ready(error))
            else:
                return counted
        time.sleep(POLL_S)
    what = f"nginx was not ready on {route.address}: {reason}"
    raise ContenderError(what, log=log_of(proxy))


def _counted(proxy: _Proxy) -> Counted | None:
    if isinstance(proxy, GuardedProcess):
        return proxy.pid
    return None if proxy.root_pid is None else InContainer(proxy.root_pid)


def _listens(counted: Counted, port: int) -> bool:
    root = counted if isinstance(counted, int) else counted.pid
    return is_listener(root, port)
