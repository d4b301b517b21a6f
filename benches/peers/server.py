"""The neutral servers: started for one run, on the system's CPU, and gone after it."""

import os
import subprocess
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benches.peers.case import Case
from benches.peers.material import body_path
from wirelab.lab.network.ports import free_port, is_taken
from wirelab.lab.processes.process import GuardedProcess, start_guarded

PATIENCE_S = 10.0
RECORDED = "recorded"

NGINX = """\
daemon off;
master_process on;
{user}
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log crit;
events {{ worker_connections 4096; }}
http {{
  access_log off;
  sendfile off;
  tcp_nodelay on;
  keepalive_requests 1000000000;
  open_file_cache max=16;
  default_type application/json;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  server {{
    listen 127.0.0.1:{port} {listen};
    {tls}
    root {root};
  }}
}}
"""
LISTEN = {"http1": "", "tls": "ssl", "http2": "http2"}


class NotReadyError(Exception):
    """A server did not begin to listen."""


@dataclass(frozen=True, slots=True)
class Server:
    """A running server."""

    port: int
    pid: int
    """What all its processes descend from."""


@contextmanager
def serve(
    case: Case, programs: dict[str, str], material: Path, folder: Path, cpus: Collection[int]
) -> Iterator[Server]:
    """Run the server of a case for the block; raises `NotReadyError`."""
    port = free_port()
    process = start_guarded(
        _command(case, programs, material, folder, port),
        role="server",
        log_path=folder / "server.log",
        cpus=cpus,
    )
    try:
        _await_ready(case, process, port)
        yield Server(port, process.pid)
    finally:
        process.stop()


def recorded_path(folder: Path) -> Path:
    """Return the file to which the recorder writes its records when it ends."""
    return folder / RECORDED


def _command(
    case: Case, programs: dict[str, str], material: Path, folder: Path, port: int
) -> list[str]:
    address, body = f"127.0.0.1:{port}", str(body_path(material, case.body))
    floor, servers = programs["wirelab-floor"], programs["wirelab-peer-servers"]
    if case.rate_per_s:
        hold = ["--hold-us", str(case.hold_us)]
        return [floor, "recorder", address, body, "--output", str(recorded_path(folder)), *hold]
    if case.requests:
        return [floor, "server", address, body]
    if case.protocol == "http3":
        return [servers, "http3", address, str(body_path(material, case.body).parent)]
    if case.protocol in {"grpc", "websocket"}:
        return [servers, case.protocol, address]
    return [programs["nginx"], "-c", str(_nginx(case, servers, material, folder, port))]


def _nginx(case: Case, servers: str, material: Path, folder: Path, port: int) -> Path:
    """Write nginx's configuration, and its certificate where it needs one."""
    tls = ""
    if case.protocol == "tls":
        subprocess.run([servers, "certificate", str(folder)], check=True)
        tls = (
            f"ssl_certificate {folder}/certificate.pem; ssl_certificate_key {folder}/key.pem; "
            "ssl_protocols TLSv1.3;"
        )
    path = folder / "nginx.conf"
    path.write_text(
        NGINX.format(
            user="user root;" if os.geteuid() == 0 else "",  # who may read the cache
            folder=folder,
            port=port,
            listen=LISTEN[case.protocol],
            tls=tls,
            root=body_path(material, case.body).parent,
        )
    )
    return path


def _await_ready(case: Case, process: GuardedProcess, port: int) -> None:
    deadline = time.monotonic() + PATIENCE_S
    is_ready = _is_bound_by_udp if case.protocol == "http3" else is_taken
    while not is_ready(port):
        if process.poll() is not None or time.monotonic() > deadline:
            raise NotReadyError(f"the server of {case.id} does not listen: {process.log_tail()}")
        time.sleep(0.02)


def _is_bound_by_udp(port: int) -> bool:
    lines = Path("/proc/net/udp").read_text().splitlines()[1:]
    return any(int(line.split()[1].rpartition(":")[2], 16) == port for line in lines)
