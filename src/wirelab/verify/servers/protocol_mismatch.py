"""What a server speaks instead of what a request needs: TLS or clear text, another HTTP version.

Clients report such a server as one that closes the connection, which one that is still starting
does, too. So its first bytes are read here, after a request that it may understand.
"""

import socket
import ssl
from dataclasses import dataclass

from wirelab.engine.job import Endpoint
from wirelab.lab.network.address import SCHEMES, host_and_port

PROBE_S = 2.0
"""Maximum duration of connecting, and of each wait for bytes."""
REQUEST = b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\4\0\0\0\0\0"
"""The client's connection preface of HTTP/2 (RFC 9113, 3.4), with empty SETTINGS."""
FRAME_HEADER_BYTES = 9
SETTINGS = b"\4"
"""The type of the frame that begins what a server of HTTP/2 sends."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """What a server speaks instead of what a request needs.

    `how` follows "it answers"; `scheme` is that of an address that fits, "" if the protocol has
    none; `change` is what to do in the server instead.
    """

    how: str
    scheme: str
    change: str


def spoken_instead(endpoint: Endpoint) -> Spoken | None:
    """Return what a server speaks instead of what an endpoint needs; None if that is not known."""
    transport = endpoint.transport
    if transport == "http3":  # over UDP, where no server answers in another version
        return None
    needed, other = (2, 1) if transport in ("http2", "grpc") else (1, 2)
    has_tls = _has_tls(endpoint)
    if has_tls and not endpoint.is_secure:
        return Spoken("only with TLS", SCHEMES[transport, True], "disable TLS")
    versions = [version for version in (1, 2) if _speaks(version, endpoint, secure=has_tls)]
    if endpoint.is_secure and not has_tls:
        clear = Spoken("without TLS", SCHEMES[transport, False], "enable TLS")
        return clear if versions else None
    if needed in versions or other not in versions:
        return None
    return _of_other_version(endpoint)


def _of_other_version(endpoint: Endpoint) -> Spoken:
    """Describe a server that speaks HTTP/1.1 instead of HTTP/2, or the other way round."""
    secure = endpoint.is_secure
    match endpoint.transport:
        case "grpc":
            return Spoken("HTTP/1.1, and gRPC needs HTTP/2", "", "enable gRPC on this port")
        case "http2":
            how, change = "HTTP/1.1, not HTTP/2", "enable HTTP/2"
            if not secure:
                how, change = f"{how} without TLS", f"{change} without TLS (h2c)"
            return Spoken(how, SCHEMES["http1", secure], change)
        case "websocket":
            return Spoken("HTTP/2, and a WebSocket needs HTTP/1.1", "", "enable HTTP/1.1")
    return Spoken("HTTP/2, not HTTP/1.1", SCHEMES["http2", secure], "enable HTTP/1.1")


def _has_tls(endpoint: Endpoint) -> bool:
    """Return whether a server takes part in a TLS handshake, even if it ends it by an alert."""
    try:
        _connect(endpoint, secure=True).close()
    except ssl.SSLError as error:
        return "ALERT" in (error.reason or "")
    except OSError:
        return False
    return True


def _speaks(version: int, endpoint: Endpoint, *, secure: bool) -> bool:
    """Return whether a server answers in this major version of HTTP."""
    first = b""
    try:
        with _connect(endpoint, secure=secure, version=version) as connection:
            connection.sendall(REQUEST if version == 1 else PREFACE)
            while len(first) < FRAME_HEADER_BYTES and (more := connection.recv(FRAME_HEADER_BYTES)):
                first += more
    except OSError:
        return False
    return first.startswith(b"HTTP/1.") if version == 1 else first[3:4] == SETTINGS


def _connect(endpoint: Endpoint, *, secure: bool, version: int = 0) -> socket.socket:
    """Open a connection; with TLS, trust any certificate, and offer a version if it is given."""
    address = host_and_port(endpoint.address)
    connection = socket.create_connection(address, PROBE_S)
    if not secure:
        return connection
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    if version:
        context.set_alpn_protocols(["http/1.1" if version == 1 else "h2"])
    name = endpoint.tls.server_name if endpoint.tls else None
    try:
        return context.wrap_socket(connection, server_hostname=name or address[0])
    except BaseException:
        connection.close()
        raise
