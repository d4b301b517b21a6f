"""Addresses of running servers: scheme, host, port and path."""

import ipaddress
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

from wirelab.inputs.close_match import close_match, one_of
from wirelab.inputs.credential_names import HIDDEN, names_a_credential

DEFAULT_PORTS = {
    "http": 80,
    "https": 443,
    "h2c": 80,
    "h2": 443,
    "h3": 443,
    "grpc": 80,
    "grpcs": 443,
    "ws": 80,
    "wss": 443,
}
"""By scheme. h2 and h3 are HTTP/2 and HTTP/3 over TLS, h2c is HTTP/2 in clear text."""

SECURE = {"https", "h2", "h3", "grpcs", "wss"}
OF_TRANSPORT = {
    "http1": {"http": "http1", "https": "http1", "h2c": "http2", "h2": "http2", "h3": "http3"},
    "grpc": dict.fromkeys(("http", "https", "h2c", "h2", "grpc", "grpcs"), "grpc"),
    "websocket": dict.fromkeys(("http", "https", "ws", "wss"), "websocket"),
}
"""By the transport that a protocol needs: the schemes that support it, with their transports."""
OF_GRAPHQL = {**OF_TRANSPORT["http1"], "ws": "websocket", "wss": "websocket"}
SCHEMES = {
    ("http1", False): "http",
    ("http1", True): "https",
    ("http2", False): "h2c",
    ("http2", True): "h2",
    ("http3", True): "h3",
    ("grpc", False): "grpc",
    ("grpc", True): "grpcs",
    ("websocket", False): "ws",
    ("websocket", True): "wss",
}
"""The usual scheme by the engine's transport, and whether it uses TLS."""


def transports_of(protocol: str) -> dict[str, str]:
    """Return the schemes that support a protocol, with their transports."""
    if protocol == "graphql":
        return OF_GRAPHQL
    return OF_TRANSPORT.get(protocol, OF_TRANSPORT["http1"])


@dataclass(frozen=True, slots=True)
class Address:
    """The address of a server. `path` is the prefix of its operations' paths; "" for none."""

    scheme: str
    host: str
    port: int
    path: str = ""

    @classmethod
    def parse(cls, written: str) -> "Address":
        """Read SCHEME://HOST[:PORT][/PATH]; `ValueError` says what is expected."""
        try:
            parts = urlsplit(written)
            host, port = parts.hostname, parts.port
        except ValueError:
            raise ValueError("SCHEME://HOST:PORT") from None
        if parts.username is not None or parts.password is not None:
            raise ValueError(
                "an address without a user and a password, which others could read in the process"
                " list; give headers from the environment instead"
            )
        if any(names_a_credential(name) for name, _ in parse_qsl(parts.query)):
            raise ValueError(
                "an address without a credential, which others could read in the process list; give"
                " headers from the environment instead"
            )
        if parts.scheme not in DEFAULT_PORTS:
            similar = close_match(parts.scheme, DEFAULT_PORTS) if parts.scheme else ""
            expected = f"SCHEME://HOST:PORT with a scheme that is {one_of(DEFAULT_PORTS)}"
            raise ValueError("; ".join(filter(None, [expected, similar])))
        if not host:
            start = f"{parts.scheme}://"
            raise ValueError(f"a host after {start}, as in {start}localhost:8080")
        path = parts.path if parts.path != "/" else ""
        if parts.query:
            path = f"{path or '/'}?{parts.query}"
        return cls(parts.scheme, host, port or DEFAULT_PORTS[parts.scheme], path)

    @property
    def is_secure(self) -> bool:
        """Whether connections use TLS."""
        return self.scheme in SECURE

    @property
    def is_loopback(self) -> bool:
        """Whether it is this machine, by name or by IP address.

        Requests to 0.0.0.0 and ::, which servers print as their address, stay on it as well.
        """
        if self.host == "localhost":
            return True
        try:
            address = ipaddress.ip_address(self.host)
        except ValueError:
            return False
        address = getattr(address, "ipv4_mapped", None) or address
        return address.is_loopback or address.is_unspecified

    @property
    def host_port(self) -> str:
        """The address in the engine's form."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    def transport(self, needed: str) -> str:
        """Return the engine's transport; `needed` is the transport of the protocol's requests.

        Raises `ValueError` if this scheme does not support it.
        """
        carried = OF_TRANSPORT[needed]
        if self.scheme not in carried:
            raise ValueError(one_of(carried))
        return carried[self.scheme]

    def __str__(self) -> str:
        """Return the usual notation, without the path."""
        return f"{self.scheme}://{self.host_port}"


def without_credentials(written: str) -> str:
    """Return an address for messages, with its user and its query hidden."""
    address, mark, _ = written.partition("?")
    scheme, slashes, rest = address.partition("://") if "://" in address else ("", "", address)
    host, slash, path = rest.partition("/")
    shown = f"{HIDDEN}@{host.rpartition('@')[2]}" if "@" in host else host
    return f"{scheme}{slashes}{shown}{slash}{path}" + (f"{mark}{HIDDEN}" if mark else "")


def host_and_port(address: str) -> tuple[str, int]:
    """Return the host and the port of "host:port", without the brackets of IPv6."""
    host, _, port = address.rpartition(":")
    return host.strip("[]"), int(port)
