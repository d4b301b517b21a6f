"""The configuration of nginx as a reverse proxy, by transport and level."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

PLAIN = "nginx"
TLS = "nginx-tls"
CACHE = "nginx-cache"
IN_CONTAINER = "nginx-container"
DEFAULTS = "nginx-defaults"

SETTINGS: Mapping[str, str] = {
    "worker_processes": "one per CPU",
    "worker_connections": "4096",
    "keepalive": "64 connections to the contender, each for any number of requests",
    "proxy_buffering": "on",
    "proxy_request_buffering": "off, so that no part of a body waits for an acknowledgement",
    "access_log": "off",
}
"""The settings declared with the results; all others have nginx's defaults."""
SETTINGS_OF: Mapping[str, Mapping[str, str]] = {
    PLAIN: SETTINGS,
    IN_CONTAINER: SETTINGS,
    TLS: {
        **SETTINGS,
        "ssl_protocols": "TLSv1.3, to the contender in clear text",
        "certificate": "ECDSA P-256, self-signed",
    },
    DEFAULTS: {
        **SETTINGS,
        "keepalive": "none: HTTP/1.0 to the contender, a connection for each request",
        "proxy_request_buffering": "on",
    },
    CACHE: {
        **SETTINGS,
        "proxy_cache": "answers to GET, for as long as Cache-Control allows, 64 MB",
        "proxy_cache_revalidate": "on: expired answers are revalidated with their ETag",
        "access_log": "only the cache status, buffered",
    },
}
"""Settings by level of the factor proxy."""
FLUSH_MS = 50
"""Maximum time until the cache status is written to its log."""

# With buffering, nginx writes a body of some kilobytes to a file, and sends it after the head in a
# separate write, on a socket without TCP_NODELAY: there it waits for the acknowledgement of the
# head, which the contender's kernel delays by 40 ms.
HTTP = """\
      proxy_pass http://contender;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $host;
      proxy_request_buffering off;
"""
HTTP_BY_DEFAULT = """\
      proxy_pass http://contender;
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
"""The configuration by transport: nginx forwards requests in the protocol of the client."""

SECURE = """\
    ssl_certificate "{certificate}";
    ssl_certificate_key "{key}";
    ssl_protocols TLSv1.3;
"""
CACHING = """\
  proxy_cache_path {scratch}/cache levels=1:2 keys_zone=answers:8m max_size=64m use_temp_path=off;
  log_format cache $upstream_cache_status;
"""
# Without proxy_cache_lock: it makes a GET wait while another one for the same path is in progress,
# and checks the lock only every 500 ms, even if the answer must not be cached. Contenders whose
# answers are not cached would be measured waiting for a cache that they do not use.
CACHED = """\
    proxy_cache answers;
    proxy_cache_key $request_uri;
    proxy_cache_revalidate on;
    access_log {scratch}/cache.log cache buffer=32k flush={flush_ms}ms;
"""

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
{caching}  upstream contender {{
    server {upstream};
    keepalive 64;
    keepalive_requests 1000000000;
    keepalive_timeout 1h;
  }}
  server {{
    listen {address}{secure}{http2};
{own}    location / {{
{location}    }}
  }}
}}
"""


@dataclass(frozen=True, slots=True)
class Route:
    """The addresses ("host:port") of nginx and of the contender, and the transport."""

    address: str
    upstream: str
    transport: str

    @property
    def port(self) -> int:
        """The port of the address."""
        return int(self.address.rpartition(":")[2])


@dataclass(frozen=True, slots=True)
class Identity:
    """The PEM files of a proxy with TLS."""

    certificate: Path
    key: Path


def caches(level: str, transport: str) -> bool:
    """Return whether a proxy caches answers: over HTTP/1.1 only."""
    return level == CACHE and transport == "http1"


def configuration(
    route: Route,
    *,
    scratch: str,
    workers: int,
    level: str = PLAIN,
    identity: Identity | None = None,
) -> str:
    """Return nginx's configuration: listen on one address, and forward to the other.

    `identity` has the PEM files of a proxy with TLS.
    """
    own = caching = ""
    if identity is not None:
        own = SECURE.format(certificate=identity.certificate, key=identity.key)
    if caches(level, route.transport):
        caching = CACHING.format(scratch=scratch)
        own += CACHED.format(scratch=scratch, flush_ms=FLUSH_MS)
    location = LOCATIONS[route.transport]
    if level == DEFAULTS and route.transport == "http1":
        location = HTTP_BY_DEFAULT
    return TEMPLATE.format(
        secure="" if identity is None else " ssl",
        own=own,
        caching=caching,
        address=route.address,
        upstream=route.upstream,
        http2=" http2" if route.transport == "grpc" else "",
        location=location,
        scratch=scratch,
        workers=workers,
    )
