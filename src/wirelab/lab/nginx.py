"""The configuration of nginx as a reverse proxy, made for what is passed on."""

from collections.abc import Mapping
from dataclasses import dataclass

SETTINGS: Mapping[str, str] = {
    "worker_processes": "as many as it has CPUs",
    "worker_connections": "4096",
    "keepalive": "64 connections to the contender, each for any number of requests",
    "proxy_buffering": "on",
    "proxy_request_buffering": "off, so that no part of a body waits for an acknowledgement",
    "access_log": "off",
}
"""What is declared with the results; the rest is nginx's default."""
# Buffered, a body of some kilobytes takes its way through a file, and goes on after the head in a
# write of its own, on a socket without TCP_NODELAY: there it waits for the acknowledgement of the
# head, which the contender's kernel delays by 40 ms.
HTTP = """\
      proxy_pass http://contender;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $host;
      proxy_request_buffering off;
"""
WEBSOCKET = """\
      proxy_pass http://contender;
      proxy_http_version 1.1;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection "upgrade";
      proxy_set_header Host $host;
      proxy_read_timeout 1h;
"""
GRPC = """\
      grpc_pass grpc://contender;
"""
LOCATIONS = {"http1": HTTP, "websocket": WEBSOCKET, "grpc": GRPC}
"""By transport: what nginx can pass on in the protocol that came in."""

TEMPLATE = """\
daemon off;
worker_processes {workers};
pid {scratch}/pid;
error_log stderr warn;
events {{ worker_connections 4096; }}
http {{
  access_log off;
  client_max_body_size 0;
  keepalive_requests 1000000000;
  keepalive_timeout 1h;
  client_body_temp_path {scratch}/body;
  proxy_temp_path {scratch}/proxy;
  fastcgi_temp_path {scratch}/fastcgi;
  uwsgi_temp_path {scratch}/uwsgi;
  scgi_temp_path {scratch}/scgi;
  upstream contender {{
    server {upstream};
    keepalive 64;
    keepalive_requests 1000000000;
    keepalive_timeout 1h;
  }}
  server {{
    listen {address}{http2};
    location / {{
{location}    }}
  }}
}}
"""


@dataclass(frozen=True, slots=True)
class Route:
    """Where nginx listens and what it passes on, both "host:port", in which transport."""

    address: str
    upstream: str
    transport: str

    @property
    def port(self) -> int:
        """The port of the address."""
        return int(self.address.rpartition(":")[2])


def configuration(route: Route, *, scratch: str, workers: int) -> str:
    """Return nginx's configuration: listen on one address, pass all on to the other."""
    return TEMPLATE.format(
        address=route.address,
        upstream=route.upstream,
        http2=" http2" if route.transport == "grpc" else "",
        location=LOCATIONS[route.transport],
        scratch=scratch,
        workers=workers,
    )
