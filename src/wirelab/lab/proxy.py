"""A reverse proxy in front of a contender: nginx, as many put it there, with CPU time of its own.

Debian's nginx runs on this machine like a contender does. Where there is none but a container
engine, it runs in a container in this machine's network, from an image made of the base image.
"""

import io
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

from docker.errors import DockerException

from wirelab.lab.building import STEP_LIMIT_S
from wirelab.lab.container.base import base_name
from wirelab.lab.container.engine import LABEL, EngineError, connect
from wirelab.lab.container.environment import ContainerHost
from wirelab.lab.container.image import follow_build, package_sources
from wirelab.lab.container.process import ContainerProcess, start_container
from wirelab.lab.environment import Counted, InContainer, Launched
from wirelab.lab.errors import ContenderError, MissingProgramError, with_log
from wirelab.lab.nginx import LOCATIONS, SETTINGS, Route, configuration
from wirelab.lab.ports import free_port, is_listener
from wirelab.lab.process import GuardedProcess, family, start_guarded
from wirelab.lab.running import POLL_S, Ready, RunningContender

NGINX = "nginx"
START_LIMIT_S = 20.0
IMAGE = "wirelab/nginx"
SBIN = "/usr/sbin"
CONFIGURATION = "nginx.conf"
DOCKERFILE = """\
ARG BASE_IMAGE
FROM ${BASE_IMAGE}
RUN apt-get update && apt-get install --yes --no-install-recommends nginx-light \\
 && rm -rf /var/lib/apt/lists/*
"""

_Proxy = GuardedProcess | ContainerProcess


@dataclass(frozen=True, slots=True)
class _Fronted:
    """A contender's processes with those of the proxy before it, as one."""

    contender: Launched
    proxy: Launched

    @property
    def pid(self) -> int:
        return self.contender.pid

    @property
    def log_path(self) -> Path:
        return self._ended_first().log_path

    def poll(self) -> int | None:
        return self._ended_first().poll()

    def stop(self) -> int:
        self.proxy.stop()
        return self.contender.stop()

    def log_tail(self, lines: int = 20) -> str:
        return self._ended_first().log_tail(lines)

    def _ended_first(self) -> Launched:
        return self.proxy if self.proxy.poll() is not None else self.contender


def put_nginx_before(
    server: RunningContender,
    transport: str,
    *,
    ready: Ready,
    log_path: Path,
    cpus: tuple[int, ...] = (),
) -> RunningContender:
    """Start nginx before a contender; return the contender as it is reached through it.

    `transport`: one of `LOCATIONS`. `ready`: asks the control operation, this time of the proxy.
    What is returned has the role `proxy` in `counted` besides, and stops both. When the proxy
    cannot be started, the contender still runs. Raises `LabError`.
    """
    if transport not in LOCATIONS:
        raise ContenderError(
            f"nginx passes no {transport} on to {server.contender.id}",
            f"a proxy is for contenders that speak {', '.join(LOCATIONS)}",
        )
    route = Route(f"{server.host}:{free_port(server.host)}", server.address, transport)
    program = find_nginx()
    proxy: _Proxy
    if program is not None:
        proxy = _start_natively(program, route, log_path, cpus)
    else:
        proxy = _start_in_container(route, log_path, cpus)
    try:
        counted = _wait_until_ready(proxy, route, ready)
    except BaseException:
        proxy.stop()
        raise
    return replace(
        server,
        port=route.port,
        process=_Fronted(server.process, proxy),
        counted={**server.counted, "proxy": counted},
    )


def why_no_nginx() -> str:
    """Return why no contender can be put behind nginx here; empty when one can."""
    if find_nginx() is not None:
        return ""
    missing = ContainerHost().missing()
    return f"nginx is not installed, and no container can be run: {missing}" if missing else ""


def nginx_facts() -> dict[str, str]:
    """Say which nginx it is, where it runs and how it is set: names and words."""
    program = find_nginx()
    if program is None:
        return {"place": f"a container of {base_name()}, the host's network", **SETTINGS}
    asked = subprocess.run([program, "-v"], capture_output=True, text=True, check=False)
    version = asked.stderr.strip().removeprefix("nginx version: nginx/")
    return {"version": version, "place": "this machine", **SETTINGS}


def find_nginx() -> str | None:
    """Return this machine's nginx; Debian keeps it where an ordinary user's PATH does not look."""
    return shutil.which("nginx") or shutil.which("nginx", path=SBIN)


def _start_natively(
    program: str, route: Route, log_path: Path, cpus: tuple[int, ...]
) -> GuardedProcess:
    scratch = Path(tempfile.mkdtemp(prefix="wirelab-nginx-"))
    scratch.chmod(0o711)  # where we are root, its workers are somebody else
    written = scratch / CONFIGURATION
    written.write_text(configuration(route, scratch=str(scratch), workers=max(len(cpus), 1)))
    try:
        return start_guarded(
            [program, "-p", scratch, "-e", "stderr", "-c", written],
            role="proxy",
            log_path=log_path,
            cpus=cpus,
            on_end=["rm", "-rf", scratch],
        )
    except BaseException:
        shutil.rmtree(scratch, ignore_errors=True)
        raise


def _start_in_container(route: Route, log_path: Path, cpus: tuple[int, ...]) -> ContainerProcess:
    if missing := why_no_nginx():
        raise MissingProgramError(missing, "install Debian's package nginx-light")
    text = configuration(route, scratch="/run", workers=max(len(cpus), 1))
    # The configuration is an argument and not a file: a container sees none of ours.
    script = 'printf %s "$0" > /run/nginx.conf && exec nginx -e stderr -c /run/nginx.conf'
    return start_container(
        connect(),
        _image(log_path),
        ["sh", "-c", script, text],
        role="proxy",
        log_path=log_path,
        network=ContainerHost.network,
        cpus=cpus,
    )


def _image(log_path: Path) -> str:
    client = connect(int(STEP_LIMIT_S))
    try:
        lines = client.api.build(
            fileobj=io.BytesIO(DOCKERFILE.encode()),
            tag=IMAGE,
            labels={LABEL: "image"},
            buildargs={"BASE_IMAGE": base_name(), **package_sources()},
            network_mode="host",
            rm=True,
            forcerm=True,
            decode=True,
        )
        follow_build(lines, "building the image of nginx", log_path)
        return str(client.images.get(IMAGE).id)
    except DockerException as error:
        raise EngineError(f"the image of nginx cannot be built: {error}") from error


def _wait_until_ready(proxy: _Proxy, route: Route, ready: Ready) -> Counted:
    """Wait until the control operation is answered through it; say what to count it by."""
    deadline = time.monotonic() + START_LIMIT_S
    reason = "it does not listen"
    while proxy.poll() is None and time.monotonic() < deadline:
        counted = _counted(proxy)
        if counted is not None and _listens(counted, route.port):
            try:
                ready(route.address)
            except Exception as error:
                reason = f"{type(error).__name__}: {error}"
            else:
                return counted
        time.sleep(POLL_S)
    what = f"nginx was not ready on {route.address}: {reason}"
    raise ContenderError(with_log(what, proxy.log_path, proxy.log_tail()))


def _counted(proxy: _Proxy) -> Counted | None:
    if isinstance(proxy, GuardedProcess):
        return proxy.pid
    return None if proxy.init_pid is None else InContainer(proxy.init_pid, own_network=False)


def _listens(counted: Counted, port: int) -> bool:
    root = counted if isinstance(counted, int) else counted.pid
    return is_listener(family(root), port)
